/// A walk at a link: coming to it, waiting there, failing, leaving (contract, sections 5 and 6).
extension Router {
  /// Comes to a link. False where the walk has to go on at once.
  mutating func reach(_ link: UInt32, by walk: UInt32, at now: Instant) -> Bool {
    if links[link].fate != nil { return fails(walk, at: link, .disconnect, at: now) }
    if links[link].settings.isShadow {
      offerCopy(of: walk, to: link, at: now)
      traceSkip(of: walk, past: link, "shadow", at: now)
      return false
    }
    let remaining = walks[walk].deadline.microseconds - now.microseconds
    let shareEnd = Instant(microseconds: now.microseconds + max(1000, remaining / Int64(linksAhead(of: walk))))
    if case .absent = links[link].service { return fails(walk, at: link, .disconnect, at: now) }
    if isLeftAlone(link, at: now) { return fails(walk, at: link, .breaker, at: now) }
    if links[link].firstWaiting == .nobody, let replica = nextReplica(of: link, at: now) {
      stand(walk, at: link, until: shareEnd, now)
      offer(walk, to: replica, at: now)
      return true
    }
    let bytes = walks[walk].bytes
    if links[link].waiting >= settings.maxQueueMessages || links[link].waitingBytes + bytes > settings.maxQueueBytes {
      return fails(walk, at: link, .overload, at: now)
    }
    stand(walk, at: link, until: shareEnd, now)
    wait(walk, at: link)
    walks[walk].due = shareEnd
    arm(walk)
    return true
  }

  /// A link fails a walk that does not stand at it. True where the link's policy ends the walk.
  private mutating func fails(_ walk: UInt32, at link: UInt32, _ cause: Cause, at now: Instant) -> Bool {
    links[link].counts[cause] += 1
    traceFailure(of: walk, at: link, cause, at: now)
    guard links[link].settings.onFailure[cause] else { return false }
    endFailed(walk, at: link, cause, isSaid: false, at: now)
    return true
  }

  /// The link at which a walk stands fails it; its offer must have been settled. The link's policy decides what
  /// becomes of it.
  mutating func fail(
    _ walk: UInt32, _ cause: Cause, by replica: UInt32 = .nobody, isSaid: Bool = false, at now: Instant
  ) {
    let link = walks[walk].link
    links[link].counts[cause] += 1
    guard links[link].settings.onFailure[cause] else { return walkOn(walk, at: now) }
    endFailed(walk, at: link, cause, by: replica, isSaid: isSaid, at: now)
  }

  /// Who a result says was asked: the handler by the name that its offer said, or the link where none was made. A
  /// copy: link and replica may go with the last walk that stands there.
  mutating func nameAsked(_ replica: UInt32, at link: UInt32) -> OwnedBytes {
    if replica != .nobody { return OwnedBytes(copying: replicas[replica].name) }
    return OwnedBytes("\"\(links[link].name.string)\"")
  }

  private mutating func endFailed(
    _ walk: UInt32, at link: UInt32, _ cause: Cause, by replica: UInt32 = .nobody, isSaid: Bool, at now: Instant
  ) {
    let by = nameAsked(replica, at: link)
    leave(walk)
    // At the deadline `timeout` wins over every policy.
    let isLate = isOver(walk, at: now)
    end(walk, isLate ? .timeout : .failed(cause, isSaid: isSaid), by: by.bytes, at: now)
    extendLifetime(by)
  }

  @inline(__always)
  private mutating func stand(_ walk: UInt32, at link: UInt32, until shareEnd: Instant, _ now: Instant) {
    let last = links[link].lastWalk
    walks[walk].link = link
    walks[walk].reached = now
    walks[walk].shareEnd = shareEnd
    walks[walk].isAgain = false
    walks[walk].previousAtLink = last
    walks[walk].nextAtLink = .nobody
    if last != .nobody { walks[last].nextAtLink = walk } else { links[link].firstWalk = walk }
    links[link].lastWalk = walk
    links[link].standing += 1
    traceWait(of: walk, at: now)
  }

