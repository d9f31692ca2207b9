import ArgumentParser

/// `baton hook`: a coding agent asks a chain before each of its tools.
struct HookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hook",
    abstract: "Let a chain decide about each tool call of a coding agent.",
    discussion: """
      The agent runs baton hook FORM before each tool, with its question on standard input. The question goes down the \
      chain tools as a message tool.agent.NAME, or tool.mcp.SERVER.NAME. The tool runs if a link called policy or permit \
      has handled the message and gave it back unchanged. All else is a refusal with one sentence: also no server, no \
      link, no answer in time, a question that is no question, and a wrong option.

      baton hook install FORM enters it into the agent's settings, baton hook check FORM tries it there, and \
      baton hook remove FORM takes it out again.

      EXAMPLES:
        baton hook install claude --server unix:/run/baton.sock
        baton hook check claude
        baton hook remove claude
      """,
    subcommands: [
      HookInstall.self, HookCheck.self, HookRemove.self, HookClaude.self, HookCodex.self, HookCursor.self,
      HookCopilot.self, HookGemini.self,
    ])
}

/// What an agent runs before each tool.
protocol HookQuestionCommand: ParsableCommand {
  var options: HookOptions { get }
}

extension HookQuestionCommand {
  /// What is told of it.
  static func described(_ form: HookForm) -> CommandConfiguration {
    CommandConfiguration(
      commandName: form.rawValue,
      abstract: "Answer one question of \(form.agent.name), which comes on standard input.",
      discussion: """
        \(form.agent.name) runs it; baton hook install \(form.rawValue) enters it there. It never ends with a yes unless \
        the chain has said yes.
        """)
  }
}

struct HookClaude: HookQuestionCommand {
  static let configuration: CommandConfiguration = described(.claude)
  @OptionGroup var options: HookOptions
}

struct HookCodex: HookQuestionCommand {
  static let configuration: CommandConfiguration = described(.codex)
  @OptionGroup var options: HookOptions
}

struct HookCursor: HookQuestionCommand {
  static let configuration: CommandConfiguration = described(.cursor)
  @OptionGroup var options: HookOptions
}

struct HookCopilot: HookQuestionCommand {
  static let configuration: CommandConfiguration = described(.copilot)
  @OptionGroup var options: HookOptions
}

struct HookGemini: HookQuestionCommand {
  static let configuration: CommandConfiguration = described(.gemini)
  @OptionGroup var options: HookOptions
}
