/// The server is going: what is under way comes to its end, then every connection (contract, section 8, `draining`).
extension Router {
  /// Tells everyone that the server is going (contract, section 8, `draining`).
  mutating func beginDraining(at now: Instant) {
    guard drainDeadline == nil else { return }
    let deadline = now.advanced(milliseconds: settings.drainMilliseconds)
    drainDeadline = deadline
    drainTimer = timers.set(.drain, at: deadline)
    for connection in connections.slots
    where connections.isTaken(connection) && connections[connection].phase != .severed {
      var writer = beginLine(to: connection, atMost: 64)
      writer.literal("{\"op\":\"draining\",\"deadline_ms\":")
      writer.integer(settings.drainMilliseconds)
      writer.literal("}\n")
      commitLine(writer, to: connection, at: now)
    }
  }

  /// The time for draining is over: what is still open ends with `timeout`; and who has not taken his last lines by
  /// then is closed.
  mutating func endDraining(at now: Instant) {
    if isDrained {
      for connection in connections.slots where connections.isTaken(connection) {
        connections[connection].ending = .close
        markChanged(connection)
      }
    }
    var open: [(number: Int, walk: Ref<Walk>)] = []
    for walk in walks.slots where walks.isTaken(walk) { open.append((walks[walk].number, walks.ref(walk))) }
    open.sort { $0.number < $1.number }
    for (_, walk) in open where walks.contains(walk) { deadlineHasPassed(for: walk.slot, at: now) }
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
    for connection in connections.slots
    where connections.isTaken(connection) && connections[connection].phase != .severed {
      cut(connection, .draining, .closeWhenWritten, at: now)
      connections[connection].lastTaken = now
      armConnection(connection, at: now.advanced(milliseconds: settings.slowMilliseconds))
    }
  }
}
