import ProgramKit
import Testing

/// What stands on a terminal that keeps to the standard.
@Suite(.enabled(if: Tmux.isInstalled)) struct TmuxTests {
  private let server: RunningServer

  init() throws { server = try RunningServer() }

  /// Nobody approves what was not shown.
  @Test(arguments: ["abcdefghij", "日本語", "⚡", "e\u{301}", "a\u{3164}", "👍🏽"])
  func aPersonSeesEveryLetter(letters: String) throws {
    let terminal = try Tmux([Program.path, "ask", "--server", server.address], columns: 60, rows: 30)
    #expect(terminal.sees("Nothing waits."))
    let text = String(repeating: letters, count: 100)
    let sender = try server.peer()
    sender.say(#"{"op":"send","id":1,"topic":"post.a","payload":"\#(text)"}"#)
    #expect(terminal.sees("a approve"))
    let shown = terminal.lines.compactMap { line in line.hasPrefix("│ ") ? String(line.dropFirst(2)) : nil }
    #expect(shown.joined() == "\"" + text.replacing("\u{3164}", with: #"\u{3164}"#) + "\"")
    terminal.press("q")
  }

  @Test func fullLinesKeepTheirLastLetter() throws {
    let peer = try server.peer(saying: #"{"op":"insert","handler":"porter"}"#)
    let columns = "baton 0.0.0".count
    let terminal = try Tmux([Program.path, "top", "--server", server.address], columns: columns, rows: 10)
    #expect(terminal.sees("q quit"))
    let (first, last) = (terminal.lines.first, terminal.lines.last)
    #expect(first?.count == columns && first?.last == "…", "\(first ?? "")")
    #expect(last?.count == columns && last?.last == "…", "\(last ?? "")")
    terminal.press("q")
    withExtendedLifetime(peer) {}
  }
}
