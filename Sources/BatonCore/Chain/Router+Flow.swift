/// Reading stops and goes on; who is too slow (contract, section 10). Nothing here ends a connection at once: writing
/// happens in the middle of walks, so that the ending is left to the connection's clock.
extension Router {
  mutating func pause(_ connection: UInt32, _ pause: Connection.Pauses, at now: Instant) {
    connections[connection].pauses.insert(pause)
    updateReading(of: connection, at: now)
  }

  mutating func resume(_ connection: UInt32, _ pause: Connection.Pauses, at now: Instant) {
    connections[connection].pauses.remove(pause)
    updateReading(of: connection, at: now)
  }

  /// Works out whether the server reads from the connection. While it does not, the clocks on the peer's silence stand
  /// still.
  mutating func updateReading(of connection: UInt32, at now: Instant) {
    let isReading = connections[connection].isToBeRead
    guard isReading != (connections[connection].stoppedAt == nil) else { return }
    markChanged(connection)
    guard let stoppedAt = connections[connection].stoppedAt else {
      connections[connection].stoppedAt = now
      return
    }
    let still = now.microseconds - stoppedAt.microseconds
    connections[connection].stoppedAt = nil
    connections[connection].lastHeard.microseconds += still
    connections[connection].framer.began.microseconds += still
    arm(connection, at: now)
    if !connections[connection].backlog.isEmpty { backlogged.append(connections.ref(connection)) }
  }

  /// Too much is unsent to a connection: the server does not read from it until it has caught up.
  mutating func pressed(_ connection: UInt32, at now: Instant) {
    if connections[connection].outbox.count > settings.maxUnsentBytes { arm(connection, at: now) }
    guard !connections[connection].pauses.contains(.unsent) else { return }
    connections[connection].lastTaken = now
    arm(connection, at: now.advanced(milliseconds: settings.slowMilliseconds))
    pause(connection, .unsent, at: now)
  }

  /// The kernel has taken bytes, `before` were unsent: what waited for that goes on.
  mutating func relieved(_ connection: UInt32, before: Int, at now: Instant) {
    connections[connection].lastTaken = now
    let unsent = connections[connection].outbox.count
    if connections[connection].phase == .severed { return }
    if connections[connection].pauses.contains(.unsent), unsent <= settings.readingUnsentBytes {
      resume(connection, .unsent, at: now)
    }
    if connections[connection].missed > 0, unsent <= settings.eventsUnsentBytes / 2 { tellMissed(connection, at: now) }
    if before > settings.offersUnsentBytes, unsent <= settings.offersUnsentBytes {
      offerWaitingAtLinks(of: connection, at: now)
    }
  }

  private mutating func offerWaitingAtLinks(of connection: UInt32, at now: Instant) {
    var replica = connections[connection].firstReplica
    while replica != .nobody {
      offerWaiting(at: replicas[replica].link.index, at: now)
      replica = replicas[replica].next
    }
  }
}
