/// `cancel`: a sender ends a message of its own (contract, section 4, "Cancelling").
extension Model {
  mutating func cancel(_ id: String, _ asked: Asked, by connection: Int) {
    let same = walks.indices.filter { walk in
      let isMeant = walks[walk].sender == connection && walks[walk].wantsResult && walks[walk].id == id
      return isMeant && !walks[walk].isOver
    }
    if same.count > 1 { seen.insert(.cancelledOldest) }
    let walk = keeps(.cancelEndsOldest) ? same.first : same.last
    var line = Line("ok", to: asked)
    line.add("cancelled", json: walk != nil || !keeps(.cancelInVainIsSaid) ? "true" : "false")
    if !keeps(.cancelledResultIsFirst) { reply(line, to: asked, of: connection) }
    if let walk { withdraw(walk) } else { seen.insert(.cancelledInVain) }
    if keeps(.cancelledResultIsFirst) { reply(line, to: asked, of: connection) }
  }

  /// The ids of the messages under way that this connection may cancel.
  package func walks(of connection: Int) -> [String] {
    walks.filter { $0.sender == connection && $0.wantsResult && !$0.isOver }.compactMap(\.id)
  }

  private mutating func withdraw(_ walk: Int) {
    if walks[walk].stage != nil { return endStageEarly(walk, isCancelled: true) }
    let stand = walks[walk].stand
    let offer = stand.flatMap { withdrawOffer($0) }
    seen.insert(offer != nil ? .cancelledOffer : stand != nil ? .cancelledWaiting : .cancelledKeyed)
    if let stand {
      startRecording(walk, with: offer)
      noteCancelled(walk, at: stand.link, offer)
    }
    end(walk, Outcome(status: "cancelled", by: stand.map { offer?.handler ?? links[$0.link].name }))
    if let stand { attend(to: stand.link) }
  }

  /// The handler is told why, and may still answer the offer, too late. Its breaker does not count it; if it was the one
  /// that tries the handler, the next one does.
  mutating func withdrawOffer(_ stand: Walk.Stand) -> Offer? {
    guard let (connection, id) = stand.offer else { return nil }
    guard let index = peers[connection].row.firstIndex(where: { $0.id == id }) else { return nil }
    peers[connection].row[index].state = .lapsed
    let offer = peers[connection].row[index]
    tellLapsed(offer, to: connection, why: keeps(.lapsedSaysWhy) ? "cancelled" : nil)
    if keeps(.cancelIsNoTimeout) {
      let isMadeAnew = keeps(.cancelledProbeIsMadeAnew)
      changeBreaker(offer.link, connection) { if isMadeAnew { $0.isProbing = false } }
    } else {
      countTimeout(of: offer, connection)
    }
    keepLapsed(offer.id, of: connection)
    return offer
  }
}
