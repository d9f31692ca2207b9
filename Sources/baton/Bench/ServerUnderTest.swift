import BatonServer
import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A server of a command's own: this same program as another process, on a free port or at a place of its own.
final class ServerUnderTest: StreamOwner {
  private let loop: Loop
  private var process: ChildProcess?
  private var said = ""
  private var place: Endpoint?
  private var isGone = false

  /// Starts the server and waits until it listens; `settings` are `name=value`. `isApart`: in a group of processes of its own.
  init(
    on loop: Loop, at listening: [String] = ["--port", "0"], settings: [String] = [], environment: [String]? = nil,
    isApart: Bool = false
  ) throws {
    self.loop = loop
    let words =
      ["serve"] + listening + ["--http", "off", "--log-level", "warning"] + settings.flatMap { ["--set", $0] }
    var plan = ChildProcess.Plan(path: try Executable.path(), arguments: words)
    (plan.environment, plan.isApart) = (environment, isApart)
    let process = try ChildProcess(plan, on: loop) { [unowned self] _ in isGone = true }
    self.process = process
    process.output.owner = self
    try process.output.startReading()
    while place == nil, !isGone { loop.runOnce() }
    guard place != nil else {
      stop()
      throw BenchFailure("the server could not be started; it said: \(said)")
    }
  }

  /// Where it listens, and the number of its process.
  var address: (place: Endpoint, pid: Int32)? {
    guard let place, let process else { return nil }
    return (place, process.pid)
  }

  /// Ends the server, and waits until it is gone.
  func stop() {
    process?.kill(signal: SIGTERM)
    while !isGone { loop.runOnce() }
    process?.output.close()
    process?.close()
    process = nil
  }

  func received(_ bytes: UnsafeRawBufferPointer, from stream: UV.Stream) {
    said += String(decoding: bytes, as: UTF8.self)
    let start = "listening on "
    let lines = said.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    guard let line = lines.first(where: { $0.hasPrefix(start) }) else { return }
    let words = line.dropFirst(start.count).split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return }
    place = words[0] == "unix" ? .unix(path: String(words[1])) : Endpoint(String(words[1]))
  }

  func ended(_ stream: UV.Stream) {}
  func wrote(_ count: Int, to stream: UV.Stream) {}
  func failed(_ stream: UV.Stream, _ error: UVError) {}
  func closed(_ stream: UV.Stream) {}
}
