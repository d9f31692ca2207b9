import ArgumentParser
import BatonClient
import BatonConfig
import BatonPolicy

/// `baton policy`: rules about tool calls, in a file.
struct PolicyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Decide about tool calls by the rules of a file.",
    discussion: """
      It serves the link policy of a chain that a hook asks. The first rule that fits decides; what no rule fits is \
      refused. A rule says which tools it is about (agent, server, tool), perhaps what the call must say (words, inside, \
      contains, when), and last what becomes of it: allow: true, ask: true, refuse: WORDS. ask leaves it to the next link, \
      such as a person. If the configuration file declares a link permit, behind the person, that is served, too.

      The file is read again when it has changed. With a mistake in it the old rules stay. If it cannot be read any more, \
      everything is refused.

      --check, --try and --record need no server. Docs/agents.md has all keys.

      EXAMPLES:
        baton policy --example claude > tools.yaml
        baton policy tools.yaml
        baton policy tools.yaml --check
        echo '{"agent":"claude","tool":"Bash","arguments":{"command":"git status"}}' | baton policy tools.yaml --try -
        baton policy tools.yaml --record /var/lib/baton/record

      The exit code of --check is 1 if the file has a mistake, and that of --record if a call would be decided otherwise.
      """)

  @Argument(help: "The file of rules.", completion: .file(extensions: ["yaml", "yml"]))
  var file: String?

  @Option(help: "The chain.", completion: Completing.chain, transform: SaidWords.name)
  var chain = "tools"

  @Option(help: "The link's name in the chain.", completion: Completing.handler, transform: SaidWords.name)
  var name = "policy"

  @Flag(help: "Say what is wrong with the file, and which rules no question can reach.")
  var check = false

  @Option(
    name: .customLong("try"),
    help: ArgumentHelp(
      "Say what the rules decide about each question: a payload as the chain gets it, one a line; - for standard input.",
      valueName: "questions"), completion: .file())
  var questions: String?

  @Option(
    help: ArgumentHelp("Compare with what the link decided, by the record of a server.", valueName: "folder"),
    completion: .directory)
  var record: String?

  @Option(help: ArgumentHelp("Print a file to begin with for this agent, and end.", valueName: "form"))
  var example: HookForm?

  @OptionGroup(title: "Server")
  var server: ServerOptions

  func validate() throws {
    let ways = [check, questions != nil, record != nil, example != nil].count { $0 }
    if ways > 1 { throw ValidationError("--check, --try, --record and --example exclude each other") }
    if file == nil, example == nil { throw ValidationError("name a file of rules; --example claude prints one") }
    if ways == 0, server.json { throw ValidationError("--json goes with --check, --try and --record") }
  }

  func run() async throws {
    if let example { return try put(ExampleRules(for: example).text) }
    let path = file ?? ""
    if check { return try tellCheck(path) }
    if let questions { return try await PolicyTrial(try rules(path), json: server.json).run(questions) }
    if let record {
      let past = PolicyPast(try rules(path), chain: chain, link: name)
      return try past.run(record, json: server.json)
    }
    // Before it is read: what changes meanwhile is seen then.
    let sign = FileSign(path)
    let watched = WatchedRules(try rules(path, .regularFile), path: path, sign: sign)
    try await PolicyServing(watched, chain: chain, link: name).run(server)
  }

  /// Reads the file. If anything is wrong, prints all that is, and ends with the exit code for a wrong file.
  private func rules(_ path: String, _ kind: FileBytes.Kind = .anything) throws -> Rules {
    do throws(ConfigMistakes) {
      return try Rules.read(at: path, kind)
    } catch {
      if server.json {
        try put(json: "{\(ConfigCheck.errors(error.all, untold: error.untold))}")
      } else {
        for line in error.lines { talk(line.displaySafe) }
      }
      throw ExitCode.validationFailure
    }
  }

  private func tellCheck(_ path: String) throws {
    var (warnings, mistakes): ([ConfigMistake], ConfigMistakes?) = ([], nil)
    do throws(ConfigMistakes) {
      let rules = try Rules.read(at: path)
      warnings = rules.unreachable.map { found in
        let behind = found.behind.map { "\($0)" }.joined(separator: ", ")
        return ConfigMistake(
          .file(path, found.place),
          "no question can reach rule \(found.rule); \(found.behind.count == 1 ? "rule" : "rules") \(behind) before it "
            + "\(found.behind.count == 1 ? "decides" : "decide")")
      }
    } catch {
      mistakes = error
    }
    try ConfigCheck.tell(warnings, mistakes, json: server.json)
  }
}
