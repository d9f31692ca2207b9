/// A sender cancels its message (contract, section 4, `Cancelling`).
extension Router {
  /// Ends a walk wherever it stands. No link has failed it, and no breaker counts it.
  mutating func cancelWalk(_ walk: Slot<Walk>, at now: Instant) {
    guard walks[walk].link != .nobody else {
      if walks[walk].isParked {
        unparkWalk(walk)
      } else {
        giveUpTurn(walk)
        traceKeyWait(of: walk, at: now)
      }
      return endWalk(walk, .cancelled, by: .empty, at: now)
    }
    let link = links.ref(walks[walk].link)
    let asked = handlerAsked(by: walk)
    let by = nameAsked(asked, at: link.slot)
    if asked == nil { traceCancelled(walk, at: link.slot, now: now) } else { withdrawOffer(of: walk, at: now) }
    if let asked { releaseAsked(asked) }
    leaveLink(walk)
    endWalk(walk, .cancelled, by: by.bytes, at: now)
    extendLifetime(by)
    serveQueue(of: link, at: now)
  }

  /// Takes the open offer of a walk back, and tells its handler. The caller calls `releaseAsked`.
  private mutating func withdrawOffer(of walk: Slot<Walk>, at now: Instant) {
    let offer = walks[walk].offer
    recordSteps(of: walk, before: walks[walk].hops - 1)
    traceOffer(of: walk, Outcome.Status.cancelled.spelling, at: now)
    tellLapsed(offer, why: Outcome.Status.cancelled.spelling, at: now)
    settleOffer(of: walk)
    replicas[offers[offer].replica].breaker.withdrawn()
  }

  // MARK: Messages with an id

  /// Adds a message to the list of those that its sender can cancel. It is the newest.
  @inline(__always)
  mutating func listNamed(_ walk: Slot<Walk>, of connection: Slot<Connection>) {
    let last = connections[connection].lastNamed
    walks[walk].previousNamed = last
    if last != .nobody { walks[last].nextNamed = walk } else { connections[connection].firstNamed = walk }
    connections[connection].lastNamed = walk
  }

  /// Takes a message out of that list.
  @inline(__always)
  mutating func unlistNamed(_ walk: Slot<Walk>, of connection: Slot<Connection>) {
    let (previous, next) = (walks[walk].previousNamed, walks[walk].nextNamed)
    if previous != .nobody { walks[previous].nextNamed = next } else { connections[connection].firstNamed = next }
    if next != .nobody { walks[next].previousNamed = previous } else { connections[connection].lastNamed = previous }
  }
}
