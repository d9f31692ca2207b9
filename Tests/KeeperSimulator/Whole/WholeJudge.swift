import BatonKeeper
import DoorKit

/// What peers have said and heard and what came to the disk, through all lives of the server; and whether the promises
/// hold. It sees the server from outside alone (Clients/GUARANTEES.md, "The server dies").
final class WholeJudge {
  /// What a payload stands for: each message has a number of its own as its payload.
  struct Sent {
    var chain: String
    var topic: String
    var key: String?
    var identity = ""
    var isDurable = true
    var isDelayed = false
    var once: String?
    var rules = TryRules(tries: 1, retryMilliseconds: 1, timeoutMilliseconds: 1, expiresMilliseconds: 1)
  }

  /// A line that has an answer. Its id is its place among all of them.
  struct Request {
    enum Kind { case durable, ordinary, resend, discard, insert, remove, other }
    var kind: Kind
    var peer: Int
    var mark = 0
    /// What the line names.
    var stored: String?
    var place: Place?
    var accepted: String?
    var isOver = false
    /// Whether nobody is there to hear of it.
    var isExcused = false
    var saidAt = 0
    /// Whether a message was stored for it.
    var hasRow = false
  }

  /// A stored message, by what the store was given of it.
  struct Message {
    enum End { case ended, dead, left, refused, never }
    let row: UInt64
    let mark: Int
    let sent: Sent
    /// The request that it came with: these are numbered in their order.
    let order: Int
    var isResent = false
    /// Whether somebody was told that it was taken in, and not that it was known.
    var isAccepted = false
    let begunAt: Int
    var tries: UInt32
    var triesOnDisk: UInt32 = 0
    /// Whether the mark of a try was given to the store, and its end was not.
    var isOpen = false
    var isMarkOnDisk = false
    var markStep = 0
    /// When the last try ended: it may be written later.
    var tryEndedAt = 0
    var notBefore = 0
    /// The walk of the open try, and those who had its offer.
    var walk: Int?
    var asked: Set<Place> = []
    /// Places that have let the walk go on.
    var left: Set<Place> = []
    var mustSayAgain = false
    /// The last try that had an end did not count, and a crash has cut off a later one.
    var forgetsResult = false
    var mayHaveBeenOffered = false
    /// What the store was given as its end, and what of that is on disk.
    var end: End?
    var endOnDisk: End?
    /// How its last try ended, as it was given and as it is on disk.
    var status: String?
    var statusOnDisk: String?
    var leftAt: Int?
    var isOnDisk = false
    var isTold = false

    /// No try is open any more, or a new one begins.
    mutating func forgetTry(isOpen: Bool = false, at step: Int = 0) {
      (self.isOpen, walk, asked, left) = (isOpen, nil, [], [])
      if isOpen { markStep = step }
    }

    /// The store was given its end.
    mutating func isOver(_ end: End, _ status: String?) { (self.end, self.status) = (end, status) }
  }

  var messages: [String: Message] = [:]
  /// The names of messages that have no end on disk.
  var alive: Set<String> = []
  var nameOfRow: [UInt64: String] = [:]
  var sent: [Int: Sent] = [:]
  var requests: [Request] = []
  var known: [String: String] = [:]
  /// Ordinary messages with a key that have no end, by their marks: their requests.
  var ordinary: [Int: Int] = [:]

  var file = WholeFile(chains: [])
  /// Steps of the world: since when the file is as it is, and since when places are served or empty.
  var step = 1
  var fileStep = 0
  /// The first request after the file was read last.
  var fileRequest = 0
  var servers: [Place: Set<Int>] = [:]
  var changeStep: [Place: Int] = [:]
  /// When a handler was lost last, perhaps with an offer that nobody has seen.
  var lossStep = 0
  var time: () -> Int = { 0 }
  var now: Int { time() }
  /// Walks above these numbers began after the server drained, or after a chain was taken out of the file.
  var drainedAt: Int?
  /// The deadline of draining.
  var drainEndsAt: Int?
  var isCuttingOff: Bool { drainEndsAt.map { $0 <= now } ?? false }
  var undeclaredAt: [String: Int] = [:]
  var hasBreakers = false
  var limits = (messages: 1_000_000, dead: 10_000, remembered: 3_600_000)
  /// Numbers of writes that the keeper does not know to be stored; and how many it gives once more.
  var untold: [UInt64] = []
  var repeats = 0
  /// What is on disk under this number.
  var row: (UInt64) -> MemoryStore.Row? = { _ in nil }
  var broken: Broken?
  var log: (String) -> Void = { _ in }
  /// What was reached, and how often.
  var reached: [String: Int] = [:]

