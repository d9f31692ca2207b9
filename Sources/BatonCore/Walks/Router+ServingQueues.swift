/// Serves the queues of links: walks that wait there are offered, fail, or pass the link. A long queue is served in
/// pieces; jobs go on with it.
extension Router {
  /// Called after something was settled at a link. Waiting walks are offered as far as there is room. If the link's
  /// breakers are open, they fail.
  @inline(__always)
  mutating func serveQueue(of link: Ref<Link>, at now: Instant) {
    guard links.contains(link), links[link.slot].waiting > 0 else { return }
    offerWaiting(at: link.slot, at: now)
    if isBreakerOpen(link.slot, at: now), failWaiting(at: link, .breaker, at: now) { serveLater(link.slot) }
  }

  /// Offers waiting walks to a link's handlers, as far as there is room.
  private mutating func offerWaiting(at link: Slot<Link>, at now: Instant) {
    for _ in 0..<settings.pieces.size {
      let walk = nextWaiting(at: link)
      if walk == .nobody { return }
      // A walk whose time is over is left to its timer, which fires in this turn. A repeated message was offered in
      // time the first time.
      guard !isOver(walk, at: now), walks[walk].due > (judgedAt ?? now) || walks[walk].isAgain,
        let replica = nextReplica(of: link, at: now)
      else { return }
      takeTurn(of: walk, at: link)
      stopWaiting(walk, at: link)
      offerWalk(walk, to: replica, at: now)
      spent &+= Cost.step
    }
    if links[link].waiting > 0 { serveLater(link) }
  }

  /// A job serves the queue of the link.
  mutating func serveLater(_ link: Slot<Link>) {
    guard !links[link].isToBeServed else { return }
    links[link].isToBeServed = true
    beginJob(.serveLink(links.ref(link)))
  }

  /// A job does that now.
  mutating func serveNow(_ link: Ref<Link>, at now: Instant) {
    links[link.slot].isToBeServed = false
    serveQueue(of: link, at: now)
  }

  /// Offers what waits at the links that the connection serves.
  mutating func serveLinks(of connection: Slot<Connection>, at now: Instant) {
    endOfferingLater(to: connection)
    let isUnderWay = connections[connection].handling.linksToServe > 0
    connections[connection].handling.linksToServe = Int(connections[connection].serving.replicas)
    if serveNextLinks(of: connection, at: now), !isUnderWay { beginJob(.serveLinks(connections.ref(connection))) }
  }

  /// Offers what waits at the next of these links. Returns true if more are left.
  mutating func serveNextLinks(of connection: Slot<Connection>, at now: Instant) -> Bool {
    for _ in 0..<settings.pieces.size {
      let replica = connections[connection].serving.firstReplica
      guard replica != .nobody, connections[connection].handling.linksToServe > 0 else {
        connections[connection].handling.linksToServe = 0
        return false
      }
      connections[connection].handling.linksToServe -= 1
      moveToEnd(replica)
      spent &+= Cost.look
      offerWaiting(at: replicas[replica].link.slot, at: now)
    }
    return connections[connection].handling.linksToServe > 0
  }

  /// Fails walks that wait at a link, in order; those that may pass a place without a handler walk on. Others of them may end
  /// with a stage meanwhile. Returns true if more are left.
  mutating func failWaiting(at link: Ref<Link>, _ cause: Cause, at now: Instant) -> Bool {
    for _ in 0..<min(settings.pieces.size, links[link.slot].waiting) {
      guard isWaitedFor(link) else { return false }
      let walk = links[link.slot].firstWaiting
      spent &+= Cost.step
      notePassed(link.slot, by: walk)
      if cause == .disconnect, goesOnInVain(walk, at: link.slot) {
        let state = links[link.slot].fate == nil ? LinkState.empty.spelling : "removed"
        traceSkip(of: walk, past: link.slot, state, at: now)
        goOnBehind(walk, at: now)
        continue
      }
      failWalk(walk, cause, at: now)
    }
    return isWaitedFor(link)
  }

  /// The link was removed: the walks that wait there walk on. Returns true if more are left.
  mutating func passOnWaiting(at link: Ref<Link>, at now: Instant) -> Bool {
    for _ in 0..<min(settings.pieces.size, links[link.slot].waiting) {
      guard isWaitedFor(link) else { return false }
      let walk = links[link.slot].firstWaiting
      traceSkip(of: walk, past: link.slot, "removed", at: now)
      goOnBehind(walk, at: now)
      spent &+= Cost.step
    }
    return isWaitedFor(link)
  }

  /// The link's patterns were changed: waiting walks that no longer match them walk on.
  mutating func passOnUnwanted(at link: Slot<Link>, at now: Instant) {
    links[link].nextToSift = links[link].firstWaiting
    let ref = links.ref(link)
    if siftWaiting(at: ref, at: now) { beginJob(.sift(ref)) }
  }

  /// Goes on with that. Returns true if more walks are left to look at.
  mutating func siftWaiting(at link: Ref<Link>, at now: Instant) -> Bool {
    for _ in 0..<settings.pieces.size {
      let walk = links[link.slot].nextToSift
      if walk == .nobody { return false }
      links[link.slot].nextToSift = walks[walk].nextAtLink
      let place = placeSeen(of: link.slot, since: walks[walk].place.entered)
      spent &+= Cost.look &* links[place].settings.accepts.count
      if links[place].settings.accept(walks[walk].message.topic) { continue }
      traceSkip(of: walk, past: link.slot, "topic", at: now)
      goOnBehind(walk, at: now)
    }
    return links[link.slot].nextToSift != .nobody
  }

  /// Whether walks wait at a link that is still there. It may have been forgotten with its last walk.
  private mutating func isWaitedFor(_ link: Ref<Link>) -> Bool { links.contains(link) && links[link.slot].waiting > 0 }
}
