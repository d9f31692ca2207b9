import Foundation
import ProgramKit
import Testing

/// Plays what the page about encryption, tokens and rights says, as a reader does who pastes it into three terminals.
@Suite struct AccessTourTests {
  @Test func leadsToTokensAndRights() throws {
    let blocks = try Page.blocks(of: Page.text("Docs/security.md"))
    try #require(blocks.count == 3)
    let folder = URL(fileURLWithPath: freshPath())
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let port = try freePort()
    func terminal(_ lines: [String]) throws -> Program {
      let pasted = lines.joined(separator: "\n").replacing("22867", with: "\(port)")
      return try Program(shell: "cd '\(folder.path)'\nbaton() { '\(Program.path)' \"$@\"; }\n\(pasted)")
    }

    let server = try terminal(blocks[0].lines)
    while let line = server.line(), !line.hasPrefix("listening on tls") {}
    let handler = try terminal(blocks[1].lines)
    #expect(handler.line() == "baton: connected to tls localhost:\(port)")
    // Commands, and behind each of them what it prints.
    let shown = blocks[2].lines.filter { $0.hasPrefix("# ") && !$0.hasPrefix("# terminal") }.map { $0.dropFirst(2) }
    let sender = try terminal(blocks[2].lines)
    #expect(sender.remainingLines() == shown.map(String.init))
    withExtendedLifetime((server, handler)) {}
  }

  /// A port that was free a moment ago. The page names one, and another server may have that.
  private func freePort() throws -> Int {
    let server = try RunningServer()
    defer { _ = server.end() }
    return Int(server.port) ?? 0
  }
}
