/// What ends with a connection: its links, and the offers that it holds (contract, sections 5 and 6).
extension Router {
  /// The links of a connection leave with it, where no other connection serves them and their places are not kept;
  /// the offers that it holds, and what waits at its lost links, fail with `disconnect`.
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

  /// An offer is lost with its connection. Where somebody else serves the link or its place is held, the message is
  /// offered once more; a second loss there is `disconnect`.
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
      // Who was replaced has no second try: the place is another's now.
      let isOwn = replicas[replica].wasServing
      let held = now.microseconds - offers[offer].made.microseconds
      traceOffer(of: walk.slot, Cause.disconnect.spelling, at: now)
      settleOffer(of: walk.slot)
      offers.remove(offer)
      let link = walks[walk.slot].link
      if isOwn, links[link].fate == nil, !links[link].isAbsent, !walks[walk.slot].isAgain {
        waitAgain(walk.slot, at: now)
        // Where the link has a time of its own, the share is for waiting alone: the lost offer's time is not its.
        if links[link].settings.timeoutMilliseconds != nil { walks[walk.slot].shareEnd.microseconds += held }
        walks[walk.slot].due = max(walks[walk.slot].shareEnd, now.advanced(milliseconds: 1))
        armWalk(walk.slot)
      } else {
        failWalk(walk.slot, .disconnect, by: replica, at: now)
      }
      releaseReplicaIfUnused(replica)
    }
  }

  /// The time is over for which a place was held.
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
