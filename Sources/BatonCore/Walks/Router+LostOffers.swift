/// Deals with offers that are lost with their connection (contract, sections 5 and 6).
extension Router {
  /// An offer is lost with its connection. If another connection serves the link, or its place is held, the message is
  /// offered once more. A second loss at this link is the failure `disconnect`. `isRevoked`: the connection stays, and an
  /// answer to the offer will be refused.
  mutating func failOffer(
    _ offer: Slot<Offer>, of connection: Slot<Connection>, isRevoked: Bool = false, at now: Instant
  ) {
    let subject = offers[offer].subject
    let asked = offers[offer].asked
    if isRevoked {
      offers[offer].isRevoked = true
      connections[connection].handling.lapsed += 1
    } else {
      connections[connection].handling.offers.remove(offer, in: &offers)
    }
    switch subject {
    case .lapsed:
      if isRevoked { return }
      connections[connection].handling.lapsed -= 1
      countHeldOffers(-1, in: connections[connection].account)
      offers.remove(offer)
    case .copy(let copy):
      uncountOffer(offer)
      if isRevoked { offers[offer].subject = .lapsed } else { offers.remove(offer) }
      releaseAsked(asked)
      giveUpCopy(copy, .disconnect, at: now)
      if isRevoked { endLapsing(offer, isKept: beginLapsing(offer)) }
    case .walk(let walk), .place(let walk):
      // A replica that was replaced gets no second try: the place is now another's.
      let isOwn = replicas[asked.replica].wasServing
      let held = now.microseconds - offers[offer].made.microseconds
      let isKept = isRevoked && beginLapsing(offer)
      recordSteps(of: walk.slot, before: walks[walk.slot].hops - 1)
      traceOffer(of: walk.slot, Cause.disconnect.spelling, at: now)
      settleOffer(of: walk.slot)
      if isRevoked { endLapsing(offer, isKept: isKept) } else { offers.remove(offer) }
      let link = walks[walk.slot].link
      settleLink(link, at: now)
      if isOwn, links[link].fate == nil, !links[link].isAbsent, !walks[walk.slot].isAgain {
        waitAgain(walk.slot, at: now)
        // If the link has its own time, the share limits only the waiting: the time of the lost offer is added to it.
        let place = placeSeen(of: link, since: walks[walk.slot].place.entered)
        if links[place].settings.timeoutMilliseconds != nil { walks[walk.slot].shareEnd.microseconds += held }
        walks[walk.slot].due = max(walks[walk.slot].shareEnd, now.advanced(milliseconds: 1))
        armWalk(walk.slot)
      } else {
        failWalk(walk.slot, .disconnect, by: asked, at: now)
      }
      releaseAsked(asked)
    }
  }
}
