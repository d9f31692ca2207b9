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

  /// All messages under way take too much: the line being read waits, and the server does not read on from its sender.
  mutating func leaveForLater(_ connection: UInt32, at now: Instant) {
    isLeftForLater = true
    // Those that went meanwhile are forgotten here, where their number could grow.
    if crowdedOut.count > 2 * connections.count { crowdedOut = crowdedOut.filter { connections.contains($0) } }
    crowdedOut.append(connections.ref(connection))
    pause(connection, .total, at: now)
  }

  /// There is room for messages again: the connection that has waited longest is read from again. One at a time, and
  /// one that is crowded out again goes to the end, so that each gets its turn.
  mutating func letInNext(at now: Instant) {
    while openBytes < settings.maxTotalBytes, let ref = crowdedOut.first {
      crowdedOut.removeFirst()
      guard connections.contains(ref), connections[ref.index].pauses.contains(.total) else { continue }
      resume(ref.index, .total, at: now)
      if !backlogged.isEmpty { return }
    }
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

  /// Too much is unsent to all connections together: the one that is the furthest behind is closed, without a word that
  /// it would not read. One at a time: the next only once this one has given its memory back.
  mutating func closeFurthestBehind(at now: Instant) {
    guard !connections.contains(furthestBehind) else { return }
    var furthest: UInt32?
    for index in 0..<connections.extent where connections.isTaken(index) {
      let most = furthest.map { connections[$0].outbox.count } ?? 0
      if connections[index].outbox.count > most { furthest = index }
    }
    guard let furthest else { return }
    furthestBehind = connections.ref(furthest)
    if connections[furthest].phase != .severed { cut(furthest, .tooSlow, .close, at: now) }
    connections[furthest].ending = .close
    markChanged(furthest)
  }

  private mutating func offerWaitingAtLinks(of connection: UInt32, at now: Instant) {
    var replica = connections[connection].firstReplica
    while replica != .nobody {
      offerWaiting(at: replicas[replica].link.index, at: now)
      replica = replicas[replica].next
    }
  }
}
