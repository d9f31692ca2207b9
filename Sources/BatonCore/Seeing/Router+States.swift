/// Finds the state of a link (contract, section 8): what a message that comes there now would meet.
extension Router {
  /// The state of a link with handlers, as `explain`, `inspect` and `/metrics` tell it. What keeps a message from being
  /// offered is checked in the order in which a walk would meet it. `sender` is who asks what would become of its message.
  mutating func state(of link: Slot<Link>, for sender: Slot<Connection> = .nobody, _ now: Instant) -> LinkState {
    if links[link].settings.isShadow { return .shadow }
    if links[link].isAbsent { return links[link].settings.isRequired ? .absent : .empty }
    if isBreakerOpen(link, at: now) { return .breaker }
    let (hasFree, hasWindow) = room(at: link, now)
    if links[link].waiting == 0, hasFree { return .serving }
    if !hasRoomToWait(bytes: 1, of: sender, at: link) { return .overload }
    if links[link].firstReplica == .nobody { return .held }
    return hasWindow && !hasFree ? .unsent : .window
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
