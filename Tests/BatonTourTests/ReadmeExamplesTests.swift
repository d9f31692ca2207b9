import Foundation
import ProgramKit
import Testing

/// Pastes the examples of the README into terminals, in their order, as somebody does who has just cloned it.
@Suite struct ReadmeExamplesTests {
  private let server: RunningServer
  private let folder = URL(fileURLWithPath: freshPath())
  private let blocks: [Page.Block]

  init() throws {
    server = try RunningServer()
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
        terminal.type("\u{3}")
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
        if line.contains("baton handle") { #expect(terminal.sees("; Ctrl-C ends it"), "\(terminal.screen.text)") }
      }
    }
    #expect(terminals.count == 2 && shown >= 5)
    for terminal in terminals.values { terminal.send(SIGHUP) }
  }

  /// A line as it is printed, at whatever time it took.
  private static func pattern(of line: String) throws -> Regex<AnyRegexOutput> {
    try Regex("^" + NSRegularExpression.escapedPattern(for: line).replacing(/[0-9.\\]+ ms/, with: "[0-9.]+ m?s") + "$")
  }

  @Test func netcatIsEnough() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #if os(Linux)
      let netcat = Netcat.openBSD
    #else
      let netcat = Netcat.ncat
    #endif
    try netcat.require()
    let block = try #require(blocks.first { $0.heading == "Three lines of netcat" })
    let lines = block.lines.map { netcat.command($0, port: server.port) }
    let listener = try server.peer(saying: #"{"op":"subscribe","topics":["$baton.link.inserted"]}"#)
    let handler = try Program(shell: "cd '\(folder.path)'\n\(lines[..<2].joined(separator: "\n"))\nwait")
    #expect(listener.line()?.contains(#""handler":"echo""#) == true)
    let sender = try Program(shell: lines[2])
    let shown = String(lines[3].dropFirst(2)).replacing(#""walk":4"#, with: #""walk":1"#)
    #expect(sender.line() == shown)
    withExtendedLifetime(handler) {}
  }
}
