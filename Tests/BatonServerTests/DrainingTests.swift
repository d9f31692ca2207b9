import Foundation
import ProgramKit
import Testing

/// SIGTERM to the real program in the middle of its work: every message that it took in gets its result (contract,
/// section 8, `draining`).
@Suite struct DrainingTests {
  /// The world has a gate that has answered nothing yet, and a place behind it that is held until its handler comes
  /// back. It has a sender that reads at once, one that reads last, and one that does not stop sending.
  @Test func everyMessageTakenInHasItsResult() throws {
    let server = try RunningServer(at: ["unix:"], set: ["linger_ms": 1])
    let (program, place) = (server.program, server.place)
    let gate = try Peer(place)
    try insert("gate", #","window":4096"#, over: gate)
    var lost: Peer? = try Peer(place)
    try insert("back", #","hold_ms":600000"#, over: try #require(lost))
    lost = nil
    let returning = try Peer(place)
    let (quick, slow) = (try Peer(place), try Peer(place))
    for sender in [quick, slow] {
      for id in 1...messages { sender.say(#"{"op":"send","id":\#(id),"topic":"t","timeout_ms":600000}"#) }
    }
    for _ in 0..<(2 * messages) { #expect(gate.line()?.hasPrefix(#"{"op":"offer""#) == true) }
    let busy = try BusySender(place)
    try busy.sendUntilRefused { program.send(SIGTERM) }

    #expect(gate.line()?.hasPrefix(#"{"op":"draining""#) == true)
    for id in 1...2 * messages { gate.say(#"{"op":"continue","id":\#(id)}"#) }
    #expect(returning.line()?.hasPrefix(#"{"op":"draining""#) == true)
    try insert("back", #","hold_ms":600000"#, over: returning)
    let payload = String(repeating: "x", count: 20_000)
    for id in 1...2 * messages {
      #expect(returning.line()?.hasPrefix(#"{"op":"offer""#) == true)
      returning.say(#"{"op":"handled","id":\#(id),"payload":"\#(payload)"}"#)
    }
    for sender in [quick, slow] {
      #expect(sender.line()?.hasPrefix(#"{"op":"draining""#) == true)
      var ids = Set<Int>()
      for _ in 1...messages {
        let result = try #require(sender.line())
        #expect(result.contains(#""status":"handled","by":"back""#), "\(result)")
        ids.insert(try idOf(result))
      }
      #expect(ids.count == messages)
      #expect(sender.line() == nil)
    }
    #expect(program.wait() == 0)
  }

  private let messages = 300

  /// An offer without a verdict, a message that waits for its key, one that waits for a held place, and a peer that
  /// reads nothing: at the deadline they all end.
  @Test func whatIsOpenAtTheDeadlineEnds() throws {
    let server = try RunningServer(at: ["unix:"], set: ["drain_ms": 300, "slow_ms": 300])
    let (program, place) = (server.program, server.place)
    let (gate, sender) = (try Peer(place), try Peer(place))
    try insert("gate", "", over: gate)
    var lost: Peer? = try Peer(place)
    try insert("lost", #","chain":"held","hold_ms":600000"#, over: try #require(lost))
    lost = nil
    let deaf = try floodedPeer(place, by: sender)
    for id in 1...2 {
      sender.say(#"{"op":"send","id":\#(id),"topic":"t","key":"k","timeout_ms":600000}"#)
    }
    sender.say(#"{"op":"send","id":3,"topic":"t","chain":"held","timeout_ms":600000}"#)
    #expect(gate.line()?.hasPrefix(#"{"op":"offer""#) == true)
    #expect(sender.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    program.send(SIGTERM)
    #expect(sender.line() == #"{"op":"draining","deadline_ms":300}"#)
    for _ in 1...3 { #expect(sender.line()?.contains(#""status":"timeout""#) == true) }
    #expect(sender.line() == nil)
    #expect(program.wait() == 0)
    withExtendedLifetime(deaf) {}
  }

  @Test func aSecondSignalEndsTheWorkAtOnce() throws {
    let server = try RunningServer(at: ["unix:"], set: ["drain_ms": 86_400_000])
    let (program, place) = (server.program, server.place)
    let (gate, sender) = (try Peer(place), try Peer(place))
    try insert("gate", "", over: gate)
    let deaf = try floodedPeer(place, by: sender)
    for id in 1...100 { sender.say(#"{"op":"send","id":\#(id),"topic":"t","timeout_ms":600000}"#) }
    #expect(sender.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    program.send(SIGTERM)
    #expect(sender.line()?.hasPrefix(#"{"op":"draining""#) == true)
    program.send(SIGINT)
    #expect(sender.line() == nil)
    #expect(program.wait() == 1)
    withExtendedLifetime(deaf) {}
  }

  /// A subscriber with more to read than the kernel keeps for it.
  private func floodedPeer(_ place: String, by sender: Peer) throws -> Peer {
    let peer = try Peer(place)
    #expect(peer.ask(#"{"op":"subscribe","topics":["flood"]}"#) == #"{"op":"ok"}"#)
    let payload = String(repeating: "x", count: 1 << 19)
    var reply: String?
    repeat {
      reply = sender.ask(#"{"op":"broadcast","topic":"flood","payload":"\#(payload)"}"#)
    } while reply == #"{"op":"ok","delivered":1}"#
    #expect(reply == #"{"op":"ok","delivered":0}"#)
    return peer
  }

  private func insert(_ name: String, _ members: String, over peer: Peer) throws {
    let reply = try #require(peer.ask(#"{"op":"insert","handler":"\#(name)"\#(members)}"#))
    #expect(reply.hasPrefix(#"{"op":"ok""#), "\(reply)")
  }
}

/// Keeps messages under way on a chain of its own, until the server refuses them.
private final class BusySender {
  private let handler: Peer
  private let sender: Peer
  private var sent = 0
  private var answered: Set<Int> = []
  private var isRefused = false

  private static let underWay = 16
  /// Results before the server is told to drain.
  private static let lead = 200

  init(_ place: String) throws {
    handler = try Peer(place)
    sender = try Peer(place)
    let reply = handler.ask(#"{"op":"insert","chain":"busy","handler":"busy"}"#)
    #expect(reply?.hasPrefix(#"{"op":"ok""#) == true)
  }

  /// Sends without a pause, and calls `end` in the middle of it. Returns when the server has refused what came after
  /// that and has given a result for everything else.
  func sendUntilRefused(end: () -> Void) throws {
    var hasEnded = false
    while !isRefused || answered.count < sent {
      while !isRefused, sent - answered.count < Self.underWay {
        sent += 1
        sender.say(#"{"op":"send","id":\#(sent),"chain":"busy","topic":"t","timeout_ms":600000}"#)
      }
      if !hasEnded, answered.count >= Self.lead {
        hasEnded = true
        end()
      }
      try #require(Peer.wait(for: [sender, handler]), "nothing moves")
      for line in handler.linesAtHand() where line.hasPrefix(#"{"op":"offer""#) {
        handler.say(#"{"op":"handled","id":\#(try idOf(line))}"#)
      }
      for line in sender.linesAtHand() where !line.hasPrefix(#"{"op":"draining""#) { try take(line) }
    }
  }

  private func take(_ line: String) throws {
    #expect(answered.insert(try idOf(line)).inserted, "a second answer: \(line)")
    let isRefusal = line.contains(#""code":"draining""#)
    if isRefusal { isRefused = true }
    #expect(isRefusal || line.contains(#""status":"handled""#), "\(line)")
  }
}

/// The id of a line that has one.
private func idOf(_ line: String) throws -> Int {
  try #require(line.firstMatch(of: /"id":([0-9]+)/).flatMap { Int($0.1) }, "\(line.prefix(200))")
}
