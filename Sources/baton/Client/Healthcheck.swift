import ArgumentParser
import BatonClient

/// `baton healthcheck`: checks whether the server answers, for container health checks.
struct Healthcheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check whether the server answers.",
    discussion: """
      For container health checks. The exit code is 0 if the server answers, and 1 in all other cases. If the server \
      answers, nothing is printed.

      EXAMPLES:
        HEALTHCHECK CMD ["baton", "healthcheck"]
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long the answer may take: seconds, or 500ms.", valueName: "time"),
    transform: { .milliseconds(try SpokenTime.allowance($0)) })
  var timeout: Duration = .seconds(3)

  @OptionGroup var server: ServerOptions

  func run() async throws {
    Deadline.end(after: timeout, .failure) { [server, timeout] in
      try server.complain("no_answer", "no answer from \(server.namedPlace) within \(timeout.words)")
    }
    do {
      try await server.withClient { client in
        let pong = try await client.request("ping")
        if server.json { try put(pong.bytes) }
      }
    } catch is ExitCode {
      throw ExitCode.failure
    }
  }
}
