import Foundation
import ProgramKit
import Testing

/// Ctrl-C in a program that sends messages.
@Suite struct InterruptTests {
  private let server: RunningServer
  private let porter: Peer

  init() throws {
    server = try RunningServer()
    porter = try server.peer(saying: #"{"op":"insert","handler":"porter"}"#)
  }

  private func isWithdrawn() -> Bool { porter.line()?.hasSuffix(#","why":"cancelled"}"#) == true }

  @Test func itCancelsAMessage() throws {
    let program = try server.run("send", "door.open")
    #expect(porter.line()?.hasPrefix(#"{"op":"offer""#) == true)
    program.send(SIGINT)
    #expect(isWithdrawn())
    #expect(program.errorLine()?.hasPrefix("baton: cancelled waiting for porter (1 hop, ") == true)
    #expect(program.remainingLines() == [])
    #expect(program.wait() == 130)
    let walks = try server.run("walks", "--status", "cancelled")
    #expect(walks.remainingLines().last?.contains(/\tmain\/porter had it for .* when it was cancelled$/) == true)
    let walk = try server.run("walks", "1")
    #expect(walk.remainingLines().last?.hasPrefix("hop\t1\tmain\tporter\tcancelled\t") == true)
  }

  @Test func aPersonIsToldWhereItStood() throws {
    let terminal = try server.show("send", "door.open", "--trace", columns: 100)
    _ = porter.line()
    terminal.type("\u{3}")
    #expect(isWithdrawn())
    #expect(terminal.wait() == 130)
    #expect(terminal.screen.lines.contains { $0.contains("cancelled waiting for porter (1 hop, ") })
    #expect(terminal.screen.lines.contains { $0.contains(/main +porter +cancelled/) })
  }

  @Test func jsonIsTheResult() throws {
    let program = try server.run("send", "door.open", "--json")
    _ = porter.line()
    program.send(SIGINT)
    #expect(program.line()?.contains(#""status":"cancelled","by":"porter","hops":1,"#) == true)
    #expect(program.remainingErrorLines() == [])
    #expect(program.wait() == 130)
  }

  @Test func aBroadcastOnItsWayIsNotPublished() throws {
    let program = try server.run("broadcast", "door.opened", "--via", "main")
    _ = porter.line()
    let watcher = try server.peer(saying: #"{"op":"subscribe","topics":["door.*"]}"#)
    program.send(SIGINT)
    #expect(isWithdrawn())
    #expect(program.wait() == 130)
    #expect(watcher.ask(#"{"op":"ping","id":1}"#) == #"{"op":"pong","id":1}"#)
  }

  @Test func allLinesThatAreUnderWayAreCancelled() throws {
    let program = try Program(["send", "t", "--lines", "--server", server.address], hasInput: true)
    program.type("1\n2\n3\n")
    _ = porter.line()
    porter.say(#"{"op":"handled","id":1,"payload":true}"#)
    #expect(program.line() == "handled\tporter\ttrue")
    _ = (porter.line(), porter.line())
    program.send(SIGINT)
    #expect(isWithdrawn())
    #expect(isWithdrawn())
    #expect(program.remainingLines() == ["cancelled\tporter\t", "cancelled\tporter\t"])
    #expect(program.wait() == 130)
  }

  @Test func withNothingUnderWayItEndsTheProgram() throws {
    let program = try Program(["send", "t", "--lines", "--server", server.address], hasInput: true)
    program.type("1\n")
    _ = porter.line()
    porter.say(#"{"op":"handled"}"#)
    #expect(program.line() == "handled\tporter\t")
    program.send(SIGINT)
    #expect(program.wait() == -SIGINT)
  }

  // MARK: A server that the test plays

  /// The next request of that op: its id.
  private func id(of op: String, from peer: Peer) throws -> String {
    let line = try #require(peer.line())
    #expect(line.contains("\"op\":\"\(op)\""), "\(line)")
    return String(try #require(line.firstMatch(of: /"id":(\d+)/)).1)
  }

  /// A program whose message is open, the connection, and the message's id.
  private func sending(_ options: String...) throws -> (Program, Peer, id: String) {
    let fake = try FakeServer()
    let program = try Program(["send", "t", "--json", "--server", fake.place] + options)
    let peer = fake.take()
    let hello = try id(of: "hello", from: peer)
    peer.say(
      #"{"op":"welcome","id":\#(hello),"server":"baton","version":"9.0.0","protocol":1,"connection":1,"max_line":1048576}"#
    )
    return (program, peer, try id(of: "send", from: peer))
  }

  @Test func aResultThatWasOnItsWayCounts() throws {
    let (program, peer, message) = try sending()
    program.send(SIGINT)
    let cancel = try id(of: "cancel", from: peer)
    peer.say(#"{"op":"result","id":\#(message),"status":"handled","by":"h","hops":1,"walk":1}"#)
    peer.say(#"{"op":"ok","id":\#(cancel),"cancelled":false}"#)
    #expect(program.line()?.contains(#""status":"handled""#) == true)
    #expect(program.wait() == 0)
  }

  @Test func aServerThatDoesNotAnswerIsNotWaitedForLong() throws {
    let (program, peer, _) = try sending()
    program.send(SIGINT)
    _ = try id(of: "cancel", from: peer)
    #expect(program.remainingErrorLines().last?.hasPrefix("baton: cancelled; the server has not answered") == true)
    #expect(program.wait() == 130)
  }

  @Test func theSecondOneEndsTheProgram() throws {
    let (program, peer, _) = try sending()
    program.send(SIGINT)
    _ = try id(of: "cancel", from: peer)
    program.send(SIGINT)
    #expect(program.wait() == -SIGINT)
  }

  @Test func withoutItTheDeadlineEndsTheProgram() throws {
    let (program, peer, message) = try sending("--timeout", "20ms")
    #expect(peer.line()?.contains("\"op\":\"cancel\",\"request\":\(message)") == true)
    #expect(program.remainingErrorLines() == [])
    #expect(program.line()?.contains("no answer came within") == true)
    #expect(program.wait() == 4)
  }
}
