#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A file of rules to begin with: what reads in this folder runs, what could undo the guard and all else is asked about, and
/// what deletes trees is refused.
struct ExampleRules {
  private let agent: HookAgent
  /// The folder in which reading is permitted.
  private let folder: String

  /// For an agent that works in the folder in which this program runs.
  init(for form: HookForm) {
    agent = form.agent
    let here = getcwd(nil, 0)
    defer { free(here) }
    let path = here.flatMap { String(validatingCString: $0) } ?? ""
    // The root of all files is nobody's folder.
    let isPlain = !path.unicodeScalars.contains { $0.properties.generalCategory == .control }
    folder = isPlain && path.hasPrefix("/") && path != "/" ? path : "/home/ann/app"
  }

  /// Without its last line feed.
  var text: String {
    let tools = agent.tools
    let settings = (tools.settings + ["tools.yaml"]).joined(separator: ", ")
    let touching = (tools.reading + tools.writing).map { argument, names in
      "  - { tool: [\(names.joined(separator: ", "))], contains: { \(argument): [\(settings), baton.] }, ask: true }"
    }
    let reading = tools.reading.map { argument, names in
      "  - { tool: [\(names.joined(separator: ", "))], inside: { \(argument): ['\(quotedFolder)'] }, allow: true }"
    }
    let lines =
      [
        "# Rules for \(agent.name). The first one that fits decides; what none fits is refused.",
        "# baton policy FILE --check says what is wrong with them, and which ones no question can reach.",
        "rules:",
        "  # This finds slips. It does not stop who wants to get around it: the same can be written in another way.",
        "  - { tool: [\(tools.shell)], contains: { command: [rm -rf, rm -fr, mkfs] }, refuse: do not delete trees }",
        "  # What could undo this guard is asked about: the agent's settings, this file, and Baton's.",
      ] + touching + [
        "  - { tool: [\(tools.shell)], contains: { command: [\(settings), baton] }, ask: true }"
      ] + (reading.isEmpty ? [] : ["  # Reading in this folder runs."]) + reading + [
        "  # So do these commands, and no others: not with other words, and not behind a ; or |.",
        "  - { tool: [\(tools.shell)], words: [[pwd], [ls, '...'], [git, status], [git, log, --oneline]], allow: true }",
        "  # The next link decides about the rest: baton ask 'tool.>' --chain tools --name human. Without one it is refused.",
        "  - { tool: ['*'], ask: true }",
        "  - { server: ['*'], tool: ['*'], ask: true }",
      ]
    return lines.joined(separator: "\n")
  }

  private var quotedFolder: String { folder.replacing("'", with: "''") }
}
