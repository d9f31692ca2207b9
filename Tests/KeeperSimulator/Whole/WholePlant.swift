import BatonCore
import BatonKeeper
import DoorKit

/// Faults between peers, router, keeper and disk. Each must be found.
enum WholePlant: String, CaseIterable {
  // What the router tells the keeper.
  case emptyGuardCounts = "empty-guard-counts"
  case tryEndLost = "try-end-lost"
  case offerForgotten = "offer-forgotten"
  case wakeLost = "wake-lost"
  case reloadUnheard = "reload-unheard"
  case drainUnheard = "drain-unheard"
  case cutOffUnheard = "cut-off-unheard"
  case ordinaryForgotten = "ordinary-forgotten"
  // What comes to the disk, and what the keeper is told of it.
  case storedEarly = "stored-early"
  case insertLost = "insert-lost"
  case endLost = "end-lost"
  case markLost = "mark-lost"
  case triesLost = "tries-lost"
  case removeLost = "remove-lost"
  case forgotten = "lost-at-a-reload"
  // What a new server gets.
  case keyForgotten = "key-forgotten"
  case againForgotten = "again-forgotten"
  case startReused = "start-reused"
  // What the file says.
  case guardLeftOut = "guard-left-out"
  // What peers hear.
  case acceptedTwice = "accepted-twice"
  case resultTwice = "result-twice"
  case resultSwallowed = "result-swallowed"
  case wrongSender = "wrong-sender"
}

extension WholePlant {
  /// The promises of which it breaks one: whatever else is found is not it.
  var breaks: [String] {
    switch self {
    case .emptyGuardCounts: ["a try that passed an empty place does not count"]
    case .tryEndLost, .forgotten: ["what was accepted ends", "everybody hears of the end"]
    case .offerForgotten, .againForgotten: ["again is said"]
    case .wakeLost: ["what waits for a place is tried when it is served"]
    case .reloadUnheard: ["only down declared chains", "errors are as the contract says", "what was accepted ends"]
    case .drainUnheard: ["a server that drains begins no try"]
    case .cutOffUnheard: ["a try that is cut off does not count"]
    case .ordinaryForgotten, .keyForgotten: ["one of a key at a time", "the order of a key"]
    case .storedEarly:
      [
        "accepted is on disk", "an end is on disk before it is told", "what is offered is on disk",
        "the mark of a try is on disk",
      ]
    case .insertLost: ["accepted is on disk", "what is offered is on disk"]
    case .endLost: ["an end is on disk before it is told"]
    case .markLost, .triesLost: ["tries are counted"]
    case .removeLost: ["what is refused is not kept", "what was refused is not kept"]
    case .startReused: ["a name is never used twice"]
    case .guardLeftOut: ["no guard is passed"]
    case .acceptedTwice: ["one accepted"]
    case .resultTwice: ["one answer"]
    case .resultSwallowed: ["everybody hears of the end"]
    case .wrongSender: ["answers go to who asked"]
    }
  }
}

extension Whole: Meddling {
  func plants(_ one: WholePlant, percent: Int = 30) -> Bool { plant == one && luck.chance(percent) }

  func pass(_ requests: [KeeperRequest]) -> [KeeperRequest] { requests.flatMap(altered) }

  private func text(of name: KeptName) -> String {
    let id = StoredID.Start(high: name.high, low: name.low).map { StoredID(start: $0, count: name.count) }
    return String(decoding: id?.text ?? [], as: UTF8.self)
  }

  private func altered(_ request: KeeperRequest) -> [KeeperRequest] {
    switch request {
    case .tryEnded(var end):
      judge.messages[text(of: end.stored)]?.tryEndedAt = now
      if plants(.tryEndLost, percent: 10) { return [] }
      let chain = judge.messages[text(of: end.stored)]?.sent.chain
      if plants(.forgotten, percent: 100), let chain, !file.declares(chain) { return [] }
      if plants(.offerForgotten) { end.wasOffered = false }
      if plants(.emptyGuardCounts), !end.passed.isEmpty { (end.counts, end.passed) = (true, []) }
      return [.tryEnded(end)]
    case .tryCutOff: return plants(.cutOffUnheard, percent: 100) ? [] : [request]
    case .linkServed: return plants(.wakeLost, percent: 100) ? [] : [request]
    case .declared: return plants(.reloadUnheard, percent: 60) ? [] : [request]
    case .drain: return plants(.drainUnheard, percent: 100) ? [] : [request]
    case .ordinaryCame(let ticket, _, _):
      return plants(.ordinaryForgotten, percent: 100) ? [request, .ordinaryEnded(ticket)] : [request]
    default: return [request]
    }
  }

  func give(_ job: StoreJob) {
    judge.given(job)
    if case .write(let write) = job, plants(.storedEarly) { store.say(.storedUpTo(write.number)) }
  }

  func commit(_ change: StoreChange) -> StoreChange? {
    judge.committed(change)
    switch change {
    case .insert(var message, let content, let once):
      if plants(.insertLost) { return nil }
      if plants(.markLost) { message.state.isUnderWay = false }
      return .insert(message, content, once: once)
    case .state(let row, var state, let result):
      if plants(.markLost) { state.isUnderWay = false }
      if plants(.triesLost), state.tries > 0 { state.tries -= 1 }
      return .state(row, state, result: result)
    case .end: return plants(.endLost) ? nil : change
    case .remove: return plants(.removeLost, percent: 100) ? nil : change
    default: return change
    }
  }

  func restore(_ row: RestoredRow) -> RestoredRow? {
    var row = row
    if plants(.keyForgotten) { row.key = nil }
    if plants(.againForgotten), row.message.state.isUnderWay {
      row.message.state.isUnderWay = false
      row.message.state.tries += 1
    }
    return row
  }

  func start(_ number: UInt64) -> UInt64 { plant == .startReused ? 1 : number }

  /// The lines that peers hear instead of one.
  func told(_ line: SaidLine, to peer: Int) -> [(SaidLine, Int)] {
    switch line.text("op") {
    case "accepted" where plants(.acceptedTwice): return [(line, peer), (line, peer)]
    case "result" where line.has("stored"):
      if plants(.resultSwallowed) { return [] }
      if plants(.resultTwice) { return [(line, peer), (line, peer)] }
      let others = peers.indices.filter { $0 != peer && peers[$0].isOpen }
      if plants(.wrongSender), let other = others.first { return [(line, other)] }
      return [(line, peer)]
    default: return [(line, peer)]
    }
  }
}
