import Foundation
import ProgramKit
import Testing

/// `baton send` in a pipe: the payload, the exit code, and the messages.
@Suite struct SendTests {
  private let server: RunningServer
  private let porter: Peer

  init() throws {
    server = try RunningServer()
    porter = try server.peer(saying: #"{"op":"insert","handler":"porter","accepts":["door.*"],"on_failure":"stop"}"#)
  }

  /// Sends, has the porter answer, and returns the offer, which is the first or the second one.
  private func offer(_ program: Program, answer: String) throws -> String {
    let offer = try #require(porter.line(), "\(program.remainingErrorLines())")
    porter.say(#"{"id":\#(offer.hasPrefix(#"{"op":"offer","id":1,"#) ? 1 : 2),\#(answer.dropFirst())"#)
    return offer
  }

  @Test(
    arguments: [
      (#"{"op":"handled","payload":{"a": 1.50}}"#, 0, [#"{"a": 1.50}"#], nil),
      (#"{"op":"handled"}"#, 0, [], nil),
      (#"{"op":"continue"}"#, 10, [], #"baton: unhandled \(1 hop, .*\)\n  main/porter passed it on"#),
      (
        #"{"op":"continue","payload":"new"}"#, 10, [#""new""#],
        #"baton: unhandled: "new" \(1 hop, .*\)\n  main/porter passed it on, with another payload"#
      ),
      (
        #"{"op":"reject","message":"no\u001b[2J","code":7}"#, 11, [],
        #"baton: rejected by porter: no\\u\{1B\}\[2J, code 7 \(1 hop, .*\)"#
      ),
      (#"{"op":"failed","message":"stuck"}"#, 12, [], #"baton: failed by porter: failed, stuck \(1 hop, .*\)"#),
    ] as [(String, Int32, [String], String?)])
  func tellsWhatBecameOfIt(_ answer: String, code: Int32, data: [String], talk: String?) throws {
    let program = try server.run("send", "door.open", "3")
    #expect(try offer(program, answer: answer).contains(#""topic":"door.open","payload":3,"#))
    #expect(program.remainingLines() == data)
    let said = program.remainingErrorLines()
    #expect(said.isEmpty == (talk == nil))
    if let talk { #expect(try said.joined(separator: "\n").wholeMatch(of: Regex(talk)) != nil, "\(said)") }
    #expect(program.wait() == code)
  }

  @Test func aDeadlineThatPassesIsExitCode4() throws {
    let program = try server.run("send", "door.open", "--timeout", "20ms")
    #expect(porter.line()?.contains(#""timeout_ms":20,"#) == true)
    #expect(program.errorLine()?.hasPrefix("baton: timeout waiting for porter (1 hop, ") == true)
    #expect(program.errorLine()?.hasPrefix("  main/porter gave no verdict within 2") == true)
    #expect(program.wait() == 4)
  }

  @Test(arguments: [
    ("Ann", #""Ann""#), (#"{"a": [1.0,"x"]}"#, #"{"a": [1.0,"x"]}"#), ("null", "null"), ("1 2", #""1 2""#),
    ("a\"b\\\n", #""a\"b\\\n""#), ("", #""""#), ("1,\"x\":2", #""1,\"x\":2""#), ("1\n2", #""1\n2""#),
    ("[1,\n 2]", "[1,  2]"),
  ])
  func anArgumentIsJSONOrText(_ argument: String, payload: String) throws {
    let program = try server.run("send", "door.open", argument, "--key", "k", "--meta", #"{"t":1}"#)
    let offer = try offer(program, answer: #"{"op":"handled"}"#)
    #expect(offer.contains(#""payload":\#(payload),"meta":{"t":1},"key":"k","#), "\(offer)")
    #expect(program.wait() == 0)
  }

  @Test(arguments: [("hello\n", #""hello""#), ("a\r\nb\r\n", #""a\r\nb""#), ("{\n\"a\": 1\n}\n", #"{ "a": 1 }"#)])
  func aFileAndStandardInputAreReadAlike(_ text: String, payload: String) throws {
    let path = freshPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let file = try server.run("send", "door.open", "@\(path)")
    #expect(try offer(file, answer: #"{"op":"handled"}"#).contains(#""payload":\#(payload),"#))
    #expect(file.wait() == 0)
    let typed = try Program(["send", "door.open", "-", "--server", server.address], hasInput: true)
    typed.type(text)
    typed.endInput()
    #expect(try offer(typed, answer: #"{"op":"handled"}"#).contains(#""payload":\#(payload),"#))
    #expect(typed.wait() == 0)
  }

  @Test func jsonIsTheWholeLine() throws {
    let program = try server.run("send", "door.open", "--json", "--trace")
    _ = try offer(program, answer: #"{"op":"reject","message":"no"}"#)
    let line = try #require(program.line())
    #expect(line.hasPrefix(#"{"op":"result","id":"#))
    #expect(line.contains(#""status":"rejected","by":"porter","message":"no""#))
    #expect(line.contains(#""trace":[{"chain":"main","handler":"porter","outcome":"reject""#))
    #expect(program.remainingErrorLines() == [])
    #expect(program.wait() == 11)
  }

  @Test func modesAndChains() throws {
    let all = try server.run("send", "door.open", "--mode", "all")
    _ = try offer(all, answer: #"{"op":"handled","payload":1}"#)
    #expect(all.remainingLines() == ["porter\t1"])
    #expect(all.wait() == 0)
    let notice = try server.run("send", "door.open", "--mode", "notify")
    #expect(porter.line()?.hasPrefix(#"{"op":"notice""#) == true)
    #expect(notice.remainingLines() == ["1"])
    #expect(notice.wait() == 0)
  }

  @Test func theTraceIsTalkInAPipe() throws {
    let program = try server.run("send", "door.open", "--trace")
    _ = try offer(program, answer: #"{"op":"handled","payload":1}"#)
    #expect(program.remainingLines() == ["1"])
    let said = program.remainingErrorLines()
    #expect(said.first?.hasPrefix("CHAIN  LINK") == true)
    #expect(said.dropFirst().first?.hasPrefix("main   porter  handled") == true)
    #expect(program.wait() == 0)
  }

  @Test(arguments: [
    (["door.open", "--chain", "mian"], "there is no chain \"mian\"; did you mean \"main\"?"),
    (["door.open", "--chain", "kitchen"], "there is no chain \"kitchen\": it has no link"),
    (["chat"], "  main/porter does not accept chat"),
  ])
  func whyNobodyWasAsked(_ arguments: [String], reason: String) throws {
    let program = try Program(["send"] + arguments + ["--server", server.address])
    #expect(program.errorLine()?.hasPrefix("baton: unhandled (0 hops, ") == true)
    #expect(program.remainingErrorLines() == [reason])
    #expect(program.wait() == 10)
  }

  @Test func whoNamesNoChainIsToldWhichThereAre() throws {
    let empty = try RunningServer()
    let first = try empty.run("send", "door.open")
    #expect(first.remainingErrorLines().last == "there is no chain \"main\": no chain has a link")
    let cook = try empty.peer(saying: #"{"op":"insert","chain":"kitchen","handler":"cook"}"#)
    let second = try empty.run("send", "door.open")
    #expect(second.remainingErrorLines().last == "there is no chain \"main\"; --chain names another: kitchen")
    withExtendedLifetime(cook) {}
  }

  /// The breaker is the reason, and not that the link does not accept the topic.
  @Test func anOpenBreakerIsTheReason() throws {
    let server = try RunningServer(set: ["breaker_offers": 1])
    let slow = try server.peer(saying: #"{"op":"insert","handler":"slow","timeout_ms":20}"#)
    let first = try server.run("send", "bb.x")
    #expect(first.errorLine()?.hasPrefix("baton: unhandled (1 hop, ") == true)
    #expect(first.errorLine()?.contains(/^  main\/slow gave no verdict within \d+ ms$/) == true)
    let second = try server.run("send", "bb.x")
    #expect(second.errorLine()?.hasPrefix("baton: unhandled (0 hops, ") == true)
    #expect(
      second.remainingErrorLines() == [
        "  main/slow was not asked: its breaker is open, because its offers timed out"
      ])
    withExtendedLifetime(slow) {}
  }

  @Test func whatAHandlerSaidReachesTheSender() throws {
    let words = try server.peer(saying: #"{"op":"insert","handler":"words","at":"front"}"#)
    let program = try server.run("send", "chat")
    _ = words.line()
    words.say(#"{"op":"failed","message":"no such\u001b file"}"#)
    #expect(program.errorLine()?.hasPrefix("baton: unhandled (1 hop, ") == true)
    #expect(
      program.remainingErrorLines() == [
        #"  main/words failed: no such\u{1B} file"#, "  main/porter does not accept chat",
      ])
    // Who gets an answer is told of failures on a terminal only.
    let terminal = try server.show("send", "door.open", columns: 80)
    _ = words.line()
    words.say(#"{"op":"failed","message":"again"}"#)
    _ = porter.line()
    porter.say(#"{"op":"handled","id":1}"#)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines[1] == "  main/words failed: again")
    // Its trace has told all: only who sends many messages without one is told where there is more.
    #expect(!terminal.screen.lines.contains { $0.contains("baton walks") })
    let many = try server.show("send", "door.open", "--count", "1", columns: 80)
    _ = words.line()
    words.say(#"{"op":"failed"}"#)
    _ = porter.line()
    porter.say(#"{"op":"handled","id":2}"#)
    #expect(many.wait() == 0)
    #expect(many.screen.lines[2] == "  baton walks 3 tells more")
  }

  @Test func aMessageThatWaitedForItsKeySaysSo() throws {
    let sender = try server.peer()
    sender.say(#"{"op":"send","topic":"door.open","key":"k"}"#)
    _ = porter.line()
    let program = try server.run("send", "door.open", "--key", "k", "--timeout", "20ms")
    #expect(program.errorLine()?.hasPrefix("baton: timeout (0 hops, ") == true)
    #expect(
      program.errorLine()?.contains(/^  it waited \d+ ms for the message before it that has the same key$/) == true)
    #expect(program.wait() == 4)
  }

  /// The reasons that a person is told come from the trace.
  @Test func jsonHasWhatThePersonIsTold() throws {
    let program = try server.run("send", "door.open", "--json")
    _ = try offer(program, answer: #"{"op":"continue"}"#)
    let line = try #require(program.line())
    #expect(line.contains(#""status":"unhandled","hops":1,"walk":1,"#), "\(line)")
    #expect(line.contains(#""trace":[{"chain":"main","handler":"porter","outcome":"continue","#), "\(line)")
    #expect(program.remainingErrorLines() == [])
  }

  @Test(
    arguments: [
      (["bad..topic"], 64, "Error: The value 'bad..topic' is invalid for '<topic>': it has an empty word at byte 4;"),
      (["$baton.x"], 64, "Error: The value '$baton.x' is invalid for '<topic>': it begins with $, which only"),
      (
        ["t", "--chain", "a b"], 64, "Error: The value 'a b' is invalid for '--chain <chain>': it contains a character"
      ),
      (["t", "--key", ""], 64, "Error: The value '' is invalid for '--key <key>': it must take 1 to 255 bytes"),
      (["t", "--mode", "notify", "--key", "k"], 64, "Error: --key cannot be used with --mode notify"),
      (["t", "--count", "0"], 64, "Error: --count must be a number from 1 to"),
      (["t", "-", "-n"], 64, "Error: with -n nothing is read; leave out -, or leave out -n"),
      (["t", "--lines", "-n"], 64, "Error: --lines reads standard input; leave out -n"),
      (["t", "--timeout", "soon"], 64, "Error: "), (["t", "--timeout", "0"], 64, "Error: "),
      (["t", "--timeot", "1"], 64, "Error: Unknown option '--timeot'. Did you mean '--timeout'?"),
      (["t", "@/nowhere/at/all"], 64, "Error: /nowhere/at/all cannot be read: No such file or directory"),
      (["t", "3", "--lines"], 64, "Error: with --lines standard input has the payloads; give none"),
    ] as [([String], Int32, String)])
  func whatIsWrongIsSaid(_ arguments: [String], code: Int32, line: String) throws {
    let program = try Program(["send"] + arguments + ["--server", server.address])
    #expect(program.errorLine()?.hasPrefix(line) == true)
    #expect(program.wait() == code)
  }

  @Test(arguments: [
    ["send", "t"], ["broadcast", "t"], ["subscribe", "t"], ["mount", "a", "b"], ["unmount", "a", "b"],
    ["remove", "h"], ["explain", "t"],
  ])
  func anUnreachableServerIsOneLineWithTheFix(_ arguments: [String]) throws {
    let program = try Program(arguments, environment: ["BATON_SERVER=unix:/nowhere/at/all"])
    let said = program.remainingErrorLines()
    #expect(said.count == 1)
    #expect(said.first?.hasPrefix("baton: no server can be reached at unix:/nowhere/at/all: ") == true)
    #expect(said.first?.contains("start one with baton serve") == true)
    #expect(program.wait() == 3)
  }

  /// It takes the connection, and then it hangs.
  @Test func aServerThatSaysNothingIsGivenUp() throws {
    let fake = try FakeServer()
    let programs = try [["send", "t", "--timeout", "1"], ["whoami"]].map { try Program($0 + ["--server", fake.place]) }
    let peers = programs.map { _ in fake.take() }
    for program in programs {
      #expect(program.errorLine()?.contains("no answer within 10.0 seconds") == true)
      #expect(program.wait() == 3)
    }
    #expect(peers.allSatisfy { $0.line()?.contains(#""op":"hello""#) == true })
  }

  @Test func aLineForPeople() throws {
    let terminal = try server.show("send", "door.open", "--trace", columns: 80)
    let offer = try #require(porter.line())
    #expect(offer.contains(#""from":"cli""#))
    // What a peer sends cannot change the terminal's colours.
    porter.say(#"{"op":"handled","id":1,"payload":"\#u{9B}31m"}"#)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.first?.hasPrefix(#"handled by porter: "\u{9B}31m" (1 hop, "#) == true)
    #expect(terminal.screen.lines.dropFirst().first?.hasPrefix("CHAIN  LINK    OUTCOME") == true)
    #expect(terminal.screen.faults == [])
    #expect(terminal.screen.hasStyles)
  }

  @Test func noColour() throws {
    let terminal = try server.show("send", "chat", columns: 80, environment: ["NO_COLOR=1"])
    #expect(terminal.wait() == 10)
    #expect(terminal.screen.lines.first?.hasPrefix("unhandled (0 hops, ") == true)
    #expect(!terminal.screen.hasStyles)
  }
}
