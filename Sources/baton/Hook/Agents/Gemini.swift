extension HookAgent {
  /// Gemini CLI.
  static let gemini = HookAgent(
    form: .gemini, name: "Gemini CLI",
    sources: [
      Source(kind: .documentation, place: "geminicli.com/docs/hooks/reference", asOf: "a stored copy of 2026"),
      Source(
        kind: .source, place: "github.com/google-gemini/gemini-cli, packages/core/src/hooks",
        asOf: "0.56 nightly, 21 August 2026"),
    ],
    event: "BeforeTool", naming: .context, refusing: .byCode,
    noBefore: #"{"decision":"deny","reason":"#, noBetween: nil, noBehind: "}", noCode: 2,
    yesUnasked: #"{"decision":"allow"}"#,
    place: Place(
      folder: ".gemini", file: "settings.json", linux: "/etc/gemini-cli/settings.json",
      macOS: "/Library/Application Support/GeminiCli/settings.json"),
    tools: Tools(
      shell: "run_shell_command",
      reading: [("file_path", ["read_file"]), ("dir_path", ["list_directory", "grep_search"])],
      writing: [("file_path", ["write_file", "replace"])], settings: [".gemini"]),
    unitsPerSecond: 1000,
    entry: { command, time, _ in
      #"{"hooks": [{"type": "command", "name": "baton", "command": \#(command), "timeout": \#(time)}]}"#
    },
    unseen: ["which version runs: hooks are on by default since 2026"],
    switches: [
      HookSwitch(
        place: .user("settings.json"), sign: .flag(["hooksConfig", "enabled"], false),
        words: "hooksConfig.enabled is false"),
      HookSwitch(
        place: .user("settings.json"), sign: .list(["hooksConfig", "disabled"]),
        words: "hooksConfig.disabled names hooks"),
      HookSwitch(
        place: .project(".gemini/settings.json"), sign: .flag(["hooksConfig", "enabled"], false),
        words: "hooksConfig.enabled is false"),
      HookSwitch(
        place: .project(".gemini/settings.json"), sign: .list(["hooksConfig", "disabled"]),
        words: "hooksConfig.disabled names hooks"),
      // Older versions.
      HookSwitch(
        place: .project(".gemini/settings.json"), sign: .flag(["tools", "enableHooks"], false),
        words: "tools.enableHooks is false"),
      HookSwitch(
        place: .project(".gemini/settings.json"), sign: .list(["hooks", "disabled"]),
        words: "hooks.disabled names hooks"),
    ])
}
