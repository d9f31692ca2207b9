/// The server shuts down: the messages under way come to their ends, then every connection ends (contract, section 8,
/// `draining`).
extension Router {
  /// Tells every connection that the server shuts down, and sets the deadline.
  mutating func beginDraining(at now: Instant) {
    guard drainDeadline == nil else { return }
    let deadline = now.advanced(milliseconds: settings.drainMilliseconds)
    drainDeadline = deadline
    setRefusal(.draining, true)
    drainTimer = timers.set(.drain, at: deadline)
    desk.ask(.drain)
    tellDraining(from: Slot(0), at: now)
  }

  /// Tells the connections from a place of their table on. All of them at once would keep what others wait for unwritten. Those
  /// that come meanwhile are told at once.
  mutating func tellDraining(from next: Slot<Connection>, at now: Instant) {
    let end = min(next.index &+ UInt32(clamping: settings.pieces.size), connections.extent)
    for index in next.index..<max(next.index, end) {
      let connection = Slot<Connection>(index)
      spent &+= Cost.look
      guard connections.isTaken(connection), connections[connection].phase != .severed else { continue }
      var writer = beginLine(to: connection, atMost: 64)
      writer.literal("{\"op\":\"draining\",\"deadline_ms\":")
      writer.integer(drainDeadline.map { max(0, $0.milliseconds(since: now)) } ?? 0)
      writer.literal("}\n")
      commitLine(writer, to: connection, at: now)
    }
    isTellingDraining = end < connections.extent
    if isTellingDraining { beginJob(.tellDraining(Slot(end))) }
  }

  /// The time for draining is over: walks that are still open end with `timeout`. If they have all ended before, the
  /// connections that have not taken their last lines are closed.
  mutating func endDraining(at now: Instant) {
    desk.cutOffAttempts()
    if isDrained {
      for connection in connections.slots where connections.isTaken(connection) {
        connections[connection].ending = .close
        markChanged(connection)
      }
    }
    var open: [(number: Int, walk: Ref<Walk>)] = []
    // Places in stages end with their messages.
    for walk in walks.slots where walks.isTaken(walk) && walks[walk].whole == .nobody {
      open.append((walks[walk].number, walks.ref(walk)))
    }
    open.sort { $0.number < $1.number }
    for (_, walk) in open { walksToEnd.append(walk) }
    if endNextWalks(at: now) { beginJob(.endWalks) }
    // An end that waits for the record since now has a moment to be written. It is forgotten then.
    if !isDrained, walks.count > 0 {
      drainTimer = timers.set(.drain, at: now.advanced(milliseconds: settings.lingerMilliseconds))
    }
  }

  /// Ends the next walks whose time is over. Returns true if more are left.
  mutating func endNextWalks(at now: Instant) -> Bool {
    for _ in 0..<settings.pieces.size {
      guard let walk = walksToEnd.popFirst() else { return false }
      if walks.contains(walk), !forgetHeld(walk.slot, at: now) { endEarly(walk.slot, .timeout, at: now) }
    }
    return true
  }

  /// No message is under way any more: every connection gets its unsent bytes and is closed. A slow reader has until
  /// the deadline, if it takes some bytes every `slow_ms`.
  mutating func closeIfDrained(at now: Instant) {
    guard let deadline = drainDeadline else { return }
    if isDrained, connections.count == 0 { timers.end(drainTimer) }
    guard !isDrained, walks.count == 0 else { return }
    // What has been read is answered first, also of those who waited for room: it is there, since nothing is under way. But
    // nobody can keep the server by sending on and on.
    if parked.isEmpty { letIn(at: now) }
    let isQuiet =
      parked.isEmpty && !waitingForShare.mayHaveRoom && desk.heldReplies == 0 && reloads.isQuiet && !isTellingDraining
    guard isQuiet || deadline <= now else { return }
    // Ends of durable messages are written first.
    guard !desk.isThere || desk.isQuiet && !desk.hasRequests || deadline <= now else { return }
    isDrained = true
    desk.cutOffAttempts()
    timers.end(drainTimer)
    // The last message may have ended with the last connection. Then no connection is left that needs time.
    guard connections.count > 0 else { return }
    drainTimer = timers.set(.drain, at: max(deadline, now.advanced(milliseconds: settings.lingerMilliseconds)))
    for connection in connections.slots
    where connections.isTaken(connection) && connections[connection].phase != .severed {
      cut(connection, .draining, .closeWhenWritten, at: now)
      beginSlowClock(of: connection, at: now)
    }
  }
}