  func reach(_ what: String) { reached[what, default: 0] += 1 }

  /// The first promise that is broken is the one that is told.
  func check(_ holds: Bool, _ promise: String, _ detail: @autoclosure () -> String) {
    guard !holds, broken == nil else { return }
    broken = Broken(promise: promise, detail: detail())
    log("BROKEN \(promise): \(detail())")
  }

  /// The message as it is on disk.
  func onDisk(_ name: String) -> MemoryStore.Row? {
    guard let one = messages[name], let found = row(one.row) else { return nil }
    return String(decoding: found.message.id.text, as: UTF8.self) == name ? found : nil
  }

  // MARK: Requests

  /// The next line that is said has this id.
  var nextID: Int { requests.count }

  func says(_ request: Request) {
    requests.append(request)
    requests[requests.count - 1].saidAt = now
  }

  func place(of id: Int) -> Place? { requests.indices.contains(id) ? requests[id].place : nil }

  /// A peer has gone: it hears of nothing. Its ordinary messages may go on.
  func gone(_ peer: Int) {
    for id in requests.indices where requests[id].peer == peer {
      requests[id].isExcused = true
      if requests[id].kind == .ordinary { ordinary[requests[id].mark] = nil }
    }
  }

  // MARK: Places

  func serves(_ peer: Int, _ place: Place) {
    if servers[place, default: []].isEmpty { changeStep[place] = step }
    servers[place, default: []].insert(peer)
  }

  func leaves(_ peer: Int, _ place: Place) {
    guard servers[place]?.remove(peer) != nil else { return }
    lossStep = step
    if servers[place, default: []].isEmpty { changeStep[place] = step }
  }

  /// Whether the place has been empty, or served, since before that step.
  func hasBeen(empty: Bool, _ place: Place, since step: Int) -> Bool {
    servers[place, default: []].isEmpty == empty && changeStep[place, default: 0] < step
  }

  // MARK: Lives

  /// The server is gone. What is on disk is all there is.
  func crashed(_ rows: [UInt64: StoredMessage], dead: Set<UInt64>) {
    let mustBeCutOff = isCuttingOff && repeats == 0
    (untold, repeats, drainedAt, drainEndsAt, undeclaredAt) = ([], 0, nil, nil, [:])
    (ordinary, servers, changeStep, fileStep) = ([:], [:], [:], step)
    step += 1
    for id in requests.indices { requests[id].isOver = true }
    for name in messages.keys.sorted() {
      let isOpen = messages[name].map { $0.isOpen && $0.walk != nil } ?? false
      check(!isOpen || !mustBeCutOff, "a try that is cut off does not count", name)
      crashed(name, rows, dead)
    }
  }

  private func crashed(_ name: String, _ rows: [UInt64: StoredMessage], _ dead: Set<UInt64>) {
    guard var one = messages[name] else { return }
    let row = rows[one.row].flatMap { String(decoding: $0.id.text, as: UTF8.self) == name ? $0 : nil }
    guard let row else {
      check(!one.isTold || one.endOnDisk != nil, "what was accepted is there until it ends", name)
      if one.endOnDisk == nil { one.endOnDisk = .never }
      one.end = one.endOnDisk
      alive.remove(name)
      messages[name] = one
      return
    }
    check(one.endOnDisk != .refused, "what was refused is not kept", name)
    let isDead = dead.contains(one.row)
    check(!one.isOpen || one.walk == nil || row.state.isUnderWay, "the mark of a try is on disk", name)
    if one.isOpen, one.walk != nil { reach("crash with a try under way") }
    let isUnderWay = row.state.isUnderWay && !isDead
    check(
      row.state.tries == one.triesOnDisk && row.state.isUnderWay == one.isMarkOnDisk, "tries are counted",
      "\(name) after a crash: \(row.state.tries), not \(one.triesOnDisk)")
    one.tries = row.state.tries + (isUnderWay ? 1 : 0)
    if isUnderWay || one.isOpen { one.mayHaveBeenOffered = true }
    if !one.asked.isEmpty { one.mustSayAgain = true }
    one.forgetTry()
    one.notBefore = 0
    one.forgetsResult = isUnderWay && row.state.lastTry > row.state.tries
    (one.end, one.leftAt, one.isOnDisk, one.isTold) = (isDead ? .dead : nil, nil, true, true)
    (one.endOnDisk, one.status) = (one.end, one.statusOnDisk)
    if isDead { alive.remove(name) } else { alive.insert(name) }
    messages[name] = one
  }
}
