/// Ends what a connection serves: its links, and the offers that it holds (contract, sections 5 and 6).
extension Router {
  /// A connection no longer serves its links. A link ends if no other connection serves it and its place is not kept.
  /// The offers that the connection holds and the messages that wait at its lost links fail with `disconnect`, unless
  /// they can be offered again.
  mutating func endServing(of connection: Slot<Connection>, at now: Instant) {
    var left: [Ref<Link>] = []
    while connections[connection].firstReplica != .nobody {
      let replica = connections[connection].firstReplica
      let link = replicas[replica].link
      replicas[replica].wasServing = true
      detachReplica(replica, at: now)
      left.append(link)
      if links[link.slot].firstReplica == .nobody {
        if keepPlace(of: link.slot, at: now) {
          announceHeld(link.slot, by: connection)
          continue
        }
        takeOut(link.slot, .lost, at: now)
      }
      announceRemoved(link.slot, by: connection, .disconnect)
    }
    while connections[connection].offers.first != .nobody {
      failOffer(connections[connection].offers.first, of: connection, at: now)
    }
    connections[connection].lapsed = 0
    for link in left where links.contains(link) {
      if links[link.slot].fate == nil, !links[link.slot].isAbsent {
        serveQueue(of: link, at: now)
      } else {
        failWaiting(at: link.slot, .disconnect, at: now)
        finishTakingOut(link)
      }
    }
  }
}
