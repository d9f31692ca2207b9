import ArgumentParser

/// `baton hook install`: enters the hook into an agent's settings.
struct HookInstall: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Enter the hook into the settings of an agent.",
    discussion: """
      The difference is shown first, and written after y, or with --yes. All other bytes of the file stay; what it had is \
      kept beside it as FILE.before-baton. An entry that is there already is replaced.

      EXAMPLES:
        baton hook install claude --server unix:/run/baton.sock
        baton hook install codex --server unix:/run/b.sock --token-file /etc/b.token
        baton hook install gemini --server unix:/run/baton.sock --print
      """)

  @Argument(help: "The agent: claude, codex, cursor, copilot or gemini.") var form: HookForm
  @OptionGroup var options: HookOptions
  @OptionGroup(title: "Settings") var place: SettingsOptions

  @Flag(help: "Print the entry alone, and write nothing.")
  var print = false

  @Flag(help: "Write without asking.")
  var yes = false

  func validate() throws {
    if let complaint = options.complaint(for: form.agent) { throw ValidationError(complaint) }
  }

  func run() throws {
    let agent = form.agent
    guard let program = HookLine.ownProgram else { throw hookTrouble("the path of this program is not known") }
    let line = HookLine(program: program, form: form, options: options)
    if let complaint = line.complaint { throw hookTrouble(complaint) }
    let isClosed = HookEntry.knowsClosing(agent)
    let entry = HookEntry.text(line, wait: options.wait, closed: isClosed, agent)
    if print { return try put(entry) }
    guard let path = try place.path(agent) else {
      talk("baton: \(agent.name) has no JSON file for the machine; put this into its file by hand:")
      try put(entry)
      throw ExitCode.failure
    }
    try HookChange(path: path, agent: agent, isAgreed: yes).make {
      $0.with(entry)
    } byHand: {
      entry
    }
    if form == .claude, !isClosed {
      talk(
        "baton: \"onFailure\" was left out, for no claude of 2.1.295 or later is on the PATH: where the hook cannot be "
          + "started at all, Claude Code runs the tool")
    }
    for weakness in options.places.compactMap(HookPlace.weakness) { talk("baton: \(weakness)") }
    talk("baton: try it with: baton hook check \(form.rawValue)")
  }
}

/// `baton hook remove`: takes the hook out again.
struct HookRemove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take the hook out of the settings of an agent.",
    discussion: """
      If nothing else was changed since baton hook install, the file has its old bytes again.

      EXAMPLES:
        baton hook remove claude
      """)

  @Argument(help: "The agent: claude, codex, cursor, copilot or gemini.") var form: HookForm
  @OptionGroup(title: "Settings") var place: SettingsOptions

  @Flag(help: "Write without asking.")
  var yes = false

  func run() throws {
    guard let path = try place.path(form.agent) else {
      throw hookTrouble("\(form.agent.name) has no JSON file for the machine; take the entry out by hand")
    }
    try HookChange(path: path, agent: form.agent, isAgreed: yes).undo()
  }
}
