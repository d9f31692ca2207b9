/// How connections end, and what ends with them.
extension Router {
  /// Ends a connection for a reason that its peer is told: the error line, then the writing side is shut down, what
  /// still comes is dropped for `linger_ms` at most, then it is closed (contract, section 2).
  mutating func sever(_ connection: UInt32, _ reason: CloseReason, says message: String, at now: Instant) {
    guard connections[connection].phase != .severed else { return }
    if let code = ErrorCode(rawValue: reason.rawValue) {
      sayError(Fault(code, message), id: .empty, isOffer: false, to: connection, at: now)
    }
    cut(connection, reason, .shutDown, at: now)
    connections[connection].closeAt = now.advanced(milliseconds: settings.lingerMilliseconds)
    arm(connection, at: now.advanced(milliseconds: settings.lingerMilliseconds))
  }

  /// Ends everything that a connection has here; what is unsent to it still goes out.
  mutating func cut(
    _ connection: UInt32, _ reason: CloseReason, _ ending: Wish.Ending, at now: Instant
  ) {
    connections[connection].phase = .severed
    connections[connection].ending = ending
    connections[connection].reason = reason
    connections[connection].missed = 0
    markChanged(connection)
    dropLine(of: connection)
    removeSubscriptions(of: connection)
    endServing(of: connection, at: now)
  }

  /// The peer has shut down its writing side: its links and subscriptions end, what it had sent is carried out, and
  /// it gets the results that still have to come (contract, section 2).
  mutating func halfClose(_ connection: UInt32, at now: Instant) {
    if connections[connection].phase == .severed {
      if connections[connection].ending == .shutDown { connections[connection].ending = .closeWhenWritten }
      return markChanged(connection)
    }
    guard connections[connection].phase == .open else { return }
    if !LineFramer.isBlank(connections[connection].framer.pending.bytes) {
      let fault = Fault(
        .badJSON, "the connection ended within a line; the line is not carried out, because it does not end with an LF")
      sayError(fault, id: .empty, isOffer: false, to: connection, at: now)
    }
    dropLine(of: connection)
    connections[connection].heartbeat = 0
    removeSubscriptions(of: connection)
    endServing(of: connection, at: now)
    // Not before: the end of its links may bring the last result that it is owed, and with that the connection's end.
    connections[connection].phase = .halfClosed
    closeIfFinished(connection, at: now)
  }

  /// A half-closed connection that is owed nothing any more is closed.
  @inline(__always)
  mutating func closeIfFinished(_ connection: UInt32, at now: Instant) {
    guard connections[connection].phase == .halfClosed, connections[connection].owed == 0 else { return }
    cut(connection, .finished, .closeWhenWritten, at: now)
    connections[connection].lastTaken = now
    arm(connection, at: now.advanced(milliseconds: settings.slowMilliseconds))
  }

  /// The connection is gone. Messages that it sent walk on to their ends.
  mutating func forget(_ connection: UInt32, at now: Instant) {
    if connections[connection].phase != .severed { cut(connection, .finished, .close, at: now) }
    timers.end(connections[connection].timer)
    unsentBytes -= connections[connection].outbox.count
    connections[connection].outbox.clear(into: &pool)
    connections.remove(connection)
  }

  /// The links of a connection leave with it, where no other connection serves them and their places are not kept;
  /// the offers that it holds, and what waits at its lost links, fail with `disconnect`.
  private mutating func endServing(of connection: UInt32, at now: Instant) {
    var left: [Ref<Link>] = []
    while connections[connection].firstReplica != .nobody {
      let replica = connections[connection].firstReplica
      let link = replicas[replica].link
      replicas[replica].wasServing = true
      detach(replica, at: now)
      left.append(link)
      if links[link.index].firstReplica == .nobody {
        if keepPlace(of: link.index, at: now) {
          announceHeld(link.index, by: connection)
          continue
        }
        takeOut(link.index, .lost, at: now)
      }
      announceRemoved(link.index, by: connection, .disconnect)
    }
    while connections[connection].offers.first != .nobody {
      failOffer(connections[connection].offers.first, of: connection, at: now)
    }
    connections[connection].lapsed = 0
    for link in left where links.contains(link) {
      if links[link.index].fate == nil, !links[link.index].isAbsent {
        goOn(at: link, at: now)
      } else {
        failWaiting(at: link.index, .disconnect, at: now)
        finishTakingOut(link)
      }
    }
  }

