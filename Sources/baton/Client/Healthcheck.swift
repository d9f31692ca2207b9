import ArgumentParser
import BatonClient

/// `baton healthcheck`: checks whether the server answers, for container health checks.
struct Healthcheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check whether the server answers.",
    discussion: """
      For container health checks. The exit code is 0 if the server answers, and 1 in all other cases. If the server \
      answers, nothing is printed. A node of a cluster that does not lead is well if it could; with --alive it is well if it \
      answers at all, also if it needs to know first who asks.

      EXAMPLES:
        HEALTHCHECK CMD ["baton", "healthcheck"]
        baton healthcheck --alive          whether to start it anew
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long the answer may take: seconds, or 500ms.", valueName: "time"),
    transform: { .milliseconds(try SpokenTime.allowance($0)) })
  var timeout: Duration = .seconds(3)

  @Flag(help: "Any answer is well: also that of a node that could not lead now.")
  var alive = false

  @OptionGroup var server: ServerOptions

  func run() async throws {
    Deadline.end(after: timeout, .failure) { [server, timeout] in
      try server.complain("no_answer", "no answer from \(server.namedPlace) within \(timeout.words)")
    }
    switch try firstLine() {
    case .other where alive, .spare(isReady: true),
      .spare where alive:
      return
    case .spare:
      try server.complain(
        "not_leading", "\(server.namedPlace) is a spare that could not lead now; baton nodes tells why")
      throw ExitCode.failure
    case .other, nil: break
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

  /// What the server says first to who asks nothing that needs a right.
  private enum FirstLine {
    case spare(isReady: Bool)
    case other
  }

  /// Nil if it says nothing: why is told by the client that tries next.
  private func firstLine() throws -> FirstLine? {
    guard let line = OneLine.ask(#"{"op":"ping"}"#, at: server.place, authorities: server.authorities) else {
      return nil
    }
    struct Told: Decodable {
      let code: String?
      let ready: Bool?
    }
    guard let told = try? line.decode(Told.self), told.code == "not_leading" else { return .other }
    return .spare(isReady: told.ready ?? false)
  }
}
