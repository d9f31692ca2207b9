/// Links that lose a connection that served them (contract, section 5).
extension Router {
  /// A connection that serves a link is lost. The link ends if no other connection serves it and its place is not kept.
  mutating func loseReplica(_ replica: Slot<Replica>, at now: Instant) {
    let connection = replicas[replica].connection
    let link = replicas[replica].link
    spent &+= Cost.link
    replicas[replica].wasServing = true
    connections[connection].leaving?.add(link)
    detachReplica(replica, at: now)
    if links[link.slot].firstReplica == .nobody {
      if leaveEmpty(of: link.slot, leftBy: connection, at: now) {
        return announceHeld(link.slot, by: connection, isLost: true, at: now)
      }
      takeOut(link.slot, .lost, paidBy: connections[connection].account, at: now)
    }
    announceRemoved(link.slot, by: connection, .disconnect, at: now)
  }

  /// Somebody comes to a link while connections are ending: those of its replicas that are lost already end first.
  @inline(never)
  mutating func settleLink(_ link: Slot<Link>, at now: Instant) {
    var replica = links[link].firstReplica
    while replica != .nobody {
      let next = replicas[replica].nextAtLink
      if connections[replicas[replica].connection].leaving != nil { loseReplica(replica, at: now) }
      replica = next
    }
  }
}

/// What is left to do for a connection that has ended and that served links or held offers.
final class Leaving {
  /// The links that it served. What waits there is dealt with at last.
  private var links = Queue<Ref<Link>>()

  func add(_ link: Ref<Link>) { links.append(link) }

  func nextLink() -> Ref<Link>? { links.popFirst() }
}
