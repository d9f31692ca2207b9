/// The answers to offers (contract, section 5).
extension Model {
  mutating func take(_ verdict: Verdict, on id: Int?, from connection: Int) throws(Refusal) {
    let index =
      if let id { try findOffer(id, of: connection) } else { try findOnlyOffer(verdict, of: connection) }
    let offer = peers[connection].row[index]
    if offer.state == .lapsed {
      // `working` is no answer: the offer stays in its row.
      if verdict.kind != .working {
        peers[connection].row.remove(at: index)
        noteHeldOfferGone(connection)
      }
      seen.insert(offer.isRevoked ? .revokedVerdict : .late)
      throw Refusal(offer.isRevoked ? "not_allowed" : "late_verdict", offer: offer.id)
    }
    if verdict.kind == .working { return putOff(offer) }
    if verdict.kind == .handled { try checkCargo(verdict.payload, beside: nil) }
    if verdict.kind == .continue { try checkCargo(verdict.payload, beside: walks[offer.walk].message.meta) }
    if verdict.kind == .continue, offer.state == .open, !isMisplaced(verdict, on: offer) {
      try checkRoom(toRewrite: offer.walk, as: verdict.payload)
    }
    peers[connection].row.remove(at: index)
    closeBreaker(for: offer, of: connection)
    noteAnswer(at: offer.link, after: now - offer.made)
    if verdict.kind != .failed && !isMisplaced(verdict, on: offer) || offer.state == .shadow {
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

  /// The offer that the verdict names.
  private mutating func findOffer(_ id: Int, of connection: Int) throws(Refusal) -> Int {
    if let index = peers[connection].row.firstIndex(where: { $0.id == id }) { return index }
    if id >= 1, id <= peers[connection].lastOffer {
      seen.insert(.late)
      throw Refusal("late_verdict")
    }
    seen.insert(.unknownOffer)
    throw Refusal("unknown_offer")
  }

  /// The offer that a verdict without `id` is for. It may be for one only, which stops nothing.
  private mutating func findOnlyOffer(_ verdict: Verdict, of connection: Int) throws(Refusal) -> Int {
    let row = peers[connection].row
    let hasLetGo = peers[connection].hasLetGo && keeps(.letGoNeedsID)
    guard let first = row.indices.first else {
      if hasLetGo {
        seen.insert(.late)
        throw Refusal("late_verdict")
      }
      seen.insert(.unknownOffer)
      throw Refusal("unknown_offer")
    }
    guard row.contains(where: { $0.state != .lapsed }) else { return first }
    let isOnly = row.count == 1 && !hasLetGo || !keeps(.onlyOneWithoutID)
    if isOnly, row[first].state == .shadow || row[first].policy == .continue || !keeps(.stopNeedsID) { return first }
    seen.insert(.missingID)
    if verdict.kind != .working, keeps(.vainAnswersCount),
      let oldest = row.indices.prefix(64).first(where: { !row[$0].isAnsweredInVain })
    {
      peers[connection].row[oldest].isAnsweredInVain = true
      forgetAnswered(by: connection)
    }
    throw Refusal("missing_id")
  }

  /// What has lapsed and was answered without `id`, before or since, is answered.
  mutating func forgetAnswered(by connection: Int) {
    let before = peers[connection].row.count
    peers[connection].row.removeAll { $0.state == .lapsed && $0.isAnsweredInVain }
    if peers[connection].row.count < before { noteHeldOfferGone(connection) }
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
    if isMisplaced(verdict, on: offer) {
      seen.insert(.stageRefused)
      return fail(walk, at: offer.link, .failed, of: offer, message: Line.anyText)
    }
    if !walks.isPlace(walk) { leave(walk) }
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
        let before = walks[walk].weight
        walks[walk].payload = payload
        walks[walk].isRewritten = true
        if walks[walk].weight < before { noteRoomOfSender(of: walk) } else { checkOpen(of: walks[walk].sender) }
      }
      walkOn(walk)
    }
  }
}
