import ArgumentParser
import BatonClient

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The entry in an agent's settings: the command, and what stands beside it.
enum HookEntry {
  /// The entry's text.
  static func text(_ line: HookLine, wait: Int, closed: Bool, _ agent: HookAgent) -> String {
    agent.entry(Payload(text: line.text).json, (wait + 15_000) * agent.unitsPerSecond / 1000, closed)
  }

  /// The options that a command has.
  static func options(of line: HookLine) -> HookOptions? { try? HookOptions.parse(line.words) }

  /// Whether the agent on this machine knows how to be told to refuse where the hook cannot start. Asks Claude Code for its
  /// version.
  static func knowsClosing(_ agent: HookAgent) -> Bool {
    guard agent.form == .claude, let pipe = popen("claude --version </dev/null 2>/dev/null", "r") else { return false }
    defer { pclose(pipe) }
    var bytes = [CChar](repeating: 0, count: 200)
    guard fgets(&bytes, 200, pipe) != nil else { return false }
    let said = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return isNewEnough(said)
  }

  /// Whether `2.1.302 (Claude Code)` is a version from which it closes.
  static func isNewEnough(_ said: String) -> Bool {
    let parts = said.prefix { $0.isNumber || $0 == "." }.split(separator: ".").map { Int($0) ?? 0 }
    guard parts.count == 3 else { return false }
    return !parts.lexicographicallyPrecedes(HookAgent.claudeClosesFrom)
  }
}

/// Tells what is wrong, and ends the command.
func hookTrouble(_ words: String) -> ExitCode {
  talk("baton: \(words)")
  return .failure
}
