/// Finds the obstacle at a link (contract, section 8).
extension Router {
  /// The reason why a message that comes to a link with handlers now is not offered at once; nil if it is offered. The
  /// reasons are checked in the order in which a walk would meet them. `sender` is who asks what would become of its message.
  mutating func findObstacle(
    at link: Slot<Link>, for sender: Slot<Connection> = .nobody, _ now: Instant
  ) -> Obstacle? {
    if links[link].isAbsent { return links[link].settings.isRequired ? .absent : .empty }
    if isBreakerOpen(link, at: now) { return .breaker }
    let (hasFree, hasWindow) = room(at: link, now)
    if links[link].waiting == 0, hasFree { return nil }
    if !hasRoomToWait(bytes: 1, of: sender, at: link) { return .overload }
    if links[link].firstReplica == .nobody { return .held }
    return hasWindow && !hasFree ? .unsent : .window
  }

  /// The state of a link with handlers, as `inspect` and `/metrics` tell it.
  mutating func stateInWords(of link: Slot<Link>, _ now: Instant) -> StaticString {
    links[link].settings.isShadow ? "shadow" : findObstacle(at: link, now)?.spelling ?? "open"
  }

  /// Whether a replica could get an offer now, and whether one has room in its window.
  private mutating func room(at link: Slot<Link>, _ now: Instant) -> (hasFree: Bool, hasWindow: Bool) {
    var (hasFree, hasWindow) = (false, false)
    var replica = links[link].firstReplica
    while replica != .nobody {
      if isFree(replica, of: link, at: now) { hasFree = true }
      let hasRoom = replicas[replica].open < links[link].settings.window
      if hasRoom, replicas[replica].breaker.lets(at: now) { hasWindow = true }
      replica = replicas[replica].nextAtLink
    }
    return (hasFree, hasWindow)
  }
}
