/// The walks that wait at a link: first those whose offers were lost, then the others in the order in which they came. Whose
/// turn it is says `Router+WaitingTurns`.
extension Router {
  /// A walk begins to stand at a link.
  @inline(__always)
  mutating func standAt(_ walk: Slot<Walk>, at link: Slot<Link>, until shareEnd: Instant, _ now: Instant) {
    walks[walk].link = link
    walks[walk].reached = now
    walks[walk].shareEnd = shareEnd
    walks[walk].isAgain = false
    links[link].standing += 1
    traceWait(of: walk, at: now)
  }

  /// A walk that stands at a link begins to wait there, as the last one.
  mutating func joinQueue(_ walk: Slot<Walk>, in row: Slot<WaitingRow>, at link: Slot<Link>) {
    let last = links[link].lastWaiting
    walks[walk].previousAtLink = last
    walks[walk].nextAtLink = .nobody
    if last != .nobody { walks[last].nextAtLink = walk } else { links[link].firstWaiting = walk }
    links[link].lastWaiting = walk
    countWaiting(walk, at: link, since: walks[walk].reached)
    joinRow(row, walk, at: link)
  }

  /// A walk whose offer was lost waits again: ahead of the other walks, but behind those whose offers were lost
  /// earlier.
  mutating func waitAgain(_ walk: Slot<Walk>, at now: Instant) {
    let link = walks[walk].link
    traceWait(of: walk, at: now)
    walks[walk].isAgain = true
    walks[walk].wasRepeated = true
    if walks[walk].whole != .nobody { walks[walk].waitsSince = now }
    let previous = links[link].lastAgain
    let behind = previous == .nobody ? links[link].firstWaiting : walks[previous].nextAtLink
    links[link].lastAgain = walk
    walks[walk].previousAtLink = previous
    walks[walk].nextAtLink = behind
    if previous != .nobody { walks[previous].nextAtLink = walk } else { links[link].firstWaiting = walk }
    if behind != .nobody { walks[behind].previousAtLink = walk } else { links[link].lastWaiting = walk }
    countWaiting(walk, at: link, since: now)
  }

  @inline(__always)
  private mutating func countWaiting(_ walk: Slot<Walk>, at link: Slot<Link>, since now: Instant) {
    walks[walk].isWaiting = true
    if links[link].waiting == 0 { links[link].waitedSince = now }
    links[link].waiting += 1
    countWaitingBytes(walks[walk].bytes, at: link)
  }

  /// Removes a walk from the link at which it stands, if any. Its offer must have been settled.
  @inline(__always)
  mutating func leaveLink(_ walk: Slot<Walk>) {
    let link = walks[walk].link
    guard link != .nobody else { return }
    assert(walks[walk].offer == .nobody)
    if walks[walk].isWaiting { stopWaiting(walk, at: link) }
    links[link].standing -= 1
    walks[walk].link = .nobody
    walks[walk].place.passed = links[placeSeen(of: link, since: walks[walk].place.entered)].order
    if links[link].fate != nil { releaseIfUnused(link) }
  }

  /// A waiting walk gets an offer or leaves.
  mutating func stopWaiting(_ walk: Slot<Walk>, at link: Slot<Link>) {
    let (previous, next) = (walks[walk].previousAtLink, walks[walk].nextAtLink)
    if previous != .nobody { walks[previous].nextAtLink = next } else { links[link].firstWaiting = next }
    if next != .nobody { walks[next].previousAtLink = previous } else { links[link].lastWaiting = previous }
    if links[link].nextToSift == walk { links[link].nextToSift = next }
    // Repeated walks are ahead of all others.
    if links[link].lastAgain == walk { links[link].lastAgain = previous }
    leaveRow(walk)
    walks[walk].isWaiting = false
    links[link].waiting -= 1
    countWaitingBytes(-walks[walk].bytes, at: link)
  }

  /// When the first of those that wait at a link came there; nil if nothing waits.
  mutating func firstWaitBegan(at link: Slot<Link>) -> Instant? {
    let first = links[link].firstWaiting
    guard first != .nobody else { return nil }
    // One whose offer was lost may have come after the first of the others.
    let again = links[link].lastAgain
    let other = again == .nobody ? .nobody : walks[again].nextAtLink
    return other == .nobody ? walks[first].reached : min(walks[first].reached, walks[other].reached)
  }
}
