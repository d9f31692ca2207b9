import ArgumentParser
import BatonClient

/// `baton reload`: lets the server read its file anew.
struct Reload: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Let the server read its file and its certificates anew.",
    discussion: """
      The file is checked whole. If it has mistakes, they are told with line and column, and nothing changes. What is \
      taken away ends at once. The signal SIGHUP does the same.

      EXAMPLES:
        baton config check baton.yaml && baton reload
      """)

  @OptionGroup(title: "Server") var server: ServerOptions

  func run() async throws {
    try await server.withClient { client in
      let reply = try await client.request("reload")
      guard !server.json, let line = ServerLine(reply.bytes) else { return try put(reply.bytes) }
      let (changed, restart) = (line.texts("changed"), line.texts("restart"))
      if server.form == .people, changed.isEmpty, restart.isEmpty { return try put("nothing has changed") }
      for key in changed { try put(server.form == .people ? "changed: \(key)" : "changed\t\(key)") }
      for key in restart {
        try put(server.form == .people ? "changes at the next start only: \(key)" : "restart\t\(key)")
      }
    }
  }
}
