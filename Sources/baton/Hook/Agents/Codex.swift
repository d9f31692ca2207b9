extension HookAgent {
  /// Codex CLI.
  static let codex = HookAgent(
    form: .codex, name: "Codex",
    sources: [
      Source(kind: .documentation, place: "learn.chatgpt.com/docs/hooks", asOf: "23 August 2026"),
      Source(kind: .source, place: "github.com/openai/codex, codex-rs/hooks", asOf: "0.150, August 2026"),
      Source(kind: .report, place: "github.com/openai/codex/issues/41979", asOf: "0.148 to 0.154, September 2026"),
      Source(kind: .report, place: "github.com/openai/codex/issues/45293", asOf: "September 2026"),
      Source(kind: .report, place: "github.com/openai/codex/issues/46455", asOf: "0.155, 18 September 2026"),
    ],
    event: "PreToolUse", naming: .doubled, refusing: .byCode,
    noBefore:
      #"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"#,
    noBetween: nil, noBehind: "}}", yesUnasked: nil,
    place: Place(
      variable: "CODEX_HOME", folder: ".codex", file: "hooks.json", linux: nil, macOS: nil),
    // A patch stands in `command`, too.
    tools: Tools(
      shell: "Bash", reading: [], writing: [("command", ["apply_patch"])], settings: [".codex"]),
    entry: { command, time, _ in
      #"{"hooks": [{"type": "command", "command": \#(command), "timeout": \#(time)}]}"#
    },
    unseen: [
      "whether Codex trusts the entry: open /hooks there after each change of it; an entry that is not trusted is skipped "
        + "without a word",
      "hosted tools, such as web search, ask no hook",
    ],
    switches: [
      HookSwitch(place: .user("config.toml"), sign: .toml("hooks=false"), words: "features.hooks is false"),
      HookSwitch(place: .project(".codex/config.toml"), sign: .toml("hooks=false"), words: "features.hooks is false"),
    ])
}
