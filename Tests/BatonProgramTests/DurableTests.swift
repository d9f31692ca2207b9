import Foundation
import ProgramKit
import Testing

/// `baton send --durable`, at a server that the test plays (Docs/guarantees.md, "The server ends in order, or is
/// started anew").
@Suite struct DurableTests {
  private let fake: FakeServer

  init() throws { fake = try FakeServer() }

  private func send(_ more: String...) throws -> Program {
    try Program(
      ["send", "order.paid", "1", "--chain", "orders", "--durable", "--server", fake.place] + more)
  }

  /// A connection of the program, and its next request.
  private func begun() throws -> (peer: Peer, request: String, id: String) {
    let peer = fake.take()
    peer.answer(FakeServer.welcome)
    let request = try #require(peer.line())
    return (peer, request, String(try #require(request.firstMatch(of: /"id":(\d+)/)).1))
  }

  private static let dead =
    #""op":"result","status":"unhandled","hops":1,"walk":3,"stored":"s-1","try":2,"dead":true,"#
    + #""failures":[{"by":"bill","chain":"orders","cause":"failed","message":"no ink"}]"#

  @Test func itSaysAllThatTheOptionsSay() throws {
    let program = try send(
      "--accepted", "--once", "order-17", "--tries", "3", "--retry", "100ms", "--expires", "7d", "--delay", "2")
    let (peer, request, id) = try begun()
    #expect(
      request.contains(
        #""durable":true,"once":"order-17","tries":3,"retry_ms":100,"expires_ms":604800000,"delay_ms":2000"#))
    peer.say(#"{"op":"accepted","id":\#(id),"stored":"s-1","known":true}"#)
    #expect(program.remainingLines() == ["s-1"])
    #expect(program.wait() == 0)
  }

  @Test func aDeadLetterIsExitCode13() throws {
    let program = try send()
    let (peer, _, id) = try begun()
    peer.say(#"{"op":"accepted","id":\#(id),"stored":"s-1"}"#)
    peer.say("{\(Self.dead),\"id\":\(id)}")
    #expect(program.errorLine()?.hasPrefix("baton: dead as s-1: unhandled (1 hop, attempt 2, ") == true)
    #expect(program.errorLine() == "  orders/bill failed: no ink")
    #expect(program.wait() == 13)
  }

  @Test func jsonIsBothLines() throws {
    let program = try send("--json")
    let (peer, _, id) = try begun()
    let accepted = #"{"op":"accepted","id":\#(id),"stored":"s-1"}"#
    peer.say(accepted)
    peer.say("{\(Self.dead),\"id\":\(id)}")
    #expect(program.remainingLines() == [accepted, "{\(Self.dead),\"id\":\(id)}"])
    #expect(program.wait() == 13)
  }

  /// A person hears what a message waits for.
  @Test func aPersonHearsThatTriesDoNotCount() throws {
    let terminal = try TerminalProgram(
      ["send", "order.paid", "1", "--chain", "orders", "--durable", "--server", fake.place], columns: 200, rows: 10)
    let (peer, _, id) = try begun()
    peer.say(#"{"op":"accepted","id":\#(id),"stored":"s-1"}"#)
    #expect(terminal.sees("accepted as s-1; this waits for its end, and Ctrl-C leaves it to the server"))
    let answer = #""op":"stored","stored":"s-1","chain":"orders","state":"waiting","tries":0,"uncounted":true"#
    #expect(peer.answer(answer).contains(#""op":"stored","stored":"s-1""#))
    let told = "s-1 in orders: it waits for its next attempt; the last one did not count: no handler had it"
    #expect(terminal.sees(told))
    peer.say(#"{"op":"result","id":\#(id),"status":"handled","by":"bill","hops":1,"walk":3,"stored":"s-1","try":1}"#)
    #expect(terminal.sees("handled by bill"))
    #expect(terminal.wait() == 0)
  }

  @Test(arguments: ["no_store", "store_failed", "store_full", "not_declared"])
  func whatIsNotTakenInIsExitCode1(_ code: String) throws {
    let program = try send()
    let (peer, _, id) = try begun()
    peer.say(#"{"op":"error","id":\#(id),"code":"\#(code)","message":"why"}"#)
    #expect(program.errorLine() == "baton: why (\(code))")
    #expect(program.wait() == 1)
  }

  /// The connection is lost, and the server is asked again under the same name.
  @Test func itOutlivesConnections() throws {
    let program = try send()
    let (peer, first, id) = try begun()
    peer.say(#"{"op":"accepted","id":\#(id),"stored":"s-1"}"#)
    peer.end()
    let (next, again, number) = try begun()
    let once = try #require(first.firstMatch(of: /"once":"([^"]+)"/)?.1)
    #expect(again.contains("\"once\":\"\(once)\""))
    next.say(#"{"op":"accepted","id":\#(number),"stored":"s-1","known":true}"#)
    next.say(
      #"{"op":"result","id":\#(number),"status":"handled","by":"bill","payload":[1.50],"hops":1,"walk":1,"#
        + #""stored":"s-1","try":2}"#)
    #expect(program.line() == "[1.50]")
    #expect(program.errorLine()?.contains("not connected to") == true)
    #expect(program.errorLine()?.contains("connected to") == true)
    #expect(program.wait() == 0)
  }

  /// A server that drains takes nothing in. The message goes to the next one.
  @Test func itWaitsForTheServerBehindOneThatDrains() throws {
    let program = try send("--accepted")
    let (peer, first, id) = try begun()
    peer.say(#"{"op":"draining","deadline_ms":25000}"#)
    peer.say(#"{"op":"error","id":\#(id),"code":"draining","message":"why"}"#)
    peer.end()
    let (next, again, number) = try begun()
    let once = try #require(first.firstMatch(of: /"once":"([^"]+)"/)?.1)
    #expect(again.contains("\"once\":\"\(once)\""))
    next.say(#"{"op":"accepted","id":\#(number),"stored":"s-1"}"#)
    #expect(program.remainingLines() == ["s-1"])
    #expect(program.wait() == 0)
  }

  /// The server drains already when the program comes. That is told once.
  @Test func itWaitsBehindAServerThatDrainsAtTheBeginning() throws {
    let program = try send("--accepted")
    fake.turnAway()
    fake.turnAway()
    let (peer, _, id) = try begun()
    peer.say(#"{"op":"accepted","id":\#(id),"stored":"s-1"}"#)
    #expect(program.remainingLines() == ["s-1"])
    let told = program.remainingErrorLines()
    #expect(told.count == 2)
    #expect(told.first?.contains("not connected to tcp \(fake.place): why (draining); trying again since ") == true)
    #expect(told.last?.hasPrefix("baton: connected to tcp \(fake.place) after ") == true)
    #expect(program.wait() == 0)
  }

  @Test func anOrdinaryMessageDoesNotWaitForTheNextServer() throws {
    let program = try Program(["send", "order.paid", "1", "--server", fake.place])
    fake.turnAway()
    #expect(program.remainingErrorLines() == ["baton: why (draining)"])
    #expect(program.wait() == 1)
  }

  /// What ends the command is told once, also if it has to do with connections.
  @Test func whatEndsItAtTheBeginningIsToldOnce() throws {
    let program = try send()
    fake.turnAway(with: "too_many_connections")
    #expect(program.remainingErrorLines() == ["baton: why (too_many_connections)"])
    #expect(program.wait() == 1)
  }

  /// A real server drains, is gone, and comes back.
  @Test func itReachesTheServerThatComesNext() throws {
    let folder = freshPath()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = folder + "/baton.yaml"
    try "open: local\nchains: { orders: { links: [{ handler: bill }] } }\n"
      .write(toFile: file, atomically: true, encoding: .utf8)
    let server = try RunningServer(["--config", file, "--store", folder + "/store"], set: ["drain_ms": 60_000])
    let slow = try server.peer(saying: #"{"op":"insert","id":1,"handler":"slow"}"#)
    slow.say(#"{"op":"send","id":2,"topic":"t"}"#)
    #expect(slow.line()?.contains(#""op":"offer""#) == true)
    server.program.send(SIGTERM)
    #expect(slow.line()?.contains(#""op":"draining""#) == true)
    let program = try server.run("send", "order.paid", "1", "--chain", "orders", "--durable", "--accepted")
    #expect(program.errorLine()?.contains("(draining); trying again since ") == true)
    slow.say(#"{"op":"handled","id":1}"#)
    #expect(server.program.wait() == 0)
    try server.startAgain()
    #expect(program.line()?.contains("-") == true)
    #expect(program.errorLine()?.hasPrefix("baton: connected to ") == true)
    #expect(program.wait() == 0)
    #expect(server.end() == 0)
  }

  @Test func ctrlCLeavesWhatWasAccepted() throws {
    let program = try send("--json")
    let (peer, _, id) = try begun()
    peer.say(#"{"op":"accepted","id":\#(id),"stored":"s-1"}"#)
    _ = program.line()
    program.send(SIGINT)
    #expect(
      program.remainingErrorLines()
        == ["baton: the message was accepted and goes on, as s-1; where it is: baton stored s-1"])
    #expect(program.wait() == 130)
    #expect(peer.line() == nil)
  }

  @Test func ctrlCCancelsWhatWasNot() throws {
    let program = try send()
    let (peer, _, id) = try begun()
    program.send(SIGINT)
    #expect(peer.line()?.hasPrefix(#"{"op":"cancel","request":\#(id),"#) == true)
    peer.say(#"{"op":"result","id":\#(id),"status":"cancelled","hops":0,"walk":1}"#)
    #expect(program.errorLine() == "baton: cancelled before it was accepted")
    #expect(program.wait() == 130)
  }

  @Test(arguments: [
    (["send", "t", "--once", "x"], "--once is for durable messages; add --durable, or leave it out"),
    (["send", "t", "--durable", "--mode", "notify"], "--durable cannot be used with --mode notify"),
    (["send", "t", "--durable", "--lines", "--once", "x"], "--once names one message; leave it out with --lines"),
    (["send", "t", "--durable", "--delay", "2s", "--expires", "2s"], "--delay must be less than --expires"),
    (["dead", "resend", "--all"], "--all asks before it does something, and nobody can be asked here; add --yes"),
    (["dead", "discard"], "give the names of dead letters, or --all; baton dead list shows them"),
    (["dead", "discard", "a", "--all", "--yes"], "give names or --all, not both"),
    (["dead", "resend", "a", "b", "--payload", "1"], "--payload is for one dead letter; give its name"),
  ])
  func whatDoesNotFitIsSaid(_ arguments: [String], words: String) throws {
    let program = try Program(arguments)
    #expect(program.errorLine()?.hasPrefix("Error: \(words)") == true)
    #expect(program.wait() == 64)
  }
}
