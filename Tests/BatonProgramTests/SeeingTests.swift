import Foundation
import ProgramKit
import Testing

/// `baton stuck`, `connections`, `close` and `changes`: of a server that the test plays, and of the real one.
@Suite struct SeeingTests {
  private static let lists =
    #""op":"chains","chains":[],"messages":["#
    + #"{"walk":4,"topic":"door.open","chain":"main","handler":"porter","state":"offered","age_ms":42000,"from":"anna"},"#
    + #"{"walk":7,"topic":"door.open","chain":"main","state":"key","age_ms":900,"from":"eve","key":"k"}],"connections":["#
    + #"{"connection":3,"name":"anna","address":"127.0.0.1:5000","since_ms":61000,"links":1,"subscriptions":2,"#
    + #""open":4,"unsent_bytes":2097152,"missed":5,"paused":"unsent"},{"connection":8,"name":"bob","since_ms":5,"#
    + #""links":0,"subscriptions":0,"open":0,"unsent_bytes":0,"missed":0}],"closed":["#
    + #"{"connection":2,"name":"flood","reason":"too_slow","ago_ms":3000}],"changes":["#
    + #"{"what":"replaced","chain":"main","handler":"porter","as":"desk","version":4,"by":"anna","ago_ms":100},"#
    + #"{"what":"closed","connection":2,"name":"flood","by":"ann","ago_ms":3000},"#
    + #"{"what":"inserted","chain":"main","mount":"cellar","version":3,"by":"anna","ago_ms":7500000}]"#

