import ArgumentParser
import BatonClient

/// `baton reload`: lets the server read its file anew.
struct Reload: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Let the server read its file and its certificates anew.",
    discussion: """
      The server checks the whole file. If it has mistakes, nothing changes: each mistake is a line with its place in the \
      file, and the exit code is 1. Otherwise the server carries it out, and what is allowed no more ends. The answer \
      tells what has changed, and what changes at the next start only; in a pipe each is a line: changed or restart, a \
      tab, and the name that baton config show gives it. It needs the right "manage server". The signal SIGHUP does the \
      same.

      EXAMPLES:
        baton config check baton.yaml && baton reload
        baton reload --json | jq -r '.errors[]? | "\\(.line):\\(.column): \\(.message)"'
      """)

  @OptionGroup(title: "Server") var server: ServerOptions

  func run() async throws {
    try await server.withClient { client in
      let reply = try await client.answer("reload")
      let isRefused = reply.text("op") == "error"
      if isRefused, reply.text("code") != "bad_config" { throw reply.refusal }
      if server.json {
        try put(reply.whole.bytes)
      } else if isRefused {
        for mistake in reply.objects("errors") {
          talk("\(mistake.integer("line") ?? 1):\(mistake.integer("column") ?? 1): \(mistake.text("message") ?? "")")
        }
        talk("baton: \(reply.refusal)")
      } else {
        try tell(changed: reply.texts("changed"), restart: reply.texts("restart"))
      }
      if isRefused { throw ExitCode.failure }
    }
  }

  private func tell(changed: [String], restart: [String]) throws {
    guard server.form == .people else {
      for name in changed { try put(tabbed(["changed", name])) }
      for name in restart { try put(tabbed(["restart", name])) }
      return
    }
    let news = changed.isEmpty ? "nothing in it has changed" : "changed: \(changed.joined(separator: ", ").displaySafe)"
    try put("the server has read its file: \(news)")
    if !restart.isEmpty { try put("changes at the next start only: \(restart.joined(separator: ", ").displaySafe)") }
  }
}
