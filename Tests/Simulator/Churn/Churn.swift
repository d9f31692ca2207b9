import BatonCore
import DoorKit
import WorldKit

/// An hour in which thousands of connections come and go under traffic, with their links, replicas, held and required
/// places, mounts, keys and subscriptions. It checks little: every request gets one reply, every message one result,
/// and the numbers of offers count up. At the end nothing is left, and no table has grown past what its fullest moment
/// needed.
final class Churn {
  /// How long it is and how much comes and goes.
  struct Size {
    let connections: Int
    let milliseconds: Int

    /// An hour with 10,000 connections.
    static let hour = Size(connections: 10_000, milliseconds: 3_600_000)
    /// Long enough to find a planted fault.
    static let minutes = Size(connections: 600, milliseconds: 216_000)
  }

  /// Milliseconds from one turn to the next.
  private static let turn = 60
  /// What peers do in one turn.
  private static let actsPerTurn = 3
  /// Milliseconds within which every request is answered: no message takes longer.
  static let patience = 30_000

  let size: Size
  let driver: Driver
  var luck: Generator
  var maker = ChurnLines()
  var now: Instant { driver.now }
  /// The peers that are there, in no particular order.
  var peers: [ChurnPeer] = []
  /// The index in `peers` of each connection's peer; -1 once it is gone.
  var seats: [Int] = []
  var opened = 0
  var calls = 0
  var results = 0
  var events = 0
  var violation: Violation?
  /// The most elements that each table had after any turn.
  private(set) var peaks: [String: Int] = [:]
  /// The connection that removes what is left at the end, and what it has found.
  var sweeper: Int?
  var found: [(chain: String, name: String, isMount: Bool)] = []
  /// The most memory that the process had taken after a fifth of the time.
  private(set) var earlyMemory = 0
  /// The fault to plant, until it is planted.
  var fault: Fault?

  init(seed: UInt64, size: Size, fault: Fault? = nil) {
    self.size = size
    self.fault = fault
    luck = Generator(seed: seed)
    driver = Driver(settings: Self.settings(seed))
  }

  /// Limits that such peers meet now and then.
  private static func settings(_ seed: UInt64) -> Settings {
    var settings = Settings()
    settings.hashSeed = seed
    settings.offersUnsentBytes = 4 << 10
    settings.eventsUnsentBytes = 16 << 10
    settings.readingUnsentBytes = 32 << 10
    settings.maxUnsentBytes = 2 << 20
    settings.maxOpenMessages = 200
    settings.maxTotalBytes = 1 << 20
    settings.maxQueueMessages = 50
    settings.maxEmptyPlaces = 100
    settings.maxCachedTopics = 64
    settings.breakerMilliseconds = 2000
    return settings
  }

  /// Runs the hour. Returns the first thing that is wrong, or nil.
  func run() -> Violation? {
    var elapsed = 0
    while elapsed < size.milliseconds, violation == nil {
      elapsed += Self.turn
      pass(milliseconds: Self.turn)
      while opened * size.milliseconds < elapsed * size.connections { open() }
      for _ in 0..<Self.actsPerTurn where !peers.isEmpty { act(luck.below(peers.count)) }
      for seat in peers.indices.reversed() where seat < peers.count { mind(seat) }
      notePeaks()
      if elapsed * 5 <= size.milliseconds { earlyMemory = Memory.peakBytes }
    }
    if violation == nil { end() }
    return violation
  }

  func fail(_ invariant: Invariant, _ detail: @autoclosure () -> String) {
    if violation == nil {
      violation = Violation(invariant: invariant, detail: "at \(now.microseconds) µs: \(detail())")
    }
  }

  // MARK: Time

  func pass(milliseconds: Int) {
    driver.pass(milliseconds: milliseconds)
    if let due = driver.wakeAt, due <= now {
      driver.wake()
      collect()
    }
  }

  // MARK: Peers

  func open(isEager: Bool? = nil) {
    opened += 1
    let connection = driver.open()
    seats.append(peers.count)
    let stay = luck.chance(70) ? luck.between(1000...30_000) : luck.between(30_000...150_000)
    peers.append(
      ChurnPeer(connection: connection, leavesAt: now.advanced(milliseconds: stay), isEager: isEager, using: &luck))
    collect()
  }

  func close(_ seat: Int) {
    let connection = peers[seat].connection
    checkPatience(of: seat)
    seats[connection] = -1
    peers.swapAt(seat, peers.count - 1)
    peers.removeLast()
    if seat < peers.count { seats[peers[seat].connection] = seat }
    if fault == .churnCloseUntold, luck.chance(5) {
      fault = nil
      return driver.forget(connection)
    }
    driver.close(connection)
    collect()
  }

  /// A peer that leaves must have had replies to everything that it asked long before.
  private func checkPatience(of seat: Int) {
    guard let late = peers[seat].unanswered(since: now.advanced(milliseconds: -Self.patience)) else { return }
    fail(.oneReply, "request \(late) had no reply when its peer left")
  }

  /// The peer sends something new.
  private func act(_ seat: Int) {
    guard peers[seat].isRead, !peers[seat].isSilent else { return }
    var bytes: [UInt8] = []
    for _ in 0..<(luck.chance(80) ? 1 : luck.between(2...5)) {
      let line = maker.line(isHandler: peers[seat].isHandler, using: &luck)
      peers[seat].asked(line, at: now)
      bytes += line.bytes
    }
    say(bytes, seat)
  }

  func say(_ bytes: [UInt8], _ seat: Int) {
    driver.receive(bytes, from: peers[seat].connection)
    collect()
  }

  /// What the peer does by itself: it answers, reads, and leaves when its time has come.
  private func mind(_ seat: Int) {
    let connection = peers[seat].connection
    let verdicts = peers[seat].isRead && !peers[seat].isSilent ? peers[seat].takeDueVerdicts(at: now) : []
    if !verdicts.isEmpty { say(verdicts, seat) }
    guard let seat = self.seat(of: connection) else { return }
    if !peers[seat].isEager {
      read(seat)
      collect()
    }
    guard let seat = self.seat(of: connection) else { return }
    guard peers[seat].leavesAt <= now else { return }
    if peers[seat].isSilent || luck.chance(70) { return close(seat) }
    // It shuts down only its writing side: what it is owed still comes.
    guard peers[seat].isRead else { return }
    checkPatience(of: seat)
    peers[seat].isSilent = true
    peers[seat].leavesAt = now.advanced(milliseconds: 5000)
    driver.end(connection)
    collect()
  }

  /// The index of the connection's peer; nil once it is gone.
  func seat(of connection: Int) -> Int? { seats[connection] < 0 ? nil : seats[connection] }

  // MARK: Tables

  private func notePeaks() {
    for (name, count) in driver.census where count > peaks[name] ?? 0 { peaks[name] = count }
  }
}
