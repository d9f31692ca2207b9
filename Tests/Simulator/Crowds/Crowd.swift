import BatonCore
import DoorKit
import WorldKit

/// Many connections that want something at once, beside a sender and a handler that want little; turn by turn, as the loop
/// of the server goes. However many they are, one turn says no more than so much, and who wants little waits for few turns.
final class Crowd {
  static let heartbeats = 3000
  static let senders = 16
  static let messages = 1200
  /// The most connections that are told something in one turn, of those that have asked for nothing just now.
  private static let mostTold = 200
  /// The most lines that are said in one turn.
  private static let mostLines = 5500
  /// The most turns from a message to its result, and from a deadline to its result.
  private static let mostTurns = 4

  let driver: Driver
  private var luck: Generator
  private let fault: Fault?
  private var violation: Violation?
  private var turns = 0
  /// The connections of the crowd that want heartbeats.
  private var beating: Set<Int> = []
  private(set) var pings = 0
  private(set) var results = 0
  /// The one that wants little, the handler of its chain, and the one of the crowd's.
  private let modest: Int
  private let server: Int
  private let sink: Int
  /// The turn in which its latest message came, or was due; 0 if it waits for none.
  private var asked = 0
  private var dueAt: Instant?
  private var messageNumber = 0

  init(seed: UInt64, fault: Fault? = nil) {
    self.fault = fault
    luck = Generator(seed: seed)
    var settings = Settings()
    settings.hashSeed = seed
    if fault == .busyWithoutSum { settings.pieces.areLimited = false }
    driver = Driver(settings: settings)
    driver.settles = false
    (modest, server, sink) = (driver.open(), driver.open(), driver.open())
    say(#"{"op":"insert","chain":"little","handler":"h","window":1000,"reply":false}"#, server)
    say(#"{"op":"insert","chain":"silent","handler":"s","window":1000,"reply":false}"#, server)
    say(#"{"op":"insert","chain":"much","handler":"h","window":65536,"reply":false}"#, sink)
  }

  /// Returns the first thing that is wrong, or nil.
  func run() -> Violation? {
    turn()
    beat()
    if violation == nil { send() }
    return violation
  }

  // MARK: The crowd

  /// All want a heartbeat at the same time. Some of them do not answer.
  private func beat() {
    for _ in 0..<Self.heartbeats {
      let connection = driver.open()
      beating.insert(connection)
      say(#"{"op":"hello","heartbeat_ms":100,"reply":false}"#, connection)
      if beating.count.isMultiple(of: 50) { turn() }
    }
    while turn() {}
    // All have been silent since the same moment.
    for connection in beating { driver.receive(Array(#"{"op":"pong"}"#.utf8) + [10], from: connection) }
    while turn() {}
    driver.send(Array(#"{"op":"send","id":0,"topic":"t","chain":"silent","timeout_ms":100}"#.utf8) + [10], from: modest)
    dueAt = driver.now.advanced(milliseconds: 100)
    for _ in 0..<350 where violation == nil { pass() }
    if pings < Self.heartbeats * 2 { fail(.servedInTurns, "\(pings) pings in 350 ms") }
    beating = []
  }

  /// Each sends as many messages as it may have under way, at once.
  private func send() {
    let line = #"{"op":"send","id":1,"topic":"t","chain":"much"}"# + "\n"
    let lines = Array(String(repeating: line, count: Self.messages).utf8)
    for _ in 0..<Self.senders { driver.send(lines, from: driver.open()) }
    for _ in 0..<400 where violation == nil && results < Self.senders * Self.messages { pass() }
    if results < Self.senders * Self.messages { fail(.servedInTurns, "\(results) results of the crowd in 400 turns") }
  }

  // MARK: Turns

  /// A millisecond, one turn, what is written then, and one read of each connection.
  private func pass() {
    driver.pass(milliseconds: 1)
    if asked == 0, luck.chance(50) {
      messageNumber += 1
      asked = turns + 1
      driver.send(
        Array(#"{"op":"send","id":\#(messageNumber),"topic":"t","chain":"little"}"#.utf8) + [10], from: modest)
    }
    turn()
    if asked != 0, turns - asked > Self.mostTurns { fail(.servedInTurns, "a small message has no result in time") }
  }

  @discardableResult
  private func turn() -> Bool {
    turns += 1
    var isWorkLeft = driver.turn()
    if fault == .tickInOneGo { while driver.turn() {} }
    let told = collect()
    // Then each connection is read once. What it says may cost what is left of the turn.
    for connection in 0..<driver.count where driver.undelivered(from: connection) > 0 {
      driver.deliver(atMost: 64 << 10, from: connection)
    }
    let lines = told.lines + collect().lines
    if told.crowd > Self.mostTold { fail(.boundedTurns, "\(told.crowd) connections are told something in one turn") }
    if lines > Self.mostLines { fail(.boundedTurns, "\(lines) lines are said in one turn") }
    if fault == .tickInOneGo { isWorkLeft = false }
    return isWorkLeft
  }

  private func say(_ line: String, _ connection: Int) { driver.receive(Array(line.utf8) + [10], from: connection) }

  /// Everybody reads what there is. Returns how many lines there were, and how many of the crowd got some.
  private func collect() -> (lines: Int, crowd: Int) {
    var (lines, crowd) = (0, 0)
    while let connection = driver.nextChanged() {
      guard !driver.isClosed(connection) else { continue }
      let bytes = driver.takeAll(of: connection)
      if driver.wish(of: connection).ending != .open {
        beating.remove(connection)
        driver.close(connection)
      }
      guard !bytes.isEmpty else { continue }
      if beating.contains(connection) { crowd += 1 }
      for line in bytes.split(separator: 10) {
        lines += 1
        hear(line, connection)
      }
    }
    return (lines, crowd)
  }

  private func hear(_ bytes: ArraySlice<UInt8>, _ connection: Int) {
    if beating.contains(connection) {
      pings += 1
      if luck.chance(90) { driver.send(Array(#"{"op":"pong"}"#.utf8) + [10], from: connection) }
      return
    }
    if connection == modest { return hearResult(String(decoding: bytes, as: UTF8.self)) }
    guard connection == server || connection == sink else { return results += 1 }
    // {"op":"offer","id":17,…
    guard bytes.starts(with: Array(#"{"op":"offer","id":"#.utf8)) else { return }
    let id = bytes.dropFirst(19).prefix { $0 != UInt8(ascii: ",") }
    let isSilent = connection == server && String(decoding: bytes, as: UTF8.self).contains(#""chain":"silent""#)
    if !isSilent { driver.send(Array(#"{"op":"handled","id":"#.utf8) + id + Array("}\n".utf8), from: connection) }
  }

  private func hearResult(_ line: String) {
    if line.contains(#""status":"timeout""#), let due = dueAt {
      dueAt = nil
      let late = driver.now.milliseconds(since: due)
      // A turn takes a millisecond here.
      if late > Self.mostTurns { fail(.servedInTurns, "a deadline is told \(late) turns late") }
      if late < 0 { fail(.onTime, "a deadline is told \(-late) ms early") }
    } else if line.contains(#""status":"handled""#) {
      asked = 0
    }
  }

  private func fail(_ invariant: Invariant, _ detail: String) {
    if violation == nil { violation = Violation(invariant: invariant, detail: "in turn \(turns): \(detail)") }
  }
}
