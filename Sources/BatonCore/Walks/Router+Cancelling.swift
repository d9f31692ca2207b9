/// A sender cancels its message (contract, section 4, `Cancelling`).
extension Router {
  /// Takes a walk back from the link at which it stands. An open offer lapses, and its handler is told. The link has not
  /// failed, and no breaker counts it. The caller calls `releaseAsked`.
  mutating func withdraw(_ walk: Slot<Walk>, at now: Instant) {
    let offer = walks[walk].offer
    guard offer != .nobody else { return traceCancelled(walk, at: walks[walk].link, now: now) }
    let isKept = beginLapsing(offer)
    recordSteps(of: walk, before: walks[walk].hops - 1)
    traceOffer(of: walk, Outcome.Status.cancelled.spelling, at: now)
    tellLapsed(offer, why: Outcome.Status.cancelled.spelling, at: now)
    settleOffer(of: walk)
    replicas[offers[offer].replica].breaker.withdrawn()
    endLapsing(offer, isKept: isKept)
  }

  // MARK: Messages with an id

  /// Adds a message to the list of those that its sender can cancel. It is the newest.
  @inline(__always)
  mutating func listNamed(_ walk: Slot<Walk>, of connection: Slot<Connection>) {
    let last = connections[connection].sending.lastNamed
    walks[walk].previousNamed = last
    if last != .nobody { walks[last].nextNamed = walk } else { connections[connection].sending.firstNamed = walk }
    connections[connection].sending.lastNamed = walk
  }

  /// Takes a message out of that list.
  @inline(__always)
  mutating func unlistNamed(_ walk: Slot<Walk>, of connection: Slot<Connection>) {
    let (previous, next) = (walks[walk].previousNamed, walks[walk].nextNamed)
    if previous != .nobody {
      walks[previous].nextNamed = next
    } else {
      connections[connection].sending.firstNamed = next
    }
    if next != .nobody {
      walks[next].previousNamed = previous
    } else {
      connections[connection].sending.lastNamed = previous
    }
  }
}
