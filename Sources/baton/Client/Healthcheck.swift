import ArgumentParser
import BatonClient

/// `baton healthcheck`: whether the server answers, for what watches over containers.
struct Healthcheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask the server once whether it is there.",
    discussion: """
      For container health checks: the exit code is 0 where it answers and 1 in all other cases, and nothing is said \
      where all is well.

      EXAMPLES:
        HEALTHCHECK CMD ["baton", "healthcheck"]
      """)

  @Option(
    help: ArgumentHelp("How long the answer may take: seconds, or 500ms.", valueName: "time"),
    transform: SpokenTime.duration)
  var timeout: Duration = .seconds(3)

  @OptionGroup var server: ServerOptions

  func run() async throws {
    Deadline.end(after: timeout, .failure, saying: "baton: no answer from \(server.place) within \(timeout.words)")
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
