import Foundation
import ProgramKit
import Testing

/// A rolling restart: under load, each handler of a chain goes away and comes back, one after the other. No message is
/// lost, and the order of the links stays the same (contract, section 5).
@Suite struct RollingRestartTests {
  /// A handler that leaves in good order fails no message: messages pass its place while it is away.
  @Test func byLeavingAndComingBackWithTheRank() throws {
    let restart = try RollingRestart(.remove)
    try restart.run()
    for answers in restart.answers {
      #expect(answers.count >= 2 && answers == RollingRestart.names.filter(answers.contains), "\(answers)")
    }
    #expect(restart.repeated == 0)
    try restart.expectTheSameOrder()
  }

  /// The place of a handler that is killed is held: every message visits every link, and open offers are repeated.
  @Test func byBeingKilledWhileThePlaceIsHeld() throws {
    let restart = try RollingRestart(.kill)
    try restart.run()
    for answers in restart.answers { #expect(answers == RollingRestart.names) }
    #expect(restart.repeated >= RollingRestart.names.count)
    try restart.expectTheSameOrder()
  }
}

/// A sender that keeps messages of mode `all` under way, three links that answer each of them, and the restarts of
/// their handlers, one after the other. Everything happens in one thread, which waits for lines.
private final class RollingRestart {
  static let names = ["first", "second", "third"]
  private static let underWay = 64
  /// Results between two restarts, and after the last.
  private static let pause = 300

  private let server: RunningServer
  private let sender: Peer
  private let handlers: [RestartingHandler]
  private var sent = 0
  private var received: Set<Int> = []
  /// The handlers that answered each message, in order.
  private(set) var answers: [[String]] = []
  /// Results that tell of a repeated offer.
  private(set) var repeated = 0

  init(_ way: RestartingHandler.Way) throws {
    server = try RunningServer()
    sender = try server.peer()
    handlers = try Self.names.map { [place = server.place] in try RestartingHandler($0, way, at: place) }
  }

  func run() throws {
    var waiting = handlers[...]
    var end = Self.pause
    while received.count < sent || !waiting.isEmpty || received.count < end {
      if received.count >= end, handlers.allSatisfy(\.isServing), let next = waiting.popFirst() {
        next.restart()
        end = received.count + Self.pause
      }
      // While a handler restarts, the load goes on, however long that takes.
      let isRestarting = !waiting.isEmpty || !handlers.allSatisfy(\.isServing)
      while sent - received.count < Self.underWay, isRestarting || sent < end { send() }
      try #require(Peer.wait(for: [sender] + handlers.map(\.peer)), "nothing moves")
      for handler in handlers { try handler.carryOn() }
      for line in sender.linesAtHand() { try take(line) }
    }
  }

  /// The chain must have the same order now, and for the last message.
  func expectTheSameOrder() throws {
    #expect(answers.last == Self.names)
    let line = try #require(sender.ask(#"{"op":"inspect","id":0}"#))
    let places = line.matches(of: /"handler":"([a-z]+)","rank":([0-9.]+),"position":([0-9]+)/)
    #expect(places.map { "\($0.1) \($0.2) \($0.3)" } == ["first 1 1", "second 2 2", "third 3 3"])
  }

  private func send() {
    sent += 1
    sender.say(#"{"op":"send","id":\#(sent),"topic":"t","mode":"all","timeout_ms":600000}"#)
  }

  private func take(_ line: String) throws {
    let id = try #require(line.firstMatch(of: /"id":([0-9]+)/).flatMap { Int($0.1) })
    #expect(received.insert(id).inserted, "a second result: \(line)")
    #expect(line.contains(#""status":"handled""#), "\(line)")
    if line.contains(#""again":true"#) { repeated += 1 }
    answers.append(line.matches(of: /{"by":"([a-z]+)"}/).map { String($0.1) })
  }
}

/// A handler that handles everything, goes away when it is told to, and comes back on a new connection.
private final class RestartingHandler {
  /// How it goes.
  enum Way {
    /// It removes its link, answers what is open, closes, and comes back with its old rank.
    case remove
    /// It closes with an offer open, and comes back to the place that is held for it.
    case kill
  }

  private enum Phase {
    case serving, leaving, dying
  }

  private let name: String
  private let way: Way
  private let place: String
  private var rank = ""
  private var phase = Phase.serving
  private(set) var peer: Peer

  init(_ name: String, _ way: Way, at place: String) throws {
    self.name = name
    self.way = way
    self.place = place
    peer = try Peer(place)
    try insert()
  }

  var isServing: Bool { phase == .serving }

  func restart() {
    switch way {
    case .remove:
      phase = .leaving
      peer.say(#"{"op":"remove","id":"bye","handler":"\#(name)"}"#)
    case .kill: phase = .dying
    }
  }

  /// Answers its offers, and goes away when it has been told to.
  func carryOn() throws {
    for line in peer.linesAtHand() {
      if line.contains(#""id":"bye""#) {
        // Its offers came before this line, and were answered.
        #expect(line.hasPrefix(#"{"op":"ok""#), "\(line)")
        return try comeBack()
      }
      #expect(line.hasPrefix(#"{"op":"offer""#), "\(line)")
      if phase == .dying { return try comeBack() }
      let id = try #require(line.firstMatch(of: /"id":([0-9]+)/)).1
      peer.say(#"{"op":"handled","id":\#(id)}"#)
    }
  }

  private func comeBack() throws {
    peer = try Peer(place)
    try insert()
    phase = .serving
  }

  private func insert() throws {
    let settings = way == .kill ? #","hold_ms":600000"# : rank.isEmpty ? "" : #","rank":\#(rank)"#
    var reply: String
    repeat {
      // The server may read this before it has read the end of the old connection.
      reply = try #require(peer.ask(#"{"op":"insert","handler":"\#(name)"\#(settings)}"#))
    } while reply.contains(#""name_taken""#)
    rank = String(try #require(reply.firstMatch(of: /"rank":([0-9.]+)/), "\(reply)").1)
  }
}
