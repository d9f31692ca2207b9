/// When the server stops reading from a connection, and when it reads again (contract, section 10). Nothing here ends a
/// connection, because lines are written in the middle of walks. The connection's clocks end it later.
extension Router {
  /// Adds a reason not to read from the connection.
  mutating func pause(_ connection: Slot<Connection>, _ pause: Connection.Pauses, at now: Instant) {
    connections[connection].pauses.insert(pause)
    updateReading(of: connection, at: now)
  }

  /// Removes a reason not to read from the connection.
  mutating func resume(_ connection: Slot<Connection>, _ pause: Connection.Pauses, at now: Instant) {
    connections[connection].pauses.remove(pause)
    updateReading(of: connection, at: now)
  }

  /// Updates whether the server reads from the connection. While it does not, the clocks on the peer's silence are
  /// suspended.
  mutating func updateReading(of connection: Slot<Connection>, at now: Instant) {
    let isReading = connections[connection].isToBeRead
    guard isReading != (connections[connection].stoppedAt == nil) else { return }
    markChanged(connection)
    guard let stoppedAt = connections[connection].stoppedAt else {
      connections[connection].stoppedAt = now
      return listPaused(connection)
    }
    let still = now.microseconds - stoppedAt.microseconds
    connections[connection].stoppedAt = nil
    unlistPaused(connection)
    connections[connection].lastHeard.microseconds += still
    connections[connection].unfinished.began.microseconds += still
    armConnection(connection, at: now)
    if !connections[connection].backlog.isEmpty { park(connection) }
  }

  /// The unsent bytes above which a stranger is not read from.
  private static let strangersUnsent = 16 << 10

  /// The unsent bytes above which the server does not read from the connection.
  mutating func readingLimit(of connection: Slot<Connection>) -> Int {
    connections[connection].isStranger
      ? min(Router.strangersUnsent, settings.readingUnsentBytes) : settings.readingUnsentBytes
  }

  /// Stops reading from a connection that has too many unsent bytes, until it has caught up.
  mutating func pauseForUnsent(_ connection: Slot<Connection>, at now: Instant) {
    if connections[connection].unsentReplies > settings.maxUnsentBytes { armConnection(connection, at: now) }
    guard !connections[connection].pauses.contains(.unsent) else { return }
    beginSlowClock(of: connection, at: now)
    pause(connection, .unsent, at: now)
  }
}