  /// The last walk to come begins to wait.
  private mutating func wait(_ walk: UInt32, at link: UInt32) {
    walks[walk].isWaiting = true
    links[link].waiting += 1
    links[link].waitingBytes += walks[walk].bytes
    if links[link].firstWaiting == .nobody { links[link].firstWaiting = walk }
  }

  /// A walk whose offer was lost begins to wait again, ahead of the others that wait there but behind those that were
  /// lost before it.
  mutating func waitAgain(_ walk: UInt32, at now: Instant) {
    let link = walks[walk].link
    traceWait(of: walk, at: now)
    walks[walk].isAgain = true
    walks[walk].wasRepeated = true
    var behind = links[link].firstWaiting
    while behind != .nobody, walks[behind].isAgain { behind = walks[behind].nextAtLink }
    unchain(walk, from: link)
    let previous = behind == .nobody ? links[link].lastWalk : walks[behind].previousAtLink
    walks[walk].previousAtLink = previous
    walks[walk].nextAtLink = behind
    if previous != .nobody { walks[previous].nextAtLink = walk } else { links[link].firstWalk = walk }
    if behind != .nobody { walks[behind].previousAtLink = walk } else { links[link].lastWalk = walk }
    walks[walk].isWaiting = true
    links[link].waiting += 1
    links[link].waitingBytes += walks[walk].bytes
    if links[link].firstWaiting == behind { links[link].firstWaiting = walk }
  }

  /// Takes a walk away from the link at which it stands, if any. Its offer must have been settled.
  @inline(__always)
  mutating func leave(_ walk: UInt32) {
    let link = walks[walk].link
    guard link != .nobody else { return }
    assert(walks[walk].offer == .nobody)
    if walks[walk].isWaiting { stopWaiting(walk, at: link) }
    unchain(walk, from: link)
    links[link].standing -= 1
    walks[walk].link = .nobody
    walks[walk].place.passed = links[link].order
    if links[link].fate != nil { retireIfUnused(link) }
  }

  @inline(__always)
  private mutating func unchain(_ walk: UInt32, from link: UInt32) {
    let (previous, next) = (walks[walk].previousAtLink, walks[walk].nextAtLink)
    if previous != .nobody { walks[previous].nextAtLink = next } else { links[link].firstWalk = next }
    if next != .nobody { walks[next].previousAtLink = previous } else { links[link].lastWalk = previous }
  }

  mutating func stopWaiting(_ walk: UInt32, at link: UInt32) {
    walks[walk].isWaiting = false
    links[link].waiting -= 1
    links[link].waitingBytes -= walks[walk].bytes
    if links[link].firstWaiting == walk { links[link].firstWaiting = walks[walk].nextAtLink }
  }

  /// Fails those that wait at a link, in order.
  mutating func failWaiting(at link: UInt32, _ cause: Cause, at now: Instant) {
    for _ in 0..<links[link].waiting {
      let walk = links[link].firstWaiting
      traceFailure(of: walk, at: link, cause, at: now)
      fail(walk, cause, at: now)
    }
  }

  /// Lets those that wait at a removed link go on.
  mutating func passOnWaiting(at link: UInt32, at now: Instant) {
    for _ in 0..<links[link].waiting {
      let walk = links[link].firstWaiting
      traceSkip(of: walk, past: link, "removed", at: now)
      walkOn(walk, at: now)
    }
  }

  /// Sends on those that wait at a link and that it no longer accepts.
  mutating func passOnUnwanted(at link: UInt32, at now: Instant) {
    var walk = links[link].firstWaiting
    while walk != .nobody {
      let next = walks[walk].nextAtLink
      if !links[link].settings.accept(walks[walk].message.topic) {
        traceSkip(of: walk, past: link, "topic", at: now)
        walkOn(walk, at: now)
      }
      walk = next
    }
  }
}
