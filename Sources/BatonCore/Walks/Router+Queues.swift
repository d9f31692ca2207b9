/// The list of walks that stand at a link: first those with an open offer, then those that wait in its queue.
extension Router {
  /// A walk begins to stand at a link, as the last one.
  @inline(__always)
  mutating func standAt(_ walk: Slot<Walk>, at link: Slot<Link>, until shareEnd: Instant, _ now: Instant) {
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

  /// The walk that came last begins to wait.
  mutating func joinQueue(_ walk: Slot<Walk>, at link: Slot<Link>) {
    walks[walk].isWaiting = true
    links[link].waiting += 1
    links[link].waitingBytes += walks[walk].bytes
    if links[link].firstWaiting == .nobody { links[link].firstWaiting = walk }
  }

  /// A walk whose offer was lost waits again: ahead of the other walks, but behind those whose offers were lost
  /// earlier.
  mutating func waitAgain(_ walk: Slot<Walk>, at now: Instant) {
    let link = walks[walk].link
    traceWait(of: walk, at: now)
    walks[walk].isAgain = true
    walks[walk].wasRepeated = true
    let lastAgain = links[link].lastAgain
    let behind = lastAgain == .nobody ? links[link].firstWaiting : walks[lastAgain].nextAtLink
    links[link].lastAgain = walk
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

  /// Removes a walk from the link at which it stands, if any. Its offer must have been settled.
  @inline(__always)
  mutating func leaveLink(_ walk: Slot<Walk>) {
    let link = walks[walk].link
    guard link != .nobody else { return }
    assert(walks[walk].offer == .nobody)
    if walks[walk].isWaiting { stopWaiting(walk, at: link) }
    unchain(walk, from: link)
    links[link].standing -= 1
    walks[walk].link = .nobody
    walks[walk].place.passed = links[placeSeen(of: link, since: walks[walk].place.entered)].order
    if links[link].fate != nil { releaseIfUnused(link) }
  }

  /// Takes a walk out of the link's list. The link's counts stay as they are.
  @inline(__always)
  private mutating func unchain(_ walk: Slot<Walk>, from link: Slot<Link>) {
    let (previous, next) = (walks[walk].previousAtLink, walks[walk].nextAtLink)
    if previous != .nobody { walks[previous].nextAtLink = next } else { links[link].firstWalk = next }
    if next != .nobody { walks[next].previousAtLink = previous } else { links[link].lastWalk = previous }
  }

  /// The repeated walk that waits before this one, or `nobody`: repeated walks wait ahead of all others.
  private mutating func againBefore(_ walk: Slot<Walk>) -> Slot<Walk> {
    let before = walks[walk].previousAtLink
    return before != .nobody && walks[before].isWaiting ? before : .nobody
  }

  /// A waiting walk gets an offer or leaves: it is no longer counted among those that wait.
  mutating func stopWaiting(_ walk: Slot<Walk>, at link: Slot<Link>) {
    walks[walk].isWaiting = false
    links[link].waiting -= 1
    links[link].waitingBytes -= walks[walk].bytes
    if links[link].firstWaiting == walk { links[link].firstWaiting = walks[walk].nextAtLink }
    if links[link].nextToSift == walk { links[link].nextToSift = walks[walk].nextAtLink }
    if links[link].lastAgain == walk { links[link].lastAgain = againBefore(walk) }
  }
}
