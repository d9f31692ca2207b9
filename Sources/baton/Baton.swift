import ArgumentParser
import BatonCore

/// The program: names its subcommands, each of which has its own file.
@main
struct Baton: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton",
    abstract: "Hands a message down a chain of remote handlers until one of them takes it.",
    discussion: """
      Peers connect over TCP or a Unix socket and speak one JSON object a line; netcat \
      will do.

      EXAMPLES:
        baton serve
        printf '{"op":"help"}\\n' | nc -N 127.0.0.1 22866
      """,
    version: Settings.version,
    subcommands: [Serve.self, HandleCommand.self, Chains.self, Top.self, Trace.self, Bench.self])
}
