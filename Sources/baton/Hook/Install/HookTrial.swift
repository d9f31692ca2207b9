#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Runs the command of the entry with questions that must be refused.
struct HookTrial {
  private let agent: HookAgent
  private let line: HookLine

  init(_ agent: HookAgent, _ line: HookLine) { (self.agent, self.line) = (agent, line) }

  var points: [HookPoint] {
    var away = line.text
    away.replace(line.program, with: line.program + "-that-is-not-there", maxReplacements: 1)
    let server = HookEntry.options(of: line)?.server ?? ""
    var lost = line.text
    lost.replace(server, with: "unix:/nowhere/baton.sock", maxReplacements: 1)
    return [
      point("a question that is no JSON", run(line.text, "no question")) { _ in nil },
      point("a tool that nobody knows", run(line.text, agent.canary)) { said in
        said.contains("Refused by ") ? nil : "no link has refused it: \(said)"
      },
      point("a program that is not there", run(away, agent.canary)) { _ in nil },
      point("a server that is not there", run(lost, agent.canary)) { _ in nil },
    ]
  }

  /// What a run of the command has said.
  private struct Ran {
    let code: Int32
    let output: String
    let errors: String
  }

  private func point(_ what: String, _ ran: Ran, _ more: (String) -> String?) -> HookPoint {
    guard isNo(ran) else { return HookPoint(sign: .bad, words: "\(what) is not refused (exit code \(ran.code))") }
    let said = ran.errors.isEmpty ? ran.output : ran.errors
    if let trouble = more(said.split(separator: "\n").first.map(String.init) ?? "") {
      return HookPoint(sign: .bad, words: "\(what): \(trouble)")
    }
    return HookPoint(sign: .good, words: "\(what) is refused")
  }

  /// Whether the agent takes it for a no.
  private func isNo(_ ran: Ran) -> Bool {
    switch agent.refusing {
    case .byCode: ran.code == 2 && ran.output.isEmpty && !ran.errors.isEmpty
    case .byJSON: ran.code == 2 || ran.code == 0 && ran.output.hasPrefix(agent.noBefore)
    }
  }

  private func run(_ command: String, _ question: String) -> Ran {
    var folder = Array("/tmp/baton-hook-XXXXXX".utf8CString)
    guard mkdtemp(&folder) != nil else { return Ran(code: -1, output: "", errors: "") }
    let path = String(decoding: folder.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for name in ["in", "out", "err"] { unlink("\(path)/\(name)") }
      rmdir(path)
    }
    guard let input = fopen("\(path)/in", "w") else { return Ran(code: -1, output: "", errors: "") }
    fputs(question + "\n", input)
    fclose(input)
    // The shell that reads the redirections is the one that an agent would start.
    let status = systemCall("{ \(command)\n} <\(path)/in >\(path)/out 2>\(path)/err")
    return Ran(
      code: status & 0x7F == 0 ? status >> 8 & 0xFF : 128, output: text("\(path)/out"), errors: text("\(path)/err"))
  }

  private func text(_ path: String) -> String {
    (try? SettingsFile(path))?.bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

private func systemCall(_ command: String) -> Int32 {
  guard let pipe = popen(command, "w") else { return -1 }
  return pclose(pipe)
}

extension HookAgent {
  /// A question about a tool that no agent has.
  var canary: String {
    switch form {
    case .claude:
      #"{"session_id":"check","cwd":"/","hook_event_name":"PreToolUse","tool_name":"baton-canary","tool_input":{},"tool_use_id":"check"}"#
    case .codex:
      #"{"session_id":"check","turn_id":"check","cwd":"/","hook_event_name":"PreToolUse","tool_name":"baton-canary","tool_input":{},"tool_use_id":"check"}"#
    case .cursor:
      #"{"conversation_id":"check","cursor_version":"check","cwd":"/","hook_event_name":"preToolUse","tool_name":"baton-canary","tool_input":{},"tool_use_id":"check"}"#
    case .copilot: #"{"sessionId":"check","timestamp":0,"cwd":"/","toolName":"baton-canary","toolArgs":"{}"}"#
    case .gemini:
      #"{"session_id":"check","cwd":"/","hook_event_name":"BeforeTool","timestamp":"","tool_name":"baton-canary","tool_input":{}}"#
    }
  }
}
