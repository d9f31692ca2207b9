import Foundation
import ProgramKit
import Testing

/// What `baton handle` tells a person, and a name that is taken.
@Suite struct HandleTerminalTests {
  private let server: RunningServer

  init() throws { server = try RunningServer() }

  private func handler(_ arguments: String..., columns: Int = 100) throws -> TerminalProgram {
    let terminal = try TerminalProgram(
      ["handle", "--server", server.address] + arguments, columns: columns, rows: 24)
    #expect(terminal.sees("baton: connected to"))
    return terminal
  }

  @Test func thePlaceAndALineForEachMessage() throws {
    let first = try server.peer(saying: #"{"op":"insert","handler":"first"}"#)
    let script = #"read x; case $x in 1) echo '"one"';; 2) exit 10;; 3) echo no >&2; exit 11;; *) exit 4;; esac"#
    let terminal = try handler("door.*", "a", "--name", "h", "--at", "front", "--", "sh", "-c", script)
    #expect(terminal.screen.lines.contains("baton: h is link 1 of 2 in main, for door.* a; Ctrl-C ends it"))
    let time = #"\d\d:\d\d:\d\d\.\d\d\d"#
    let wanted = [
      #"a  1  handled  "one""#, "a  2  continue", "a  3  reject  no",
      "a  4  failed  the program ended with exit code 4",
    ]
    let sender = try server.peer()
    for (number, line) in wanted.enumerated() {
      sender.say(#"{"op":"send","topic":"a","payload":\#(number + 1)}"#)
      #expect(terminal.sees(line))
      let pattern = try Regex("^\(time)  \(NSRegularExpression.escapedPattern(for: line))  [0-9.]+ m?s$")
      #expect(terminal.screen.lines.contains { $0.contains(pattern) }, "\(line): \(terminal.screen.text)")
    }
    #expect(terminal.screen.faults == [])
    terminal.send(SIGTERM)
    #expect(terminal.wait() == 0)
    withExtendedLifetime(first) {}
  }

  @Test func aLineIsAsWideAsTheTerminal() throws {
    let terminal = try handler(">", "--name", "h", "--reply", String(repeating: "y", count: 200), columns: 70)
    let text = String(repeating: "x", count: 200)
    _ = try server.send("a.b", #""\u202e\u009b\#(text)""#)
    #expect(terminal.sees("handled"))
    let line = try #require(terminal.screen.lines.first { $0.contains("handled") })
    #expect(line.count <= 70 && line.contains("x…  handled  \"yyy") && line.contains("y…  "), "\(line)")
    #expect(terminal.screen.faults == [])
  }

  @Test func whoFindsTheNameTakenIsToldWhatToDo() throws {
    let first = try server.handler(">", "--name", "h", "--reply", "1")
    let second = try server.run("handle", ">", "--chain", "main", "--name", "h", "--reply", "2")
    let said = second.remainingErrorLines()
    #expect(said.first?.hasSuffix("(name_taken)") == true)
    for option in ["--name h-2", "--replace", "--share", "baton chains"] {
      #expect(said.contains { $0.contains(option) }, "\(option)")
    }
    #expect(second.wait() == 1)
    let third = try server.handler(">", "--name", "h", "--reply", "3", "--replace")
    while let line = first.errorLine() {
      if line == "baton: h in main was replaced by h and stays away; baton chains main shows who serves there" { break }
    }
    #expect(first.wait() == 0)
    #expect(try server.send("t").contains(#""payload":3"#))
    withExtendedLifetime(third) {}
  }

  @Test func whoFindsNoServerIsToldOnceWhatToDo() throws {
    let handler = try Program(["handle", ">", "--name", "h", "--reply", "1", "--server", "unix:/nowhere/at/all"])
    #expect(handler.errorLine()?.hasPrefix("baton: not connected to unix /nowhere/at/all: ") == true)
    #expect(
      handler.errorLine() == "  it goes on trying; start a server with baton serve, or give its place with --server")
    // However often it tries, nothing more is told.
    handler.send(SIGTERM)
    #expect(handler.remainingErrorLines() == [])
    #expect(handler.wait() == 0)
  }

  /// What the configuration file decides is no reason to look for a server.
  @Test func whatTheFileDecidesIsToldWithoutThatAdvice() throws {
    let fake = try FakeServer()
    let handler = try Program(["handle", "t", "--name", "h", "--reply", "1", "--server", fake.place])
    let peer = fake.take()
    peer.answer(FakeServer.welcome)
    peer.answer(#""op":"ok","rank":0,"position":1,"links":1,"ignored":["accepts"]"#)
    var lines: [String] = []
    while lines.last?.contains("connected to") != true, let line = handler.errorLine() { lines.append(line) }
    #expect(lines.contains("baton: main/h: the configuration file decides accepts"))
    #expect(lines.allSatisfy { $0.hasPrefix("baton: ") }, "\(lines)")
    withExtendedLifetime((handler, peer)) {}
  }

  @Test func replaceIsAnInsertWhereThereIsNobody() throws {
    let handler = try server.handler(">", "--name", "h", "--reply", "3", "--replace")
    #expect(try server.send("t").contains(#""payload":3"#))
    withExtendedLifetime(handler) {}
  }
}
