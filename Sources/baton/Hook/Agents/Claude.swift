extension HookAgent {
  /// Claude Code.
  static let claude = HookAgent(
    form: .claude, name: "Claude Code",
    sources: [
      Source(kind: .documentation, place: "code.claude.com/docs/en/hooks", asOf: "2.1.292, 6 October 2026"),
      Source(kind: .documentation, place: "code.claude.com/docs/en/hooks (onFailure)", asOf: "2.1.295, 8 October 2026"),
      Source(kind: .report, place: "github.com/anthropics/claude-code/issues/80697", asOf: "2.1.233, 16 August 2026"),
      Source(kind: .report, place: "claude-agent-sdk 0.2.177 (on_failure)", asOf: "2.1.317, 3 November 2026"),
    ],
    event: "PreToolUse", naming: .doubled, refusing: .byCode,
    noBefore:
      #"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"#,
    noBetween: nil, noBehind: "}}",
    yesUnasked: #"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
    place: Place(
      variable: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json",
      linux: "/etc/claude-code/managed-settings.json",
      macOS: "/Library/Application Support/ClaudeCode/managed-settings.json"),
    tools: Tools(
      shell: "Bash",
      reading: [("file_path", ["Read"]), ("path", ["Grep"])],
      writing: [("file_path", ["Edit", "MultiEdit", "Write"]), ("notebook_path", ["NotebookEdit"])],
      settings: [".claude", ".mcp.json"]),
    entry: { command, time, closed in
      let failure = closed ? #", "onFailure": "block""# : ""
      return #"{"hooks": [{"type": "command", "command": \#(command), "timeout": \#(time)\#(failure)}]}"#
    },
    unseen: [
      "which version runs: from 2.1.295 on, an entry with \"onFailure\": \"block\" is closed where the hook cannot start",
      "files named with @ in a prompt are read without a hook",
    ],
    switches: [
      HookSwitch(
        place: .user("settings.json"), sign: .flag(["disableAllHooks"], true), words: "disableAllHooks is true"),
      HookSwitch(
        place: .project(".claude/settings.json"), sign: .flag(["disableAllHooks"], true),
        words: "disableAllHooks is true"),
      HookSwitch(
        place: .project(".claude/settings.local.json"), sign: .flag(["disableAllHooks"], true),
        words: "disableAllHooks is true"),
      HookSwitch(
        place: .project(".claude/settings.json"), sign: .variables(["env"]), words: claudeVariables),
      HookSwitch(
        place: .project(".claude/settings.local.json"), sign: .variables(["env"]), words: claudeVariables),
    ])

  private static let claudeVariables = "it sets variables (env), and some of them load code into a hook: look at each"

  /// The first version that knows `onFailure`.
  static let claudeClosesFrom = [2, 1, 295]
}
