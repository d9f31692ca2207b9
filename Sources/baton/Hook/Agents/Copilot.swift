extension HookAgent {
  /// Copilot CLI.
  static let copilot = HookAgent(
    form: .copilot, name: "Copilot CLI",
    sources: [
      Source(
        kind: .documentation, place: "docs.github.com, copilot-cli-reference/cli-hooks-reference",
        asOf: "a stored copy of 2026"),
      Source(kind: .report, place: "changes of 1.0.57-4: errors of a hook deny the call", asOf: "31 May 2026"),
      Source(kind: .report, place: "github.com/github/copilot-cli/issues/3013", asOf: "April 2026"),
      Source(kind: .report, place: "github.com/github/copilot-cli/issues/2647", asOf: "1.0.24"),
    ],
    event: "preToolUse", members: Members(tool: "toolName", arguments: "toolArgs", session: "sessionId"),
    naming: .none, refusing: .byJSON,
    noBefore: #"{"permissionDecision":"deny","permissionDecisionReason":"#, noBetween: nil, noBehind: "}",
    yesUnasked: #"{"permissionDecision":"allow"}"#,
    place: Place(
      variable: "COPILOT_HOME", folder: ".copilot", file: "hooks/baton.json",
      linux: "/etc/github-copilot/policy.d/baton.json", macOS: "/etc/github-copilot/policy.d/baton.json"),
    tools: Tools(
      shell: "bash", reading: [("path", ["view", "grep"])], writing: [("path", ["create", "edit"])],
      settings: [".copilot", ".github", ".claude"]),
    hasVersion: true,
    entry: { command, time, _ in #"{"type": "command", "bash": \#(command), "timeoutSec": \#(time)}"# },
    unseen: [
      "which version runs: before 1.0.57, an exit code was no answer, and a program that is missing was a yes",
      "agents in the background may ask no hook",
    ],
    switches: [
      HookSwitch(
        place: .user("settings.json"), sign: .flag(["disableAllHooks"], true), words: "disableAllHooks is true"),
      HookSwitch(
        place: .user("hooks/baton.json"), sign: .flag(["disableAllHooks"], true), words: "disableAllHooks is true"),
      HookSwitch(
        place: .project(".github/copilot/settings.json"), sign: .flag(["disableAllHooks"], true),
        words: "disableAllHooks is true"),
    ])
}
