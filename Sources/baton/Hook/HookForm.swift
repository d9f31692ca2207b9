import ArgumentParser

/// Which agent asks: each has its own way of asking, and of taking a no.
enum HookForm: String, CaseIterable, ExpressibleByArgument {
  case claude, codex, cursor, copilot, gemini

  /// What is known of it.
  var agent: HookAgent {
    switch self {
    case .claude: .claude
    case .codex: .codex
    case .cursor: .cursor
    case .copilot: .copilot
    case .gemini: .gemini
    }
  }

  /// The form of a question, by what it has; nil if no agent asks so.
  static func of(_ question: JSONTree) -> HookForm? {
    if question["toolName"] != nil || question["toolArgs"] != nil { return .copilot }
    let event = question["hook_event_name"]?.text
    if event == "BeforeTool" { return .gemini }
    if question["cursor_version"] != nil { return .cursor }
    if question["turn_id"] != nil { return .codex }
    return event == "PreToolUse" && question["tool_use_id"] != nil ? .claude : nil
  }
}