  /// An offer is lost with its connection. Where somebody else serves the link or its place is held, the message is
  /// offered once more; a second loss there is `disconnect`.
  private mutating func failOffer(_ offer: UInt32, of connection: UInt32, at now: Instant) {
    let subject = offers[offer].subject
    let replica = offers[offer].replica
    connections[connection].offers.remove(offer, in: &offers)
    switch subject {
    case .lapsed: offers.remove(offer)
    case .copy(let copy):
      replicas[replica].open -= 1
      offers.remove(offer)
      releaseIfUnused(replica)
      giveUp(copy, .disconnect)
    case .walk(let walk):
      // Who was replaced has no second try: the place is another's now.
      let isOwn = replicas[replica].wasServing
      let held = now.microseconds - offers[offer].made.microseconds
      traceOffer(of: walk.index, Cause.disconnect.spelling, at: now)
      settleOffer(of: walk.index)
      offers.remove(offer)
      let link = walks[walk.index].link
      if isOwn, links[link].fate == nil, !links[link].isAbsent, !walks[walk.index].isAgain {
        waitAgain(walk.index, at: now)
        // Where the link has a time of its own, the share is for waiting alone: the lost offer's time is not its.
        if links[link].settings.timeoutMilliseconds != nil { walks[walk.index].shareEnd.microseconds += held }
        walks[walk.index].due = max(walks[walk.index].shareEnd, now.advanced(milliseconds: 1))
        arm(walk.index)
      } else {
        fail(walk.index, .disconnect, by: replica, at: now)
      }
      releaseIfUnused(replica)
    }
  }

  // MARK: Draining

  /// Tells everyone that the server is going (contract, section 8, `draining`).
  mutating func beginDraining(at now: Instant) {
    guard drainDeadline == nil else { return }
    let deadline = now.advanced(milliseconds: settings.drainMilliseconds)
    drainDeadline = deadline
    drainTimer = timers.set(.drain, at: deadline)
    for connection in 0..<connections.extent
    where connections.isTaken(connection) && connections[connection].phase != .severed {
      var writer = line(to: connection, atMost: 64)
      writer.literal("{\"op\":\"draining\",\"deadline_ms\":")
      writer.integer(settings.drainMilliseconds)
      writer.literal("}\n")
      commit(writer, to: connection, at: now)
    }
  }

  /// The time for draining is over: what is still open ends with `timeout`; and who has not taken his last lines by
  /// then is closed.
  mutating func endDraining(at now: Instant) {
    if isDrained {
      for connection in 0..<connections.extent where connections.isTaken(connection) {
        connections[connection].ending = .close
        markChanged(connection)
      }
    }
    var open: [(number: Int, walk: Ref<Walk>)] = []
    for walk in 0..<walks.extent where walks.isTaken(walk) { open.append((walks[walk].number, walks.ref(walk))) }
    open.sort { $0.number < $1.number }
    for (_, walk) in open where walks.contains(walk) { deadlineHasPassed(for: walk.index, at: now) }
  }

  /// Nothing is under way any more: every connection gets what is unsent to it, and is closed. A slow reader has until
  /// the deadline, as long as it takes something every `slow_ms`.
  mutating func closeIfDrained(at now: Instant) {
    guard let deadline = drainDeadline else { return }
    if isDrained, connections.count == 0 { timers.end(drainTimer) }
    guard !isDrained, walks.count == 0 else { return }
    isDrained = true
    timers.end(drainTimer)
    // With the last connection the last message may have ended: then nobody is left to be given time.
    guard connections.count > 0 else { return }
    drainTimer = timers.set(.drain, at: max(deadline, now.advanced(milliseconds: settings.lingerMilliseconds)))
    for connection in 0..<connections.extent
    where connections.isTaken(connection) && connections[connection].phase != .severed {
      cut(connection, .draining, .closeWhenWritten, at: now)
      connections[connection].lastTaken = now
      arm(connection, at: now.advanced(milliseconds: settings.slowMilliseconds))
    }
  }
}
