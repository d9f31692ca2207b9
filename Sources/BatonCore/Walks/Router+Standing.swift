/// A walk comes to a link: it is offered, waits, or fails there (contract, sections 5 and 6).
extension Router {
  /// A walk comes to a place: a link, or an older place of one. Returns false if it passes the link at once; true if it
  /// stands there now or has ended.
  mutating func reachLink(_ place: Slot<Link>, by walk: Slot<Walk>, at now: Instant) -> Bool {
    comesTo(place, by: walk, at: now)
  }

  /// The same, in the place of the call: nearly every message comes to its links there.
  @inline(__always)
  mutating func comesTo(_ place: Slot<Link>, by walk: Slot<Walk>, at now: Instant) -> Bool {
    switch meetLink(place, by: walk, at: now) {
    case .passes: return false
    case .ends: return true
    case .mayStand(let link, let shareEnd):
      return stands(walk, at: link, until: shareEnd, now)
        || fails(walk, at: link, seenAt: place, .overload, at: now)
    }
  }

  /// What a walk meets at a link.
  enum Meeting {
    case passes, ends
    /// It may stand there, as long as this.
    case mayStand(at: Slot<Link>, until: Instant)
  }

  /// A walk comes to a place, and does not stand there yet.
  @inline(__always)
  mutating func meetLink(_ place: Slot<Link>, by walk: Slot<Walk>, at now: Instant) -> Meeting {
    let link = links[place].fate == .moved ? links[place].present.slot : place
    if leavingConnections > 0 { settleLink(link, at: now) }
    if walks[walk].mode == .notify {
      tellLink(link, of: walk, isShadow: links[place].settings.isShadow, at: now)
      // A handler cannot stop a notice. So nothing behind it is told.
      guard links[place].stopsNotices else { return .passes }
      endNotice(walk, at: now)
      return .ends
    }
    if links[link].fate != nil {
      // The file does not declare it any more. Only a required one stops who was on the way to it.
      if links[link].isDeclared, !links[place].settings.isRequired { return .passes }
      return fails(walk, at: link, seenAt: place, .disconnect, at: now) ? .ends : .passes
    }
    if links[place].settings.isShadow {
      offerCopy(of: walk, to: link, at: now)
      traceSkip(of: walk, past: link, "shadow", at: now)
      return .passes
    }
    let shareEnd = shareEnd(of: walk, at: now)
    if case .absent = links[link].service {
      notePassed(link, by: walk)
      if !passesEmpty(place) {
        return fails(walk, at: link, seenAt: place, .disconnect, at: now) ? .ends : .passes
      }
      passAsEmpty(walk, at: link, now)
      return .passes
    }
    if isBreakerOpen(link, at: now) {
      notePassed(link, by: walk)
      return fails(walk, at: link, seenAt: place, .breaker, at: now) ? .ends : .passes
    }
    return .mayStand(at: link, until: shareEnd)
  }

  /// A walk begins to stand at a link: it is offered, or waits. Returns false if there is no room to wait.
  @inline(__always)
  mutating func stands(_ walk: Slot<Walk>, at link: Slot<Link>, until shareEnd: Instant, _ now: Instant) -> Bool {
    if links[link].firstWaiting == .nobody, let replica = nextReplica(of: link, at: now) {
      standAt(walk, at: link, until: shareEnd, now)
      offerWalk(walk, to: replica, at: now)
      return true
    }
    let row = waitingRow(of: walk, at: link)
    guard hasRoomToWait(walk, in: row, at: link) else { return false }
    recordSteps(of: walk, before: walks[walk].hops)
    standAt(walk, at: link, until: shareEnd, now)
    joinQueue(walk, in: row, at: link)
    walks[walk].due = shareEnd
    armWalk(walk)
    return true
  }

  /// A walk passes a declared place because no handler serves it. If the walk does not end well, `walks` says so.
  mutating func passAsEmpty(_ walk: Slot<Walk>, at link: Slot<Link>, _ now: Instant) {
    recordSteps(of: walk, before: walks[walk].hops)
    traceSkip(of: walk, past: link, LinkState.empty.spelling, at: now)
  }

  /// Whether messages pass a place that nobody serves: it is declared, and not required.
  mutating func passesEmpty(_ place: Slot<Link>) -> Bool {
    links[place].isDeclared && !links[place].settings.isRequired
  }

  /// Whether a walk that waits at a place passes it if no handler comes. If its offer was lost there, the link has failed
  /// it; unless the file does not declare the link any more: only if it was required, that stops those who wait there.
  mutating func goesOnInVain(_ walk: Slot<Walk>, at link: Slot<Link>) -> Bool {
    let place = placeSeen(of: link, since: walks[walk].place.entered)
    guard links[link].fate == nil else { return links[link].isDeclared && !links[place].settings.isRequired }
    return !walks[walk].isAgain && passesEmpty(place)
  }

  /// A link fails a walk that does not stand at it. Returns true if the policy of the place ends the walk.
  mutating func fails(
    _ walk: Slot<Walk>, at link: Slot<Link>, seenAt place: Slot<Link>, _ cause: Cause, at now: Instant
  ) -> Bool {
    let stops = links[place].settings.onFailure[cause]
    guard links[link].fate == nil || stops else {
      // A link that was lost before the message came to it is shown in traces only. Nobody reads its counts any more.
      if walks[walk].isTraced { traceFailure(of: walk, at: link, cause, at: now) }
      return false
    }
    tellFailed(walk, at: link, cause, goesOn: !stops, at: now)
    if stops { endFailed(walk, at: link, cause, isSaid: false, at: now) }
    return stops
  }

  /// The link at which a walk stands fails it. The walk's offer must have been settled. The policy with
  /// which it was offered, or the link's if it was not, decides whether the walk continues or ends.
  mutating func failWalk(
    _ walk: Slot<Walk>, _ cause: Cause, by asked: Offer.Asked? = nil, isSaid: Bool = false, at now: Instant
  ) {
    let link = walks[walk].link
    let policy = asked?.policy ?? links[placeSeen(of: link, since: walks[walk].place.entered)].settings.onFailure
    tellFailed(walk, at: link, cause, by: asked, isSaid: isSaid, goesOn: !policy[cause], at: now)
    guard policy[cause] else { return goOnBehind(walk, at: now) }
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
    endAtLink(walk, isLate ? .timeout : .failed(cause, isSaid: isSaid, wasAsked: asked != nil), by: by.bytes, at: now)
    extendLifetime(by)
  }

  /// The name in a result's `by`: the handler's name as its offer said it, or the link's name if there was no offer. It
  /// is a copy, because link and replica may end with the last walk that stands there.
  mutating func nameAsked(_ asked: Offer.Asked?, at link: Slot<Link>) -> OwnedBytes {
    if let asked { return OwnedBytes(copying: replicas[asked.maker].name) }
    return OwnedBytes("\"\(links[link].name.string)\"")
  }
}
