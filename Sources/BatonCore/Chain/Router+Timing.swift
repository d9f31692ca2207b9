/// A walk's time: at a link, and as a whole (contract, sections 4 and 6).
extension Router {
  /// Sees to it that the walk's timer fires at `due` or, at the latest, at the deadline.
  @inline(__always)
  mutating func arm(_ walk: UInt32) {
    let at = min(walks[walk].due, walks[walk].deadline)
    if at >= walks[walk].timerAt { return }
    timers.end(walks[walk].timer)
    walks[walk].timer = timers.set(.walk(walks.ref(walk)), at: at)
    walks[walk].timerAt = at
  }

  /// The walk's timer has fired: its deadline has passed, its time at this link, or neither yet.
  mutating func timeHasCome(for walk: UInt32, at now: Instant) {
    walks[walk].timer = .none
    walks[walk].timerAt = Instant(microseconds: .max)
    if isOver(walk, at: now) { return deadlineHasPassed(for: walk, at: now) }
    if walks[walk].due > now { return arm(walk) }
    let link = links.ref(walks[walk].link)
    let replica = replicaAsked(by: walk)
    let cause = runOut(walk, at: now)
    fail(walk, cause, by: replica, at: now)
    if replica != .nobody { releaseIfUnused(replica) }
    goOn(at: link, at: now)
  }

  /// Whether the walk's deadline has passed, or that of draining.
  @inline(__always)
  mutating func isOver(_ walk: UInt32, at now: Instant) -> Bool { end(of: walk) <= now }

  /// The walk's deadline, or that of draining where it is earlier.
  @inline(__always)
  mutating func end(of walk: UInt32) -> Instant { min(walks[walk].deadline, drainDeadline ?? walks[walk].deadline) }

  /// Ends a walk whose deadline has passed, wherever it stands.
  mutating func deadlineHasPassed(for walk: UInt32, at now: Instant) {
    guard walks[walk].link != .nobody else {
      giveUpTurn(walk)
      traceKeyWait(of: walk, at: now)
      return end(walk, .timeout, by: .empty, at: now)
    }
    let link = links.ref(walks[walk].link)
    let replica = replicaAsked(by: walk)
    let by = nameAsked(replica, at: link.index)
    links[link.index].counts[runOut(walk, at: now)] += 1
    if replica != .nobody { releaseIfUnused(replica) }
    leave(walk)
    end(walk, .timeout, by: by.bytes, at: now)
    extendLifetime(by)
    goOn(at: link, at: now)
  }

  /// The time at a link is over: an offer lapses, and its handler is told; a walk that waits was not offered in time,
  /// be it for want of room or because the place stayed empty. The replica that was asked is the caller's to release.
  private mutating func runOut(_ walk: UInt32, at now: Instant) -> Cause {
    let offer = walks[walk].offer
    guard offer != .nobody else {
      let link = walks[walk].link
      let cause: Cause = links[link].firstReplica == .nobody ? .disconnect : .overload
      traceFailure(of: walk, at: link, cause, at: now)
      return cause
    }
    traceOffer(of: walk, Cause.timeout.spelling, at: now)
    tellLapsed(offer, at: now)
    settleOffer(of: walk)
    countTimeout(of: offer, at: now)
    return .timeout
  }

  /// The replica that a walk's offer is open with, or `nobody`.
  private mutating func replicaAsked(by walk: UInt32) -> UInt32 {
    walks[walk].offer == .nobody ? .nobody : offers[walks[walk].offer].replica
  }

  /// Five offers running that ran out, each given the link's own time or at least 1 s, make a breaker open.
  private mutating func countTimeout(of offer: UInt32, at now: Instant) {
    let replica = offers[offer].replica
    let counts = offers[offer].isFull || offers[offer].timeoutMilliseconds >= settings.breakerLeastMilliseconds
    let later = now.advanced(milliseconds: settings.breakerMilliseconds)
    if replicas[replica].breaker.timedOut(counts: counts, most: settings.breakerOffers, until: later) {
      announceBreaker(of: replica, isOpen: true)
    }
  }

  /// After something was settled at a link: what waits there is offered, or fails where the link is left alone now.
  @inline(__always)
  mutating func goOn(at link: Ref<Link>, at now: Instant) {
    guard links.contains(link), links[link.index].waiting > 0 else { return }
    offerWaiting(at: link.index, at: now)
    if isLeftAlone(link.index, at: now) { failWaiting(at: link.index, .breaker, at: now) }
  }
}
