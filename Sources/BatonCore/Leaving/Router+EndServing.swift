/// Ends what a connection has here: its links, the offers that it holds, its subscriptions (contract, sections 5 and 6).
extension Router {
  /// A connection has ended. Its links end now, or in the next turns if they are many: until then, whoever comes to one
  /// of them ends that one first (`settleLink`). The offers that it holds and the messages that wait at its lost links
  /// fail with `disconnect`, unless they can be offered again.
  mutating func beginLeaving(_ connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].leaving == nil else { return }
    connections[connection].leaving = Leaving()
    leavingConnections += 1
    if leaveFurther(connection, at: now) { beginJob(.leave(connections.ref(connection))) }
  }

  /// Ends a piece of what a connection has here. Returns true if more is left.
  mutating func leaveFurther(_ connection: Slot<Connection>, at now: Instant) -> Bool {
    var left = settings.pieces.size
    while left > 0 {
      left -= 1
      if connections[connection].sending.firstWaitingRow != .nobody {
        leaveFirstRow(of: connection)
      } else if connections[connection].listening.firstSubscription != .nobody {
        dropSubscription(connections[connection].listening.firstSubscription, of: connection)
      } else if connections[connection].serving.firstReplica != .nobody {
        loseReplica(connections[connection].serving.firstReplica, at: now)
      } else if connections[connection].handling.offers.first != .nobody {
        failOffer(connections[connection].handling.offers.first, of: connection, at: now)
      } else if let link = connections[connection].leaving?.nextLink() {
        if links.contains(link) { leaveWaiting(at: link, at: now) }
      } else if connections[connection].sending.firstParked != .nobody {
        orphanWalk(of: connection)
      } else if connections[connection].asking.firstTicket != .nobody, connections[connection].phase == .severed {
        leaveTicket(of: connection, at: now)
      } else {
        endLeaving(connection, at: now)
        return false
      }
      spent &+= Cost.step
    }
    return true
  }

  /// A connection holds nothing any more.
  private mutating func endLeaving(_ connection: Slot<Connection>, at now: Instant) {
    connections[connection].leaving = nil
    endAllLapses(of: connection)
    leavingConnections -= 1
    shrinkLater()
    if connections[connection].isGone { return removeConnection(connection) }
    noteIfFinished(connection)
  }

  /// What waits at a link whose connection was lost is offered to another one, waits, or fails.
  mutating func leaveWaiting(at link: Ref<Link>, at now: Instant) {
    if links[link.slot].fate == nil, !links[link.slot].isAbsent { return serveQueue(of: link, at: now) }
    failAllWaiting(at: link, at: now)
  }

  /// What waits at a link that has no handlers any more fails, now or in the next turns.
  mutating func failAllWaiting(at link: Ref<Link>, at now: Instant) {
    if failWaiting(at: link, .disconnect, at: now) {
      beginJob(.failWaiting(link))
    } else {
      finishTakingOut(link)
    }
  }
}