  private func show(_ arguments: [String], columns: Int) throws -> [String] {
    let server = try FakeServer()
    let terminal = try TerminalProgram(arguments + ["--server", server.place], columns: columns, rows: 24)
    server.answer(Self.lists)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.faults == [])
    return terminal.screen.lines.filter { !$0.isEmpty }
  }

  private func table(_ arguments: String...) throws -> [String] {
    try show(arguments, columns: 160).map(\.squeezed)
  }

  private func fields(_ arguments: String...) throws -> [String] {
    let server = try FakeServer()
    let program = try Program(arguments + ["--server", server.place])
    server.answer(Self.lists)
    let lines = program.remainingLines()
    #expect(program.wait() == 0)
    return lines
  }

  @Test func stuck() throws {
    #expect(
      try table("stuck") == [
        " AGE WALK CHAIN LINK STATE TOPIC FROM KEY", " 42 s 4 main porter the handler has it door.open anna",
        "900 ms 7 main waits for its key door.open eve k",
      ])
    #expect(
      try fields("stuck") == [
        "age_ms\twalk\tchain\thandler\tstate\ttopic\tfrom\tkey",
        "42000\t4\tmain\tporter\toffered\tdoor.open\tanna\t", "900\t7\tmain\t\tkey\tdoor.open\teve\tk",
      ])
  }

  @Test func connections() throws {
    #expect(
      try table("connections") == [
        "NUMBER NAME ADDRESS FOR LINKS SUBS OPEN UNSENT MISSED PAUSED",
        " 3 anna 127.0.0.1:5000 1 min 1 2 4 2.0 MiB 5 unsent", " 8 bob 5 ms 0 0 0 0 B 0",
      ])
    #expect(
      try fields("connections").dropFirst() == [
        "3\tanna\t127.0.0.1:5000\t61000\t1\t2\t4\t2097152\t5\tunsent", "8\tbob\t\t5\t0\t0\t0\t0\t0\t",
      ])
  }

  @Test func closedConnections() throws {
    #expect(try table("connections", "--closed") == [" AGO NUMBER NAME REASON", "3.0 s 2 flood too_slow"])
    #expect(
      try fields("connections", "--closed") == ["ago_ms\tconnection\tname\treason", "3000\t2\tflood\ttoo_slow"])
  }

  @Test func changes() throws {
    #expect(
      try table("changes") == [
        " AGO CHAIN LINK WHAT BY VERSION", " 100 ms main porter replaced, now desk anna 4",
        " 3.0 s connection 2 (flood) closed ann", "2 h 05 min main → cellar inserted anna 3",
      ])
    #expect(
      try fields("changes").dropFirst() == [
        "100\treplaced\tmain\tporter\tdesk\t4\t\t\tanna", "3000\tclosed\t\t\t\t\t2\tflood\tann",
        "7500000\tinserted\tmain\tcellar\t\t3\t\t\tanna",
      ])
  }

  @Test(arguments: [["stuck"], ["connections"], ["connections", "--closed"], ["changes"]], [40, 80])
  func narrowTerminals(_ arguments: [String], columns: Int) throws {
    #expect(try show(arguments, columns: columns).count > 1)
  }

  @Test(arguments: ["stuck", "connections", "changes"])
  func jsonIsTheServersLine(_ command: String) throws {
    #expect(try fields(command, "--json").first?.hasPrefix("{" + Self.lists) == true)
  }

  @Test(arguments: [
    ("stuck", "No message is under way."), ("changes", "Nothing has changed since the server was started."),
  ])
  func nothingToShow(_ command: String, words: String) throws {
    let server = try FakeServer()
    let terminal = try TerminalProgram([command, "--server", server.place], columns: 80, rows: 24)
    server.answer(#""op":"chains","chains":[],"messages":[],"changes":[]"#)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.first == words)
  }

  // MARK: The real server

  @Test func aMessageThatHangsIsFound() throws {
    let server = try RunningServer()
    let porter = try server.peer(saying: #"{"op":"insert","handler":"porter"}"#)
    let sender = try server.peer(saying: #"{"op":"hello","name":"anna"}"#)
    sender.say(#"{"op":"send","topic":"door.open","key":"k"}"#)
    _ = porter.line()
    sender.say(#"{"op":"send","topic":"door.shut","key":"k"}"#)
    #expect(sender.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    let program = try server.run("stuck")
    #expect(program.line()?.hasPrefix("age_ms\t") == true)
    let lines = program.remainingLines().map { $0.replacing(/^\d+/, with: "*") }
    #expect(
      lines == ["*\t1\tmain\tporter\toffered\tdoor.open\tanna\tk", "*\t2\tmain\t\tkey\tdoor.shut\tanna\tk"])
    let other = try server.run("stuck", "--chain", "other")
    #expect(other.remainingLines().count == 1)
  }

  /// Nothing is sent, so no server is needed.
  @Test(arguments: [
    (["close", "0"], "<connection> is the number of a connection, from 1"), (["close", "--", "-1"], "<connection> is"),
    (["close", "x"], "<connection>"), (["send", "a", "--timeout", "0"], "--timeout <time>': the least time is 1ms"),
    (["broadcast", "a", "--via", "b", "--timeout", "0.1ms"], "--timeout <time>': the least time is 1ms"),
    (["handle", "a", "--window", "0", "--reply", "1"], "--window must be a number from 1 to 65536"),
    (["handle", "a", "--timeout", "0", "--reply", "1"], "--timeout <time>': the least time is 1ms"),
    (["mount", "a", "b", "--rank", "1e10"], "--rank must be a number from -1000000000 to 1000000000"),
  ])
  func aNumberThatCannotBeIsWrongUsage(arguments: [String], message: String) throws {
    let program = try Program(arguments)
    let first = program.remainingErrorLines().first ?? ""
    #expect(first.contains(message), "\(first)")
    #expect(program.wait() == 64)
  }

  @Test func aConnectionIsClosedAndThatIsSeen() throws {
    let server = try RunningServer()
    let flood = try server.peer(saying: #"{"op":"hello","name":"flood"}"#, #"{"op":"insert","handler":"h"}"#)
    let seen = try server.run("connections")
    #expect(seen.line()?.hasPrefix("connection\t") == true)
    let line = try #require(seen.remainingLines().first { $0.contains("\tflood\t") })
    let number = String(line.prefix { $0 != "\t" })
    let terminal = try server.show("close", number, columns: 120)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.first == "connection \(number) is closed")
    #expect(terminal.screen.text.contains("come back: libraries connect again after five seconds"))
    #expect(flood.line()?.contains(#""code":"closed_by_peer""#) == true)
    #expect(flood.line() == nil)
    let again = try server.run("close", number)
    #expect(
      again.errorLine()
        == "baton: there is no connection \(number); baton connections shows those that there are (no_such_connection)")
    #expect(again.wait() == 1)
    let closed = try server.run("connections", "--closed")
    #expect(closed.remainingLines().contains { $0.contains("\t\(number)\tflood\t") })
    let changes = try server.run("changes").remainingLines()
    #expect(changes.contains { $0.contains("\tclosed\t") && $0.hasSuffix("\t\(number)\tflood\tcli") })
    #expect(changes.contains { $0.contains("\tinserted\tmain\th\t") })
  }
}
