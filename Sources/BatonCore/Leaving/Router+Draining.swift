/// The server shuts down: the messages under way come to their ends, then every connection ends (contract, section 8,
/// `draining`).
extension Router {
  /// Tells every connection that the server shuts down, and sets the deadline.
  mutating func beginDraining(at now: Instant) {
    guard drainDeadline == nil else { return }
    let deadline = now.advanced(milliseconds: settings.drainMilliseconds)
    drainDeadline = deadline
    drainTimer = timers.set(.drain, at: deadline)
    desk.ask(.drain)
    for connection in connections.slots
    where connections.isTaken(connection) && connections[connection].phase != .severed {
      var writer = beginLine(to: connection, atMost: 64)
      writer.literal("{\"op\":\"draining\",\"deadline_ms\":")
      writer.integer(settings.drainMilliseconds)
      writer.literal("}\n")
      commitLine(writer, to: connection, at: now)
    }
  }

  /// The time for draining is over: walks that are still open end with `timeout`. If they have all ended before, the
  /// connections that have not taken their last lines are closed.
  mutating func endDraining(at now: Instant) {
    cutOffTries()
    if isDrained {
      for connection in connections.slots where connections.isTaken(connection) {
        connections[connection].ending = .close
        markChanged(connection)
      }
    }
    var open: [(number: Int, walk: Ref<Walk>)] = []
    for walk in walks.slots where walks.isTaken(walk) { open.append((walks[walk].number, walks.ref(walk))) }
    open.sort { $0.number < $1.number }
    for (_, walk) in open { walksToEnd.append(walk) }
    if endNextWalks(at: now) { jobs.append(.endWalks) }
  }

  /// Ends the next walks whose time is over. Returns true if more are left.
  mutating func endNextWalks(at now: Instant) -> Bool {
    for _ in 0..<settings.pieces.size {
      guard let walk = walksToEnd.popFirst() else { return false }
      if walks.contains(walk) { endEarly(walk.slot, .timeout, at: now) }
    }
    return true
  }

  /// No message is under way any more: every connection gets its unsent bytes and is closed. A slow reader has until
  /// the deadline, if it takes some bytes every `slow_ms`.
  mutating func closeIfDrained(at now: Instant) {
    guard let deadline = drainDeadline else { return }
    if isDrained, connections.count == 0 { timers.end(drainTimer) }
    // What has been read is answered first. But nobody can keep the server by sending on and on.
    guard !isDrained, walks.count == 0, parked.isEmpty && heldReplies.count == 0 || deadline <= now else { return }
    // Ends of durable messages are written first.
    guard !desk.isThere || desk.isQuiet && !desk.hasRequests || deadline <= now else { return }
    isDrained = true
    cutOffTries()
    timers.end(drainTimer)
    // The last message may have ended with the last connection. Then no connection is left that needs time.
    guard connections.count > 0 else { return }
    drainTimer = timers.set(.drain, at: max(deadline, now.advanced(milliseconds: settings.lingerMilliseconds)))
    for connection in connections.slots
    where connections.isTaken(connection) && connections[connection].phase != .severed {
      cut(connection, .draining, .closeWhenWritten, at: now)
      connections[connection].lastTaken = now
      armConnection(connection, at: now.advanced(milliseconds: settings.slowMilliseconds))
    }
  }
}
