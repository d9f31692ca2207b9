/// The end of a walk's time, at a link or as a whole (contract, sections 4 to 6).
extension Router {
  /// The walk's timer has fired: its deadline has passed, or its time at this link, or neither of them yet.
  mutating func walkIsDue(for walk: Slot<Walk>, at now: Instant) {
    walks[walk].timer = .none
    walks[walk].timerAt = Instant(microseconds: .max)
    if isOver(walk, at: now) { return endEarly(whole(of: walk), .timeout, at: now) }
    if walks[walk].due > now || walks[walk].isParked { return armWalk(walk) }
    let link = links.ref(walks[walk].link)
    if walks[walk].offer == .nobody, links[link.slot].firstReplica == .nobody, goesOnInVain(walk, at: link.slot) {
      notePassed(link.slot, by: walk)
      traceSkip(of: walk, past: link.slot, LinkState.empty.spelling, at: now)
      return goOnBehind(walk, at: now)
    }
    let asked = handlerAsked(by: walk)
    let cause = runOut(walk, at: now)
    failWalk(walk, cause, by: asked, at: now)
    if let asked { releaseAsked(asked) }
    serveQueue(of: link, at: now)
  }

  /// Ends a walk before its way is over, wherever it stands: its deadline has passed, or its sender has cancelled it.
  mutating func endEarly(_ walk: Slot<Walk>, _ outcome: Outcome, at now: Instant) {
    if walks[walk].isInStage { return endStageEarly(walk, outcome, at: now) }
    guard walks[walk].link != .nobody else {
      if walks[walk].isParked {
        unparkWalk(walk)
        return endParked(walk, outcome, at: now)
      }
      giveUpTurn(walk)
      traceKeyWait(of: walk, at: now)
      return endWalk(walk, outcome, by: .empty, at: now)
    }
    let link = links.ref(walks[walk].link)
    let asked = handlerAsked(by: walk)
    let by = nameAsked(asked, at: link.slot)
    cutShort(walk, outcome, of: asked, at: now)
    leaveLink(walk)
    endWalk(walk, outcome, by: by.bytes, at: now)
    extendLifetime(by)
    serveQueue(of: link, at: now)
  }

  /// The stay of a walk at a link is over before a verdict came. If its sender has cancelled it, its link has not failed.
  mutating func cutShort(_ walk: Slot<Walk>, _ outcome: Outcome, of asked: Offer.Asked?, at now: Instant) {
    let link = walks[walk].link
    if case .cancelled = outcome {
      withdraw(walk, at: now)
    } else {
      let cause = runOut(walk, at: now)
      tellFailed(walk, at: link, cause, by: asked, goesOn: false, at: now)
    }
    if let asked { releaseAsked(asked) }
  }

  /// Ends a walk early that was parked.
  mutating func endParked(_ walk: Slot<Walk>, _ outcome: Outcome, at now: Instant) {
    if walks[walk].isInStage { return endStageEarly(walk, outcome, at: now) }
    if walks[walk].mode == .notify { return endNotice(walk, at: now) }
    endWalk(walk, outcome, by: .empty, at: now)
  }

  /// The time at a link is over. An open offer times out, and its handler is told. A walk that waited was not offered
  /// in time, because there was no room or no handler. The caller calls `releaseAsked`.
  mutating func runOut(_ walk: Slot<Walk>, at now: Instant) -> Cause {
    let offer = walks[walk].offer
    let isKept = offer != .nobody && beginLapsing(offer)
    guard offer != .nobody else {
      let link = walks[walk].link
      let cause: Cause = links[link].firstReplica == .nobody ? .disconnect : .overload
      if cause == .disconnect { notePassed(link, by: walk) }
      return cause
    }
    recordSteps(of: walk, before: walks[walk].hops - 1)
    traceOffer(of: walk, Cause.timeout.spelling, at: now)
    tellLapsed(offer, at: now)
    settleOffer(of: walk)
    countTimeout(of: offer, for: walk, at: now)
    endLapsing(offer, isKept: isKept)
    return .timeout
  }

  /// The handler of a walk's open offer; nil if it has none.
  mutating func handlerAsked(by walk: Slot<Walk>) -> Offer.Asked? {
    walks[walk].offer == .nobody ? nil : offers[walks[walk].offer].asked
  }

  /// Tells the breaker of a timed-out offer. The offer counts if it had the link's own full time, or at least
  /// `breakerLeastMilliseconds`.
  private mutating func countTimeout(of offer: Slot<Offer>, for walk: Slot<Walk>, at now: Instant) {
    // In a late turn the time was the server's own.
    let isLate = walks[walk].due <= lateUntil
    let replica = offers[offer].replica
    let counts =
      !isLate
      && (offers[offer].isFull || offers[offer].timeoutMilliseconds >= settings.breakerLeastMilliseconds)
    let later = now.advanced(milliseconds: settings.breakerMilliseconds)
    if replicas[replica].breaker.timedOut(counts: counts, most: settings.breakerOffers, at: now, until: later) {
      announceBreaker(of: replica, isOpen: true)
    }
  }

  /// The message's deadline has passed without the shadow's answer.
  mutating func copyIsDue(for copy: Ref<ShadowCopy>, at now: Instant) {
    let offer = copies[copy.slot].offer
    tellLapsed(offer, at: now)
    offers[offer].subject = .lapsed
    uncountOffer(offer)
    let link = replicas[offers[offer].replica].link
    releaseAsked(offers[offer].asked)
    giveUpCopy(copy, .timeout, at: now)
    endLapsing(offer, isKept: beginLapsing(offer))
    serveQueue(of: link, at: now)
  }
}
