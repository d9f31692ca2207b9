import ArgumentParser
import BatonClient

/// `baton reload`: lets the server read its file anew.
struct Reload: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Let the server read its file and its certificates anew.",
    discussion: """
      The server checks the whole file. If it has mistakes, nothing changes: each mistake is a line with its place in the \
      file, and the exit code is 1. Otherwise the server carries it out, and what is allowed no more ends. The answer \
      tells what has changed, and what changes at the next start only, each declared link that was added, removed, changed \
      or moved, and warns of links that let messages pass which they stopped before. In a pipe each is a line with tabs \
      between its fields: changed or restart, and the name that baton config show gives it; link, what happened, its \
      place, its settings, and unguarded; warning, its place in the file, and what it says. It needs the right "manage server". The signal SIGHUP does the \
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
        try tell(ToldChanges(reply))
      }
      if isRefused { throw ExitCode.failure }
    }
  }

  private func tell(_ changes: ToldChanges) throws {
    guard server.form == .people else {
      for line in changes.fields { try put(line) }
      return
    }
    let (changed, restart) = (changes.changed, changes.restart)
    let news = changed.isEmpty ? "nothing in it has changed" : "changed: \(changed.joined(separator: ", ").displaySafe)"
    try put("the server has read its file: \(news)")
    if !restart.isEmpty { try put("changes at the next start only: \(restart.joined(separator: ", ").displaySafe)") }
    for line in changes.lines(paint: .output) { try put(line) }
  }
}
