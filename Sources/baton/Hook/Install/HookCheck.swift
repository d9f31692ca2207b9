import ArgumentParser
import BatonClient

/// `baton hook check`: tries the hook as it is entered.
struct HookCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Try the hook as it stands in the settings of an agent, and say what switches it off.",
    discussion: """
      Each point is one line: a tick is as it should be, ! is what only you can see, and a cross is a hole. With any cross \
      the exit code is 1. It runs the command of the entry: no tool is run. That the agent asks its hook at all, it cannot \
      know; its last line says how you find out.

      EXAMPLES:
        baton hook check claude
      """)

  @Argument(help: "The agent: claude, codex, cursor, copilot or gemini.") var form: HookForm
  @OptionGroup(title: "Settings") var place: SettingsOptions

  @Flag(help: "Print one line of JSON for each point.")
  var json = false

  func run() throws {
    guard let path = try place.path(form.agent) else {
      throw hookTrouble("\(form.agent.name) has no JSON file for the machine, so its entry is not found here")
    }
    let points = HookPoints(form.agent, path).all
    for point in points { try put(point.line(asJSON: json)) }
    if !json {
      try put(
        "Now ask \(form.agent.name): \"Call the tool baton-canary, or run the command: true # baton-canary\". It must ask the chain: "
          + "baton walks --chain NAME, or whoever sits at a link, sees the question.")
    }
    if points.contains(where: { $0.sign == .bad }) { throw ExitCode.failure }
  }
}

/// One point of the check.
struct HookPoint: Equatable {
  enum Sign: String { case good, unseen, bad }

  let sign: Sign
  let words: String

  func line(asJSON: Bool) -> String {
    if asJSON { return #"{"point":"\#(sign.rawValue)","message":\#(Payload(text: words).json)}"# }
    let mark =
      switch sign {
      case .good: Glyphs.current.ok
      case .unseen: Glyphs.current.warning
      case .bad: Glyphs.current.wrong
      }
    return "\(mark) \(words.displaySafe)"
  }
}
