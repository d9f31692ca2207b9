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

  /// An offer is lost with its connection. If another connection serves the link, or its place is held, the message is
  /// offered once more. A second loss at this link is the failure `disconnect`.
  private mutating func failOffer(_ offer: Slot<Offer>, of connection: Slot<Connection>, at now: Instant) {
    let subject = offers[offer].subject
    let replica = offers[offer].replica
    connections[connection].offers.remove(offer, in: &offers)
    switch subject {
    case .lapsed: offers.remove(offer)
    case .copy(let copy):
      replicas[replica].open -= 1
      offers.remove(offer)
      releaseReplicaIfUnused(replica)
      giveUpCopy(copy, .disconnect)
    case .walk(let walk):
      // A replica that was replaced gets no second try: the place is now another's.
      let isOwn = replicas[replica].wasServing
      let held = now.microseconds - offers[offer].made.microseconds
      traceOffer(of: walk.slot, Cause.disconnect.spelling, at: now)
      settleOffer(of: walk.slot)
      offers.remove(offer)
      let link = walks[walk.slot].link
      if isOwn, links[link].fate == nil, !links[link].isAbsent, !walks[walk.slot].isAgain {
        waitAgain(walk.slot, at: now)
        // If the link has its own time, the share limits only the waiting: the time of the lost offer is added to it.
        if links[link].settings.timeoutMilliseconds != nil { walks[walk.slot].shareEnd.microseconds += held }
        walks[walk.slot].due = max(walks[walk.slot].shareEnd, now.advanced(milliseconds: 1))
        armWalk(walk.slot)
      } else {
        failWalk(walk.slot, .disconnect, by: replica, at: now)
      }
      releaseReplicaIfUnused(replica)
    }
  }

  /// The time for which a place was held is over.
  mutating func holdIsOver(for link: Ref<Link>, at now: Instant) {
    if links[link.slot].settings.isRequired {
      links[link.slot].service = .absent
    } else {
      takeOut(link.slot, .lost, at: now)
      announceRemoved(link.slot, by: nil, .disconnect)
    }
    failWaiting(at: link.slot, .disconnect, at: now)
    finishTakingOut(link)
  }
}
