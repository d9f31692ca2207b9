import Foundation
import ProgramKit
import Testing

/// How `baton subscribe` and `baton trace` show what comes: the time, as much as there is room for, and `--format`.
@Suite struct EventLinesTests {
  private let server: RunningServer
  private static let long = #"{"user":"ann","text":"\#(String(repeating: "x", count: 100))\u202e"}"#

  init() throws { server = try RunningServer() }

  /// Publishes when somebody has subscribed.
  private func publish(_ topic: String, _ payload: String) throws {
    let peer = try server.peer()
    while peer.ask(#"{"op":"broadcast","topic":"\#(topic)","payload":\#(payload)}"#) != #"{"op":"ok","delivered":1}"# {}
  }

  private func shown(_ arguments: String..., columns: Int) throws -> String {
    let terminal = try TerminalProgram(
      ["subscribe", "--server", server.address, "-n", "1"] + arguments, columns: columns, rows: 24)
    try publish("a.b", Self.long)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.faults == [])
    return terminal.screen.lines.filter { !$0.hasPrefix("subscribed") }.joined()
  }

  @Test func aPersonSeesTheTimeAndAsMuchAsThereIsRoomFor() throws {
    let line = try shown("a.*", columns: 60)
    #expect(line.contains(/^\d\d:\d\d:\d\d\.\d\d\d  a\.b  {"user":"ann","text":"x+…$/), "\(line)")
    #expect(line.count == 60)
  }

  @Test func fullShowsAllOfIt() throws {
    // The terminal breaks the line; no sign of the payload acts on it.
    let line = try shown("a.*", "--full", columns: 200)
    #expect(line.hasSuffix("x\\u202e\"}"), "\(line)")
    let format = try shown("a.*", "--full", "--format", "{payload.text}", columns: 200)
    #expect(format.hasSuffix("x\\u{202E}"), "\(format)")
  }

  @Test func aFormatOnATerminal() throws {
    let line = try shown("a.*", "--format", "{time} {topic} <{payload.user}> {payload.text}", columns: 60)
    #expect(line.contains(/^\d\d:\d\d:\d\d\.\d\d\d a\.b <ann> x+…$/), "\(line)")
  }

  @Test func aFormatInAPipe() throws {
    let program = try server.run(
      "subscribe", "a", "-n", "1", "--format",
      #"{{{topic}}}\t{payload.u.n}|{payload.list}|{payload.no}|{payload.s}|{time}"#)
    try publish("a", #"{"u":{"n":1.50},"list":[1, 2],"s":"x\ny\#u{9B}31m\#u{202E}"}"#)
    let line = try #require(program.line())
    let wanted = /^{a}\t1\.50\|\[1, 2\]\|\|x\\u{A}y\\u{9B}31m\\u{202E}\|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ$/
    #expect(line.contains(wanted), "\(line)")
    #expect(program.wait() == 0)
  }

  /// On a terminal, too, `--json` prints JSON that has the same value.
  @Test func jsonOnATerminal() throws {
    struct Line: Decodable { let payload: String }
    let payload = "\u{9B}31m\u{7F}\u{202E}é👨‍👩‍👧\u{E0041}"
    let terminal = try server.show("subscribe", "a", "-n", "1", "--json", columns: 400)
    try publish("a", "\"\(payload)\"")
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.faults == [])
    let line = try #require(terminal.screen.lines.last { $0.hasPrefix("{") })
    #expect(line.contains(#"\u009b31m\u007f\u202eé"#))
    let read = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
    #expect(Array(read.payload.unicodeScalars) == Array(payload.unicodeScalars))
  }

  @Test func aFormatForTraces() throws {
    let program = try server.run("trace", "-n", "1", "--format", "{walk} {topic} {status} {by}.")
    let sender = try server.peer()
    // No line comes before the trace is subscribed to.
    while program.isRunning { _ = sender.ask(#"{"op":"send","topic":"a.b"}"#) }
    #expect(program.line()?.contains(/^\d+ a\.b unhandled \.$/) == true)
    #expect(program.wait() == 0)
  }

  @Test func aFullTraceIsNotShortened() throws {
    let topic = String(repeating: "long", count: 25) + ".end"
    let terminal = try server.show("trace", "-n", "1", "--full", columns: 200)
    #expect(terminal.sees("STATUS"))
    _ = try server.peer().ask(#"{"op":"send","topic":"\#(topic)"}"#)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.joined().contains(topic))
  }

  @Test(arguments: [
    (["subscribe", "a", "--format", "{topc}"], "Error: --format: there is no {topc}; did you mean {topic}?"),
    (["subscribe", "a", "--format", "{topic"], "Error: --format: a { has no }; "),
    (["trace", "--format", "{zzzzz}"], "Error: --format: there is no {zzzzz}; there are {time} {walk} "),
    (["subscribe", "a..b"], "Error: The value 'a..b' is invalid for '<patterns>': it has an empty word at byte 2;"),
  ])
  func whatIsWrongIsSaidBeforeTheServerIsAsked(_ arguments: [String], line: String) throws {
    let program = try Program(arguments + ["--server", "unix:/nowhere"])
    #expect(program.errorLine()?.hasPrefix(line) == true)
    #expect(program.wait() == 64)
  }
}
