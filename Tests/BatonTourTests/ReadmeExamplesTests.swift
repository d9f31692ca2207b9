import Foundation
import ProgramKit
import Testing

/// Pastes the examples of the README into terminals, in their order, as somebody does who has just cloned it.
@Suite struct ReadmeExamplesTests {
  private let server: RunningServer
  /// Hears of each handler that has come.
  private let listener: Peer
  private let folder = URL(fileURLWithPath: freshPath())
  private let blocks: [Page.Block]

  init() throws {
    server = try RunningServer()
    listener = try server.peer(saying: #"{"op":"subscribe","topics":["$baton.link.inserted"]}"#)
    blocks = try Page.blocks(of: Page.text("README.md"))
    let built = folder.appending(path: ".build/release")
    try FileManager.default.createDirectory(at: built, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: built.appending(path: "baton"), withDestinationURL: URL(fileURLWithPath: Program.path))
  }

  private func terminal() throws -> TerminalProgram {
    try TerminalProgram(
      shell: "cd '\(folder.path)'; PS1= exec sh -i", columns: 160, rows: 50,
      environment: ["BATON_SERVER=\(server.address)"])
  }

  @Test func thePageIsShort() throws {
    #expect(try Page.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 121)
  }

  @Test func theExamplesFollowEachOther() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var terminals: [Int: TerminalProgram] = [:]
    var (number, shown) = (0, 0)
    for line in blocks.filter({ Tour.contains($0) }).flatMap(\.lines) where !line.isEmpty {
      if let head = line.firstMatch(of: /^# terminal ([1-9])/) {
        number = try #require(Int(head.1))
        let terminal = try terminals[number] ?? terminal()
        terminals[number] = terminal
        guard line.contains("Ctrl-C") else { continue }
        let leaving = try server.peer(
          saying: #"{"op":"subscribe","topics":["$baton.link.removed","$baton.link.held"]}"#)
        terminal.type("\u{3}")
        // The server sees the end of a handler a moment later.
        #expect(leaving.line() != nil)
        // What a person would wait for: the shell takes commands again.
        terminal.type("echo ready-\(shown)-$((1))\n")
        #expect(terminal.sees("ready-\(shown)-1"))
        shown += 1
        continue
      }
      let terminal = try #require(terminals[number])
      if line.hasPrefix("# ") {
        let pattern = try Self.pattern(of: String(line.dropFirst(2)))
        #expect(terminal.sees { $0.lines.contains { $0.contains(pattern) } }, "\(line): \(terminal.screen.text)")
        shown += 1
      } else {
        terminal.type(line + "\n")
        // Whoever reads goes to the other terminal when the handler is there.
        if line.contains("baton handle") { #expect(listener.line() != nil) }
      }
    }
    #expect(terminals.count == 2 && shown >= 5)
    for terminal in terminals.values { terminal.send(SIGHUP) }
  }

  /// A line as it is printed, at whatever time it took.
  private static func pattern(of line: String) throws -> Regex<AnyRegexOutput> {
    let same = NSRegularExpression.escapedPattern(for: line).replacing(/[0-9.\\]+ ms/, with: "[0-9.]+ m?s")
    return try Regex("^" + same.replacing(/"walk":[0-9]+/, with: "\"walk\":[0-9]+") + "$")
  }
}
