import ArgumentParser
import BatonClient
import BatonConfig

/// `baton config diff`: what a reload of a file would change in a server that runs.
struct ConfigDiff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Say what a reload of a file would change now.",
    discussion: """
      The text of the file goes to the server, which compares it with what is in force there: with its own options and \
      its own environment. Nothing changes. Paths in the file are relative to the configuration file. Each difference is a \
      line with tabs between its fields, as of baton reload: changed or restart (what changes at the next start only), \
      and the name that baton config show gives it; link, for each declared link; warning. What lets messages pass that \
      were stopped before is unguarded, and has a warning. It needs the right "manage server". The exit code is 0 if nothing would change, 1 if something would, 64 if \
      the file has mistakes, 2 if the server refuses, and 3 if no server can be reached.

      EXAMPLES:
        baton config diff baton.yaml
        baton config diff new.yaml --server unix:/run/baton.sock && echo nothing to do
      """)

  @Argument(help: ArgumentHelp("The file. (default: --config, or BATON_CONFIG)"))
  var file: String?

  @OptionGroup var options: ConfigOptions

  @OptionGroup(title: "Server") var server: ServerOptions

  func run() async throws {
    let path = try options.requiredPath(argument: file)
    let text = try ConfigOptions.telling(asJSON: server.json) { () throws(ConfigMistakes) in
      try ConfigurationFile.text(at: path)
    }
    do {
      try await server.withClient { client in
        let reply = try await client.answer("reload", [("check", Payload(text: text))])
        let isBad = reply.text("op") == "error"
        if isBad, reply.text("code") != "bad_config" { throw reply.refusal }
        let changes = ToldChanges(reply)
        if server.json { try put(reply.whole.bytes) } else { try tell(reply, changes, path) }
        if isBad { throw ExitCode.validationFailure }
        if !changes.isEmpty { throw Differs() }
      }
    } catch is Differs {
      throw ExitCode.failure
    } catch let code as ExitCode where code == .failure {
      throw ExitCode.refused
    }
  }

  private struct Differs: Error {}

  private func tell(_ reply: ServerLine, _ changes: ToldChanges, _ path: String) throws {
    for mistake in reply.objects("errors") {
      let place = "\(mistake.integer("line") ?? 1):\(mistake.integer("column") ?? 1)"
      talk("\(path):\(place): \(mistake.text("message") ?? "")")
    }
    guard server.form == .people else {
      for line in changes.fields { try put(line) }
      return
    }
    for line in changes.lines(paint: .output) { try put(line) }
    for name in changes.changed { try put("changed: \(name)".displaySafe) }
    for name in changes.restart { try put("changes at the next start only: \(name)".displaySafe) }
  }
}
