/// A walk comes to a link: it is offered, waits, or fails there (contract, sections 5 and 6).
extension Router {
  /// A walk comes to a link. Returns false if it passes the link at once; true if it stands there now or has ended.
  mutating func reachLink(_ link: Slot<Link>, by walk: Slot<Walk>, at now: Instant) -> Bool {
    if leavingConnections > 0 { settleLink(link, at: now) }
    if walks[walk].mode == .notify {
      tellLink(link, of: walk, at: now)
      // A handler cannot stop a notice. So nothing behind a guarded place is told.
      guard links[link].isGuarded else { return false }
      endNotice(walk, at: now)
      return true
    }
    if links[link].fate != nil { return fails(walk, at: link, .disconnect, at: now) }
    if links[link].settings.isShadow {
      offerCopy(of: walk, to: link, at: now)
      traceSkip(of: walk, past: link, "shadow", at: now)
      return false
    }
    let shareEnd = shareEnd(of: walk, at: now)
    if case .absent = links[link].service { return fails(walk, at: link, .disconnect, at: now) }
    if isBreakerOpen(link, at: now) { return fails(walk, at: link, .breaker, at: now) }
    if links[link].firstWaiting == .nobody, let replica = nextReplica(of: link, at: now) {
      standAt(walk, at: link, until: shareEnd, now)
      offerWalk(walk, to: replica, at: now)
      return true
    }
    let bytes = walks[walk].bytes
    if links[link].waiting >= settings.maxQueueMessages || links[link].waitingBytes + bytes > settings.maxQueueBytes {
      return fails(walk, at: link, .overload, at: now)
    }
    recordSteps(of: walk, before: walks[walk].hops)
    standAt(walk, at: link, until: shareEnd, now)
    joinQueue(walk, at: link)
    walks[walk].due = shareEnd
    armWalk(walk)
    return true
  }

  /// A link fails a walk that does not stand at it. Returns true if the link's policy ends the walk.
  private mutating func fails(_ walk: Slot<Walk>, at link: Slot<Link>, _ cause: Cause, at now: Instant) -> Bool {
    let stops = links[link].settings.onFailure[cause]
    guard links[link].fate == nil || stops else {
      // A link that was lost before the message came to it is shown in traces only. Nobody reads its counts any more.
      if walks[walk].isTraced { traceFailure(of: walk, at: link, cause, at: now) }
      return false
    }
    recordSteps(of: walk, before: walks[walk].hops)
    traceFailure(of: walk, at: link, cause, at: now)
    noteFailure(of: walk, at: link, cause, by: .nobody, isSaid: false, at: now)
    guard stops else {
      listFailure(of: walk, at: link, cause, isSaid: false, at: now)
      return false
    }
    endFailed(walk, at: link, cause, isSaid: false, at: now)
    return true
  }

  /// The link at which a walk stands fails it. The walk's offer must have been settled. The policy with
  /// which it was offered, or the link's if it was not, decides whether the walk continues or ends.
  mutating func failWalk(
    _ walk: Slot<Walk>, _ cause: Cause, by asked: Offer.Asked? = nil, isSaid: Bool = false, at now: Instant
  ) {
    let link = walks[walk].link
    noteFailure(of: walk, at: link, cause, by: asked?.replica ?? .nobody, isSaid: isSaid, at: now)
    let policy = asked?.policy ?? links[link].settings.onFailure
    guard policy[cause] else {
      listFailure(of: walk, at: link, cause, by: asked, isSaid: isSaid, at: now)
      return walkOn(walk, at: now)
    }
    endFailed(walk, at: link, cause, by: asked, isSaid: isSaid, at: now)
  }

  private mutating func endFailed(
    _ walk: Slot<Walk>, at link: Slot<Link>, _ cause: Cause, by asked: Offer.Asked? = nil, isSaid: Bool,
    at now: Instant
  ) {
    let by = nameAsked(asked, at: link)
    leaveLink(walk)
    // At the deadline, `timeout` takes precedence over every policy.
    let isLate = isOver(walk, at: now)
    endWalk(walk, isLate ? .timeout : .failed(cause, isSaid: isSaid), by: by.bytes, at: now)
    extendLifetime(by)
  }

  /// The name in a result's `by`: the handler's name as its offer said it, or the link's name if there was no offer. It
  /// is a copy, because link and replica may end with the last walk that stands there.
  mutating func nameAsked(_ asked: Offer.Asked?, at link: Slot<Link>) -> OwnedBytes {
    if let asked { return OwnedBytes(copying: replicas[asked.maker].name) }
    return OwnedBytes("\"\(links[link].name.string)\"")
  }
}
