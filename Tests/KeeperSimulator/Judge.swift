import BatonCore
import DoorKit

/// A promise that does not hold.
struct Broken: Error {
  var promise: String
  var detail: String
}

/// What peers have said and heard and what came to the disk, through all lives of the server; and whether the promises
/// hold. It sees the server from outside alone (Docs/guarantees.md, "The server dies").
final class Judge {
  var messages: [String: Message] = [:]
  /// The names of messages that have no end on disk.
  var alive: Set<String> = []
  var nameOfRow: [UInt64: String] = [:]
  var sent: [Int: Sent] = [:]
  var requests: [Request] = []
  var known: [String: String] = [:]
  /// Ordinary messages with a key that have no end, by their marks: their requests.
  var ordinary: [Int: Int] = [:]

  var file = OperatorFile(chains: [])
  var settings = Settings()
  var hasBreakers: Bool { settings.breakerOffers < 100 }
  /// Steps of the world: since when the file is as it is, and since when places are served or empty.
  var step = 1
  var fileStep = 0
  /// The first request after the file was read last.
  var fileRequest = 0
  var servers: [Place: Set<Int>] = [:]
  var changeStep: [Place: Int] = [:]
  /// The largest windows that handlers have asked for.
  var windows: [Place: Int] = [:]
  /// When a handler was lost last, perhaps with an offer that nobody has seen.
  var lossStep = 0
  var time: () -> Int = { 0 }
  var now: Int { time() }
  /// What the wall clock says, in milliseconds.
  var wallTime: () -> Int64 = { 0 }
  var wall: Int64 { wallTime() }
  /// Walks above these numbers began after the server drained, or after a chain was taken out of the file.
  var drainedAt: Int?
  /// The deadline of draining.
  var drainEndsAt: Int?
  var isCuttingOff: Bool { drainEndsAt.map { $0 <= now } ?? false }
  var undeclaredAt: [String: Int] = [:]
  /// Numbers of writes that the keeper does not know to be stored.
  var untold: [UInt64] = []
  /// The same of what stays.
  var untoldStaying: [UInt64] = []
  /// Whether a commit has failed, and none has succeeded since; and how many writes the keeper gives once more.
  var isFailing = false
  var repeats = 0
  /// Whether the store has been given all that the keeper has.
  var isGivenAll: Bool { !isFailing && repeats == 0 }
  /// The disk of the server.
  var store: MemoryStore
  /// Of values and kept events.
  var stays = Stays()
  var broken: Broken?
  var log: (String) -> Void = { _ in }
  /// What was reached, and how often.
  var reached: [String: Int] = [:]

  init(_ store: MemoryStore) { self.store = store }

  func reach(_ what: String) { reached[what, default: 0] += 1 }

  /// The first promise that is broken is the one that is told.
  func check(_ holds: Bool, _ promise: String, _ detail: @autoclosure () -> String) {
    guard !holds, broken == nil else { return }
    broken = Broken(promise: promise, detail: detail())
    log("BROKEN \(promise): \(detail())")
  }

  /// The message as it is on disk.
  func onDisk(_ name: String) -> MemoryStore.Row? {
    guard let one = messages[name], let found = store.rows[one.row] else { return nil }
    return String(decoding: found.message.id.text, as: UTF8.self) == name ? found : nil
  }

  // MARK: Requests

  /// The next line that is said has this id.
  var nextID: Int { requests.count }

  func says(_ request: Request) {
    requests.append(request)
    requests[requests.count - 1].saidAt = now
    // The place may be empty before its handler is told so.
    if request.kind == .remove, let place = request.place { changeStep[place] = step }
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
}
