/// Serves the queues of links: walks that wait there are offered, fail, or pass the link.
extension Router {
  /// Called after something was settled at a link. Waiting walks are offered as far as there is room. If the link's
  /// breakers are open, they fail.
  @inline(__always)
  mutating func serveQueue(of link: Ref<Link>, at now: Instant) {
    guard links.contains(link), links[link.slot].waiting > 0 else { return }
    offerWaiting(at: link.slot, at: now)
    if isBreakerOpen(link.slot, at: now) { failWaiting(at: link.slot, .breaker, at: now) }
  }

  /// Offers waiting walks to a link's handlers, as far as there is room.
  mutating func offerWaiting(at link: Slot<Link>, at now: Instant) {
    while links[link].firstWaiting != .nobody {
      let walk = links[link].firstWaiting
      // A walk whose time is over is left to its timer, which fires in this turn. A repeated message was offered in
      // time the first time.
      guard !isOver(walk, at: now), walks[walk].due > now || walks[walk].isAgain,
        let replica = nextReplica(of: link, at: now)
      else { return }
      stopWaiting(walk, at: link)
      offerWalk(walk, to: replica, at: now)
    }
  }

  /// Fails the walks that wait at a link, in order.
  mutating func failWaiting(at link: Slot<Link>, _ cause: Cause, at now: Instant) {
    for _ in 0..<links[link].waiting {
      let walk = links[link].firstWaiting
      traceFailure(of: walk, at: link, cause, at: now)
      failWalk(walk, cause, at: now)
    }
  }

  /// The link was removed: the walks that wait there walk on.
  mutating func passOnWaiting(at link: Slot<Link>, at now: Instant) {
    for _ in 0..<links[link].waiting {
      let walk = links[link].firstWaiting
      traceSkip(of: walk, past: link, "removed", at: now)
      walkOn(walk, at: now)
    }
  }

  /// The link's patterns were changed: waiting walks that no longer match them walk on.
  mutating func passOnUnwanted(at link: Slot<Link>, at now: Instant) {
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
