import Foundation
import ProgramKit
import Testing

/// Where `baton send` and `baton broadcast` take their payload from, and how often they send it.
@Suite struct PayloadTests {
  private let server: RunningServer
  private let porter: Peer

  init() throws {
    server = try RunningServer()
    porter = try server.peer(saying: #"{"op":"insert","handler":"porter"}"#)
  }

  /// The next offer's payload as JSON; nil if it has none. The porter handles the message.
  private func payload(_ program: Program) throws -> String? {
    let offer = try #require(porter.line(), "\(program.remainingErrorLines())")
    porter.say(#"{"op":"handled"}"#)
    return offer.firstMatch(of: /"payload":(.*?),"timeout_ms"/).map { String($0.1) }
  }

  private func file(_ text: String) throws -> String {
    let path = freshPath()
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test(arguments: [("{\"a\": 1}\n", #"{"a": 1}"#), ("Ann\n", #""Ann""#), ("", nil)] as [(String, String?)])
  func whatIsPipedInIsThePayload(_ text: String, wanted: String?) throws {
    let program = try Program(["send", "t", "--server", server.address], hasInput: true)
    program.type(text)
    program.endInput()
    #expect(try payload(program) == wanted)
    #expect(program.remainingErrorLines() == [])
    #expect(program.wait() == 0)
    let path = try file(text)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let fromFile = try Program(["send", "t", "--server", server.address], inputFile: path)
    #expect(try payload(fromFile) == wanted)
    #expect(fromFile.wait() == 0)
  }

  @Test(arguments: [["-n"], ["--no-input"], ["7"]]) func nothingIsReadWhereItIsNotWanted(_ more: [String]) throws {
    let program = try Program(["send", "t", "--server", server.address] + more, hasInput: true)
    #expect(try payload(program) == (more == ["7"] ? "7" : nil))
    #expect(program.wait() == 0)
  }

  @Test func aTerminalAndNothingAreNoPayload() throws {
    #expect(try payload(server.run("send", "t")) == nil)
    let terminal = try server.show("send", "t", columns: 80)
    #expect(porter.line()?.contains("payload") == false)
    porter.say(#"{"op":"handled"}"#)
    #expect(terminal.wait() == 0)
  }

  @Test func aClosedInputIsNoPayload() throws {
    let words = [Program.path, "send", "t", "--server", server.address]
    let program = try Program(["-c", "exec \"$@\" <&-", "sh"] + words, path: "/bin/sh")
    #expect(try payload(program) == nil)
    #expect(program.wait() == 0)
  }

  @Test func whoWaitsForAPipeIsTold() throws {
    let program = try Program(["send", "t", "--server", server.address], hasInput: true)
    #expect(
      program.errorLine() == "baton: waiting for the payload on standard input; -n reads nothing from there")
    program.type("3")
    program.endInput()
    #expect(try payload(program) == "3")
    #expect(program.wait() == 0)
  }

  @Test func aBroadcastTakesItToo() throws {
    let listener = try server.peer(saying: #"{"op":"subscribe","topics":["t"]}"#)
    let program = try Program(["broadcast", "t", "--server", server.address], hasInput: true)
    program.type("3")
    program.endInput()
    #expect(program.wait() == 0)
    #expect(listener.line()?.contains(#""payload":3"#) == true)
  }

  // MARK: Text that looks like JSON

  @Test(arguments: [
    (#"{"a":1"#, "line 1, column 7: it ends before it is complete"),
    (#"{"a":1}}"#, "line 1, column 8: there is something behind the end of the value"),
    (#"{"a":1} x"#, "line 1, column 9: there is something behind the end of the value"),
    (#"{"a":1},"x":2"#, "line 1, column 8: there is something behind the end of the value"),
    ("{a: 1}", "line 1, column 2: expected a member's name in double quotes"),
    ("[1,2,]", "line 1, column 5: a comma must be followed by another entry"),
    (#""Ann"#, "line 1, column 5: it ends before it is complete"),
    (#""Ann" said"#, "line 1, column 7: there is something behind the end of the value"),
    ("{\n  \"ä\": tru\n}", "line 2, column 8: expected true, false or null"),
    ("\u{FEFF}{}", "line 1, column 1: a byte order mark (U+FEFF) stands before the value"),
    (" [", "line 1, column 3: it ends before it is complete"),
  ])
  func whatLooksLikeJSONAndIsNotIsRefused(_ text: String, place: String) throws {
    let program = try server.run("send", "t", text)
    #expect(
      program.remainingErrorLines() == [
        "Error: the payload begins like JSON and is not: \(place); mend it, or send it as text with --text"
      ])
    #expect(program.wait() == 64)
    let asText = try server.run("send", "t", text, "--text")
    #expect(try payload(asText)?.hasPrefix("\"") == true)
    #expect(asText.wait() == 0)
  }

  @Test func theFileIsNamed() throws {
    let path = try file("{\n")
    defer { try? FileManager.default.removeItem(atPath: path) }
    let program = try server.run("send", "t", "@\(path)")
    let place = "line 2, column 1: it ends before it is complete"
    #expect(program.errorLine()?.hasPrefix("Error: \(path) begins like JSON and is not: \(place); ") == true)
    #expect(program.wait() == 64)
    let meta = try server.run("send", "t", "--meta", "[")
    #expect(meta.errorLine()?.hasPrefix("Error: --meta begins like JSON and is not: line 1, column 2: ") == true)
    #expect(meta.wait() == 64)
    let reply = try server.run("handle", "t", "--name", "h", "--reply", "{")
    #expect(reply.errorLine()?.hasPrefix("Error: --reply begins like JSON and is not: ") == true)
    #expect(reply.wait() == 64)
  }

  @Test func withTextANumberIsText() throws {
    #expect(try payload(server.run("send", "t", "3", "--text")) == #""3""#)
  }

  // MARK: Many times

  @Test func soManyTimesOneAfterTheOther() throws {
    let program = try server.run("send", "t", "3", "--count", "3", "--interval", "1ms")
    #expect(try payload(program) == "3")
    #expect(program.line() == "handled\tporter\t")
    _ = porter.line()
    porter.say(#"{"op":"reject","message":"no"}"#)
    #expect(program.line() == "rejected\tporter\t")
    #expect(try payload(program) == "3")
    #expect(program.remainingLines() == ["handled\tporter\t"])
    let said = program.remainingErrorLines()
    #expect(said.count == 1 && said[0].hasPrefix("message 2: rejected by porter: no (1 hop, "), "\(said)")
    #expect(program.wait() == 11)
    let broadcast = try server.run("broadcast", "t", "--count", "2", "--json")
    #expect(broadcast.remainingLines().map { $0.contains(#""delivered":0"#) } == [true, true])
    #expect(broadcast.wait() == 0)
  }

  @Test func withoutACountItGoesOnUntilItIsEnded() throws {
    let program = try server.run("send", "t", "--interval", "1ms")
    for _ in 1...5 { #expect(try payload(program) == nil) }
    for _ in 1...5 { #expect(program.line() == "handled\tporter\t") }
    _ = porter.line()
    program.send(SIGINT)
    #expect(porter.line()?.hasSuffix(#","why":"cancelled"}"#) == true)
    #expect(program.line() == "cancelled\tporter\t")
    #expect(program.wait() == 130)
  }
}
