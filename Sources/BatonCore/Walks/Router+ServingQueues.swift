/// What waits in a link's queue goes on: it is offered, fails, or passes the link.
extension Router {
  /// After something was settled at a link: what waits there is offered, or fails where the link is left alone now.
  @inline(__always)
  mutating func serveQueue(of link: Ref<Link>, at now: Instant) {
    guard links.contains(link), links[link.slot].waiting > 0 else { return }
    offerWaiting(at: link.slot, at: now)
    if isBreakerOpen(link.slot, at: now) { failWaiting(at: link.slot, .breaker, at: now) }
  }

  /// Offers to a link's handlers what waits for it, as far as there is room.
  mutating func offerWaiting(at link: Slot<Link>, at now: Instant) {
    while links[link].firstWaiting != .nobody {
      let walk = links[link].firstWaiting
      // One whose time is over is its timer's, which fires in this turn; a repeat was offered in time before.
      guard !isOver(walk, at: now), walks[walk].due > now || walks[walk].isAgain,
        let replica = nextReplica(of: link, at: now)
      else { return }
      stopWaiting(walk, at: link)
      offerWalk(walk, to: replica, at: now)
    }
  }

  /// Fails those that wait at a link, in order.
  mutating func failWaiting(at link: Slot<Link>, _ cause: Cause, at now: Instant) {
    for _ in 0..<links[link].waiting {
      let walk = links[link].firstWaiting
      traceFailure(of: walk, at: link, cause, at: now)
      failWalk(walk, cause, at: now)
    }
  }

  /// Lets those that wait at a removed link go on.
  mutating func passOnWaiting(at link: Slot<Link>, at now: Instant) {
    for _ in 0..<links[link].waiting {
      let walk = links[link].firstWaiting
      traceSkip(of: walk, past: link, "removed", at: now)
      walkOn(walk, at: now)
    }
  }

  /// Sends on those that wait at a link and that it no longer accepts.
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
