/// The choice of the replica that gets the next offer of a link (contract, sections 5 and 6).
extension Router {
  /// The replica that gets the next offer: the one with the fewest open offers among those that are free. Among equals,
  /// replicas take turns. A notice may go to any replica.
  mutating func nextReplica(of link: Slot<Link>, at now: Instant, isForNotice: Bool = false) -> Slot<Replica>? {
    let first = links[link].firstReplica
    guard first != .nobody else { return nil }
    let isOnly = replicas[first].nextAtLink == .nobody
    if isOnly { return isForNotice || isFree(first, of: link, at: now) ? first : nil }
    spent &+= Cost.look &* links[link].connections
    var best = Slot<Replica>.nobody
    var replica = links[link].served
    if replica == .nobody { replica = links[link].lastReplica }
    let end = replica
    repeat {
      replica = replicas[replica].nextAtLink == .nobody ? first : replicas[replica].nextAtLink
      if isForNotice || isFree(replica, of: link, at: now),
        best == .nobody || replicas[replica].open < replicas[best].open
      {
        best = replica
      }
    } while replica != end
    guard best != .nobody else { return nil }
    links[link].served = best
    return best
  }

  /// Whether a replica can get an offer: its window has room, its connection reads fast enough, and its breaker allows
  /// it.
  @inline(__always)
  mutating func isFree(_ replica: Slot<Replica>, of link: Slot<Link>, at now: Instant) -> Bool {
    replicas[replica].open < links[link].settings.window
      && connections[replicas[replica].connection].phase == .open && readsOffers(replicas[replica].connection)
      && replicas[replica].breaker.lets(at: now)
  }

  /// Whether the breaker of every connection that serves a link refuses an offer now. False if no connection serves it.
  @inline(__always)
  mutating func isBreakerOpen(_ link: Slot<Link>, at now: Instant) -> Bool {
    var replica = links[link].firstReplica
    if replica == .nobody { return false }
    while replica != .nobody {
      if replicas[replica].breaker.lets(at: now) { return false }
      replica = replicas[replica].nextAtLink
    }
    return true
  }
}
