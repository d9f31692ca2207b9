import BatonCore
import BatonLasting
import DoorKit
import WorldKit

extension World: Meddling {
  func plants(_ one: Plant, percent: Int = 30) -> Bool { plant == one && luck.chance(percent) }

  func pass(_ requests: [KeeperRequest]) -> [KeeperRequest] { requests.flatMap(altered) }

  private func text(of id: StoredID) -> String { String(decoding: id.text, as: UTF8.self) }

  private func altered(_ request: KeeperRequest) -> [KeeperRequest] {
    switch request {
    case .tryEnded(let id, var end):
      judge.messages[text(of: id)]?.tryEndedAt = now
      lastEnd = end
      if plants(.tryEndLost, percent: 10) { return [] }
      let chain = judge.messages[text(of: id)]?.sent.chain
      if plants(.forgotten, percent: 100), let chain, !file.declares(chain) { return [] }
      if plants(.offerForgotten) { end.wasOffered = false }
      if plants(.emptyGuardCounts), !end.passed.isEmpty { (end.counts, end.passed) = (true, []) }
      return [.tryEnded(id, end)]
    case .tryCutOff(let stored):
      if plants(.cutOffCounts, percent: 100), var end = lastEnd {
        (end.status, end.counts) = (.timeout, true)
        return [.tryEnded(stored, end)]
      }
      return plants(.cutOffUnheard, percent: 100) ? [] : [request]
    case .linkServed: return plants(.wakeLost, percent: 100) ? [] : [request]
    case .declared(let windows):
      if plants(.windowDoubled, percent: 100) { return [.declared(windows.map(doubled))] }
      return plants(.reloadUnheard, percent: 60) ? [] : [request]
    case .window(let window): return plants(.windowDoubled, percent: 100) ? [.window(doubled(window))] : [request]
    case .drain: return plants(.drainUnheard, percent: 100) ? [] : [request]
    case .ordinaryCame(let ticket, let chain, _):
      // The keeper has nothing of this key: it lets the message go.
      if plants(.letGoEarly, percent: 100) { return [.ordinaryCame(ticket, chain: chain, key: [])] }
      return plants(.ordinaryForgotten, percent: 100) ? [request, .ordinaryEnded(ticket)] : [request]
    default: return [request]
    }
  }

  private func doubled(_ window: DurableWindow) -> DurableWindow {
    var window = window
    window.window *= 2
    return window
  }

  func give(_ job: StoreJob) {
    judge.given(job)
    if case .write(let write) = job, plants(.storedEarly) { store.say(.storedUpTo(write.number)) }
  }

  func commit(_ change: StoreChange) -> StoreChange? {
    judge.committed(change)
    return meddled(change)
  }

  func meddled(_ change: StoreChange) -> StoreChange? {
    switch change {
    case .insert(var message, let content, let once):
      if plants(.insertLost) { return nil }
      if plants(.markLost) { message.state.isUnderWay = false }
      return .insert(message, content, once: plants(.onceForgotten) ? nil : once)
    case .state(let row, var state, let result):
      if plants(.markLost) { state.isUnderWay = false }
      if plants(.triesLost), state.tries > 0 { state.tries -= 1 }
      return .state(row, state, result: result)
    case .end(let row, let result, let until):
      if plants(.resultWhole, percent: 100) { return .end(row, result: TryResult(result.told), rememberedUntil: until) }
      return plants(.endLost) ? nil : change
    case .dead: return plants(.deadLost) ? nil : change
    case .discard: return plants(.discardLost, percent: 100) ? nil : change
    case .remove: return plants(.removeLost, percent: 100) ? nil : change
    default: return change
    }
  }

  func restore(_ row: RestoredRow) -> RestoredRow? {
    var row = row
    if plants(.keyForgotten) { row.key = nil }
    if plants(.sizeForgotten) { row.message.resultCount = 0 }
    if plants(.againForgotten, percent: 100), row.message.state.isUnderWay {
      row.message.state.isUnderWay = false
      row.message.state.tries += 1
    }
    return row
  }

  func start(_ number: UInt64) -> UInt64 { nextStart(number) }

  /// The lines that peers hear instead of one.
  func told(_ line: SaidLine, to peer: Int) -> [(SaidLine, Int)] {
    func numbered(_ name: String) -> SaidLine { line.with(name, String((line.number(name) ?? 0) + 1)) }
    switch line.text("op") {
    case "accepted":
      if plants(.acceptedSwallowed) { return [] }
      if plants(.acceptedTwice) { return [(line, peer), (line, peer)] }
      if plants(.otherID), let name = line.text("stored") { return [(line.with("stored", "\"\(name)0\""), peer)] }
    case "offer" where line.has("stored") && !line.isTrue("shadow"):
      if plants(.beginTwice) { return [(line, peer), (numbered("walk"), peer)] }
      if plants(.numberWrong) { return [(numbered("try"), peer)] }
    case "result" where line.has("stored"):
      if plants(.resultSwallowed) { return [] }
      if plants(.resultTwice) { return [(line, peer), (line, peer)] }
      let others = peers.indices.filter { $0 != peer && peers[$0].isOpen }
      if plants(.wrongSender), let other = others.first { return [(line, other)] }
    default: break
    }
    return [(line, peer)]
  }

  /// What is told of messages while it is not certain yet that they are not kept.
  func refusedEarly() -> [(SaidLine, Int)] {
    store.held.compactMap { job in
      guard case .write(let write) = job, case .insert(let message, _, _) = write.change, plants(.refusedEarly),
        let id = judge.nameOfRow[message.row].flatMap({ judge.messages[$0]?.order }), !judge.requests[id].isExcused
      else { return nil }
      let line = #"{"op":"error","id":\#(id),"code":"store_failed"}"#
      return (SaidLine(Array(line.utf8)), judge.requests[id].peer)
    }
  }
}
