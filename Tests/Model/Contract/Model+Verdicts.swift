/// The answers to offers (contract, section 5).
extension Model {
  mutating func take(_ verdict: Verdict, on id: Int?, from connection: Int) throws(Refusal) {
    let index = try findOffer(id, of: connection)
    let offer = peers[connection].row[index]
    if offer.state == .lapsed {
      // `working` is no answer: the offer stays in its row.
      if verdict.kind != .working { peers[connection].row.remove(at: index) }
      seen.insert(offer.isRevoked ? .revokedVerdict : .late)
      throw Refusal(offer.isRevoked ? "not_allowed" : "late_verdict", offer: offer.id)
    }
    if verdict.kind == .working { return putOff(offer) }
    if verdict.kind == .handled { try checkCargo(verdict.payload, beside: nil) }
    if verdict.kind == .continue { try checkCargo(verdict.payload, beside: walks[offer.walk].message.meta) }
    if verdict.kind == .continue, offer.state == .open {
      try checkRoom(toRewrite: offer.walk, as: verdict.payload)
    }
    peers[connection].row.remove(at: index)
    closeBreaker(for: offer, of: connection)
    note("answered", at: offer.link)
    if verdict.kind != .failed || offer.state == .shadow {
      links[offer.link].count(verdict.kind.rawValue, isFailure: verdict.kind == .failed)
      note(verdict.kind.rawValue, at: offer.link)
    }
    if offer.state == .shadow {
      alarms.cancel(.shadow(connection: connection, offer: offer.id))
      compare(verdict, of: offer)
      attend(to: offer.link)
    } else {
      carryOut(verdict, on: offer)
      attend(to: offer.link)
    }
  }

  /// The offer that the verdict names or, without a number, the oldest that is not answered.
  private mutating func findOffer(_ id: Int?, of connection: Int) throws(Refusal) -> Int {
    let row = peers[connection].row
    if let index = id == nil
      ? (keeps(.oldestWithoutID) ? row.indices.first : row.indices.last) : row.firstIndex(where: { $0.id == id })
    {
      return index
    }
    if let id, id >= 1, id <= peers[connection].lastOffer {
      seen.insert(.late)
      throw Refusal("late_verdict")
    }
    seen.insert(.unknownOffer)
    throw Refusal("unknown_offer")
  }

  /// `working`: the offer's clock starts again, and never runs past the deadline. A shadow always has the message's
  /// time.
  private mutating func putOff(_ offer: Offer) {
    guard offer.state == .open else { return }
    seen.insert(.working)
    guard keeps(.workingPutsOff) else { return }
    walks[offer.walk].stand?.due = (now + offer.timeoutMilliseconds) * 1000
    setAlarm(of: offer.walk)
  }

  private mutating func carryOut(_ verdict: Verdict, on offer: Offer) {
    let walk = offer.walk
    leave(walk)
    let message = verdict.message.map { "\"\($0)\"" }
    if verdict.kind != .failed {
      note(
        walk, offer, verdict.kind.rawValue, rewrote: verdict.kind == .continue && verdict.payload != nil,
        message: message)
    }
    switch verdict.kind {
    case .handled:
      seen.insert(.handled)
      if walks[walk].mode == .all, keeps(.allGoesOn) {
        addResult(offer.handler, verdict.payload, to: walk)
        walkOn(walk)
      } else {
        end(walk, Outcome(status: "handled", by: offer.handler, payload: verdict.payload))
      }
    case .reject:
      seen.insert(.rejected)
      end(walk, Outcome(status: "rejected", by: offer.handler, message: message, code: verdict.code))
    case .failed:
      seen.insert(.failed)
      fail(walk, at: offer.link, .failed, of: offer, message: message)
    case .continue, .working:
      seen.insert(.continued)
      if let payload = verdict.payload {
        seen.insert(.rewritten)
        walks[walk].payload = payload
        walks[walk].isRewritten = true
        checkOpen(of: walks[walk].sender)
      }
      walkOn(walk)
    }
  }
}
