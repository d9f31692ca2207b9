// The program that the cases in Clients/conformance are played to, for the library BatonClient: commands are lines of
// JSON on its standard input, reports lines on its standard output. It ends when its input does. With the argument
// "trivial" it is the handler whose speed Clients/conformance/speed measures.
import BatonClient

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

if CommandLine.arguments.dropFirst() == ["trivial"] {
  try await Baton().named("swift").handler("trivial") { _ in .handled }.run()
  exit(0)
}
let (commands, feed) = AsyncStream.makeStream(of: Command.self)
let shim = Shim()
// Not on the main thread, which waits for the next line.
Task.detached {
  for await command in commands { await shim.carryOut(command) }
}
while let line = readLine() {
  guard let command = Command(line) else { fatalError("this is no command: \(line)") }
  feed.yield(command)
}
exit(0)
