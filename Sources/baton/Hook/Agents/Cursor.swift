extension HookAgent {
  /// Cursor, its editor and its command line.
  static let cursor = HookAgent(
    form: .cursor, name: "Cursor",
    sources: [
      Source(kind: .documentation, place: "cursor.com/docs/agent/hooks", asOf: "a stored copy of 2026"),
      Source(kind: .report, place: "reports of what 3.9.16 sends and takes", asOf: "30 June 2026"),
      Source(kind: .report, place: "docs.rs/crate/openmoat/0.14.0, tests/e2e/cursor.rs", asOf: "autumn 2026"),
    ],
    event: "preToolUse", naming: .marked, refusing: .byJSON,
    noBefore: #"{"permission":"deny","user_message":"#, noBetween: #","agent_message":"#, noBehind: "}",
    yes: #"{"permission":"allow"}"#, yesUnasked: #"{"permission":"allow"}"#,
    place: Place(
      folder: ".cursor", file: "hooks.json", linux: "/etc/cursor/hooks.json",
      macOS: "/Library/Application Support/Cursor/hooks.json"),
    tools: Tools(
      shell: "Shell", reading: [("file_path", ["Read"]), ("path", ["Grep"])],
      writing: [("file_path", ["Write", "Delete"])], settings: [".cursor", ".claude"]),
    hasVersion: true,
    entry: { command, time, _ in #"{"command": \#(command), "timeout": \#(time), "failClosed": true}"# },
    unseen: [
      "whether a yes of a project's hook counts for more than a no of this one",
      "what switches hooks off in Cursor's own settings",
    ],
    switches: [])
}
