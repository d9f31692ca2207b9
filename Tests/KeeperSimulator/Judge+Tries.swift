import BatonLasting
import WorldKit

/// Tries: when they begin, whether they count, and how they end.
extension Judge {
  func changed(_ row: UInt64, _ state: TryState, _ result: [UInt8]?) {
    guard let name = nameOfRow[row], let one = messages[name] else {
      return check(false, "only what was sent is written", "state of \(row)")
    }
    check(one.end == nil, "what has ended is not tried", name)
    let result = told(result, name, one)
    if let result {
      check(one.isOpen, "a try ends once", name)
      endTry(name, counts: state.tries > one.tries, SaidLine(result))
      check(state.tries <= one.tries + 1, "tries are counted", name)
      messages[name]?.tries = state.tries
      let factor = state.tries > one.tries ? 1 << min(max(Int(state.tries), 1) - 1, 20) : 0
      let wait = min(Int(one.sent.rules.retryMilliseconds) * factor, 600_000)
      messages[name]?.notBefore = (one.tryEndedAt ?? now) + wait
    } else if state.isUnderWay {
      check(!one.isOpen, "one try at a time", name)
      check(now >= one.notBefore, "after its time", name)
      checkWindow(one.sent.chain, name)
      check(drainedAt == nil, "a server that drains begins no try", name)
      messages[name]?.forgetTry(isOpen: true, at: step)
    } else if one.isOpen {
      check(one.walk == nil || isCuttingOff, "a try ends with a result", name)
      cutOff(name, one)
    }
    if result == nil { check(state.tries == one.tries, "tries are counted", "\(name): \(state.tries), \(one.tries)") }
  }

  /// What a try ended with. Behind a crash, the result of one that did not count is written over, which is no end of a try.
  private func told(_ result: [UInt8]?, _ name: String, _ one: Message) -> [UInt8]? {
    let line = result.map { SaidLine($0) }
    let isForgotten = line?.number("try") == 0 && line?.text("status") == "timeout"
    check(isForgotten == one.forgetsResult, "the result of a try before a crash is forgotten if it did not count", name)
    guard isForgotten else { return result }
    reach("forgotten result")
    messages[name]?.forgetsResult = false
    messages[name]?.status = "timeout"
    return nil
  }

  /// A try is taken back: it has not begun, or the time for draining is over.
  private func cutOff(_ name: String, _ one: Message) {
    if one.walk != nil { reach("cut off") }
    if !one.asked.isEmpty { messages[name]?.mustSayAgain = true }
    if isCuttingOff { messages[name]?.mayHaveBeenOffered = true }
    messages[name]?.forgetTry()
  }

  func ended(_ row: UInt64, _ result: [UInt8]) {
    guard let name = nameOfRow[row], let one = messages[name] else {
      return check(false, "only what was sent is written", "end of \(row)")
    }
    let line = SaidLine(result)
    check(one.isOpen && one.end == nil, "what was accepted ends once", name)
    check(line.number("walk") == one.walk, "an end is that of its try", name)
    check(line.number("try").map(UInt32.init) == one.tries + 1, "tries are counted", "\(name) at its end")
    let status = line.text("status")
    check(status == "handled" || status == "rejected", "an end is handled or rejected", name)
    endTry(name, counts: true, line)
    messages[name]?.isOver(.ended, status)
    messages[name]?.leaves(at: now, wall: wall)
    reach("ended")
  }

  func died(_ row: UInt64, _ state: TryState, _ result: [UInt8]?) {
    guard let name = nameOfRow[row], let one = messages[name] else {
      return check(false, "only what was sent is written", "death of \(row)")
    }
    // It may be written once more, with its last result.
    if one.end == .dead, one.endOnDisk == .dead { return reach("dead, with its result") }
    check(one.end == nil, "what was accepted ends once", name)
    let result = told(result, name, one)
    if let result, one.isOpen {
      endTry(name, counts: state.tries > one.tries, SaidLine(result))
      check(state.tries <= one.tries + 1, "tries are counted", name)
    } else {
      check(!one.isOpen && state.tries == one.tries, "tries are counted", "\(name) at its death")
    }
    let isExpired = now >= one.begunAt + Int(one.sent.rules.expiresMilliseconds)
    check(state.tries >= one.sent.rules.tries || isExpired, "a message dies of its tries or its time", name)
    let status = result.flatMap { SaidLine($0).text("status") } ?? messages[name]?.status
    messages[name]?.isOver(.dead, status)
    messages[name]?.tries = state.tries
    reach(isExpired ? "expired" : "dead")
  }

  private func endTry(_ name: String, counts: Bool, _ result: SaidLine) {
    guard let one = messages[name] else { return }
    let status = result.text("status") ?? ""
    check(one.tryEndedAt != nil, "a try that is cut off does not count", name)
    if status != "handled", status != "rejected" {
      let (must, mustNot) = (mustCount(one), mustNotCount(one, result))
      if mustNot { reach("does not count") }
      check(!counts || !mustNot, "a try that passed an empty place does not count", "\(name): \(result.spelled)")
      check(counts || !must, "a try that was asked in vain counts", "\(name): \(result.spelled)")
    }
    log("try of \(name) ends, \(counts ? "and counts" : "uncounted"): \(status)")
    messages[name]?.status = status
    if !one.asked.isEmpty { messages[name]?.mustSayAgain = true }
    if !one.asked.isEmpty || lossStep >= one.markStep { messages[name]?.mayHaveBeenOffered = true }
    messages[name]?.forgetTry()
  }

  /// Each place on the way has been served all the time, and somebody had the offer.
  private func mustCount(_ one: Message) -> Bool {
    guard !hasBreakers, fileStep < one.markStep, file.declares(one.sent.chain), !one.asked.isEmpty else { return false }
    return file.way(from: one.sent.chain, one.sent.topic).allSatisfy {
      $0.link.isShadow || hasBeen(empty: false, $0.place, since: one.markStep)
    }
  }

  /// It came to a place that has been empty all the time.
  private func mustNotCount(_ one: Message, _ result: SaidLine) -> Bool {
    guard fileStep < one.markStep, file.declares(one.sent.chain) else { return false }
    for (place, link) in file.way(from: one.sent.chain, one.sent.topic) where !link.isShadow {
      if hasBeen(empty: true, place, since: one.markStep) { return true }
      // There it failed, or its time was over: it came no further.
      let isLast = result.text("by") == place.name
      if isLast || !one.left.contains(place) { return false }
    }
    return false
  }
}
