import Foundation
import ProgramKit
import Testing

/// `baton send --lines`: many messages at a time, their results in order.
@Suite struct SendLinesTests {
  private let server: RunningServer
  private let handler: Peer

  init() throws {
    server = try RunningServer()
    handler = try server.peer(saying: #"{"op":"insert","handler":"h"}"#)
  }

  private func lines(_ arguments: String...) throws -> Program {
    try Program(["send", "t", "--lines", "--server", server.address] + arguments, hasInput: true)
  }

  @Test func sixtyFourAreUnderWayAndResultsComeInOrder() throws {
    let program = try lines()
    program.type((1...100).map { "\($0)\n" }.joined())
    program.endInput()
    for number in 1...64 { #expect(handler.line()?.contains(#""payload":\#(number),"#) == true) }
    // No further message is sent before the first has its result, even if the others have theirs.
    for number in (2...64).reversed() { handler.say(#"{"op":"handled","id":\#(number),"payload":\#(number * 10)}"#) }
    #expect(handler.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    handler.say(#"{"op":"handled","id":1,"payload":10}"#)
    for number in 65...100 {
      #expect(handler.line()?.contains(#""payload":\#(number),"#) == true)
      handler.say(#"{"op":"handled","id":\#(number),"payload":\#(number * 10)}"#)
    }
    #expect(program.remainingLines() == (1...100).map { "handled\th\t\($0 * 10)" })
    #expect(program.remainingErrorLines() == [])
    #expect(program.wait() == 0)
  }

  @Test func aResultIsPrintedWhileMoreIsTyped() throws {
    let program = try lines()
    for text in ["one", "two"] {
      program.type("\(text)\r\n")
      #expect(handler.line()?.contains(#""payload":"\#(text)""#) == true)
      handler.say(#"{"op":"handled"}"#)
      #expect(program.line() == "handled\th\t")
    }
    program.type("last")
    program.endInput()
    #expect(handler.line()?.contains(#""payload":"last""#) == true)
    handler.say(#"{"op":"handled"}"#)
    #expect(program.remainingLines() == ["handled\th\t"])
    #expect(program.wait() == 0)
  }

  @Test func theFirstThatWasNotHandledIsTheExitCode() throws {
    let program = try lines("--key", "k")
    program.type("1\n2\n3\n")
    program.endInput()
    for verdict in [#"{"op":"handled"}"#, #"{"op":"reject","message":"no"}"#, #"{"op":"continue"}"#] {
      #expect(handler.line() != nil)
      handler.say(verdict)
    }
    #expect(program.remainingLines() == ["handled\th\t", "rejected\th\t", "unhandled\t\t"])
    #expect(program.errorLine()?.hasPrefix("line 2: rejected by h: no (1 hop, ") == true)
    #expect(program.wait() == 11)
  }

  @Test func aLinkThatFailedIsToldWithItsLine() throws {
    let program = try lines()
    program.type("1\n")
    program.endInput()
    #expect(handler.line() != nil)
    handler.say(#"{"op":"failed","message":"no such file"}"#)
    #expect(program.remainingLines() == ["unhandled\t\t"])
    let said = program.remainingErrorLines()
    #expect(said.first?.hasPrefix("line 1: unhandled (1 hop, ") == true)
    #expect(said.first?.hasSuffix("; main/h failed: no such file") == true)
    #expect(said.count == 1)
    #expect(program.wait() == 10)
  }

  /// Only the server knows how many words a topic may have.
  @Test func refusedLinesAreAmongTheResults() throws {
    let topic = Array(repeating: "a", count: 100).joined(separator: ".")
    let program = try Program(["send", topic, "--lines", "--server", server.address, "--json"], hasInput: true)
    program.type("1\n2\n")
    program.endInput()
    for _ in 1...2 { #expect(program.line()?.hasPrefix(#"{"op":"error","code":"bad_topic","message":""#) == true) }
    #expect(program.wait() == 1)
  }

  @Test func aLineThatOnlyLooksLikeJSONIsRefusedAndTheOthersGoOn() throws {
    let program = try lines()
    program.type("{\"a\":}\n{\"a\":1}\n")
    program.endInput()
    #expect(handler.line()?.contains(#""payload":{"a":1}"#) == true)
    handler.say(#"{"op":"handled"}"#)
    #expect(program.remainingLines() == ["refused\t\t", "handled\th\t"])
    #expect(
      program.remainingErrorLines() == [
        "line 1: refused: it begins like JSON and is not: column 6: expected a value; mend it, or send it as text "
          + "with --text (bad_json)"
      ])
    #expect(program.wait() == 1)
    let text = try lines("--text")
    text.type("{\"a\":}\n")
    text.endInput()
    #expect(handler.line()?.contains(#""payload":"{\"a\":}""#) == true)
    handler.say(#"{"op":"handled"}"#)
    #expect(text.wait() == 0)
  }

  @Test func aLostServerEndsItWithoutWaitingForMoreInput() throws {
    let program = try lines()
    program.type("1\n2\n")
    #expect(handler.line() != nil)
    handler.say(#"{"op":"handled","id":1}"#)
    #expect(program.line() == "handled\th\t")
    #expect(handler.line() != nil)
    server.program.send(SIGKILL)
    #expect(program.errorLine() == "baton: 1 line has its result; more may have been carried out")
    #expect(program.errorLine()?.hasPrefix("baton: the connection was lost before the answer came: ") == true)
    #expect(program.wait() == 3)
  }

  @Test func progressIsShownToAPerson() throws {
    let terminal = try Terminal(columns: 80, rows: 24)
    let words = [Program.path, "send", "t", "--lines", "--server", server.address]
    let program = try Program(
      ["-c", "exec \"$@\" 2> \(terminal.name)", "sh"] + words, environment: ["TERM=xterm"], path: "/bin/sh",
      hasInput: true)
    program.type("1\n")
    program.endInput()
    #expect(handler.line() != nil)
    handler.say(#"{"op":"handled"}"#)
    #expect(program.wait() == 0)
    var shown = ""
    while !shown.hasSuffix("\r\n"), let part = terminal.readPart() { shown += String(decoding: part, as: UTF8.self) }
    #expect(shown == "\r\u{1B}[K1 message, 1 handled\r\u{1B}[K1 message, 1 handled\r\n")
  }
}
