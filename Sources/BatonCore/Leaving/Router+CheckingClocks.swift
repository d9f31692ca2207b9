/// Checks the clocks of a connection when its timer fires (contract, sections 2, 8 and 10).
extension Router {
  /// Checks every clock that a connection can have. One timer serves them all.
  mutating func checkClocks(of connection: Slot<Connection>, at now: Instant) {
    noteFired(connection)
    if connections[connection].phase == .severed { return checkEnding(of: connection, at: now) }
    checkStranger(connection, at: now)
    checkLeftOut(of: connection, at: now)
    checkSpeed(of: connection, at: now)
    if connections[connection].stoppedAt == nil {
      checkLine(of: connection, at: now)
      checkHeartbeat(of: connection, at: now)
    }
  }

  /// Closes a connection that has been ended and has taken too long to close.
  private mutating func checkEnding(of connection: Slot<Connection>, at now: Instant) {
    let slow = connections[connection].lastTaken.advanced(milliseconds: settings.slowMilliseconds)
    let closeAt = connections[connection].closeAt ?? slow
    if closeAt > now { return armConnection(connection, at: closeAt) }
    // The caller has not seen the last bytes yet: the error that ends the connection must have been written.
    if connections[connection].isChanged, connections[connection].outbox.count > 0 {
      return armConnection(connection, at: now.advanced(milliseconds: 1))
    }
    connections[connection].ending = .close
    markChanged(connection)
  }

  private mutating func checkSpeed(of connection: Slot<Connection>, at now: Instant) {
    if connections[connection].unsentReplies > settings.maxUnsentBytes {
      // The caller has not seen the newest bytes yet, so the peer had no chance to take them.
      if connections[connection].isChanged { return armConnection(connection, at: now.advanced(milliseconds: 1)) }
      let count = connections[connection].outbox.count
      return sever(
        connection, .tooSlow, setting: "max_unsent_bytes",
        says: "\(count) bytes wait to be sent to you; read faster", at: now)
    }
    if connections[connection].handling.lapsed > settings.maxLapsedOffers {
      let count = connections[connection].handling.lapsed
      return sever(
        connection, .tooSlow, setting: "max_lapsed_offers",
        says: "\(count) offers timed out and were never answered; answer every offer", at: now)
    }
    guard connections[connection].pauses.contains(.unsent) else { return }
    let due = connections[connection].lastTaken.advanced(milliseconds: settings.slowMilliseconds)
    if due > now { return armConnection(connection, at: due) }
    sever(
      connection, .tooSlow, setting: "slow_ms",
      says: "you have read no byte for \(settings.slowMilliseconds) ms; read what is sent to you",
      at: now)
  }

  private mutating func checkLine(of connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].phase == .open, !connections[connection].unfinished.pending.isEmpty else { return }
    let due = connections[connection].unfinished.began.advanced(milliseconds: settings.lineTimeoutMilliseconds)
    if due > now { return armConnection(connection, at: due) }
    sever(
      connection, .lineTimeout, setting: "line_timeout_ms",
      says: "a line was begun but not ended within \(settings.lineTimeoutMilliseconds) ms; end every line with an LF",
      at: now)
  }

  /// The peer is asked whether it is there after so many milliseconds of silence; never, if that is 0.
  mutating func setHeartbeat(_ milliseconds: Int, of connection: Slot<Connection>) {
    connections[connection].heartbeat = milliseconds
  }

  /// Pings the peer after the first and the second silence of `heartbeat_ms`. Ends the connection after the third.
  private mutating func checkHeartbeat(of connection: Slot<Connection>, at now: Instant) {
    let heartbeat = connections[connection].heartbeat
    guard connections[connection].phase == .open, heartbeat > 0 else { return }
    let pings = Int(connections[connection].pings)
    let due = connections[connection].lastHeard.advanced(milliseconds: heartbeat * (pings + 1))
    if due > now { return armConnection(connection, at: due) }
    if pings == 2 {
      return sever(
        connection, .idle, setting: "heartbeat_ms",
        says: "nothing came from you for three heartbeats of \(heartbeat) ms each; answer pings",
        at: now)
    }
    notePing(to: connection)
    var writer = beginLine(to: connection, atMost: 16)
    writer.literal("{\"op\":\"ping\"}\n")
    commitLine(writer, to: connection, at: now)
    armConnection(connection, at: now.advanced(milliseconds: heartbeat))
  }
}
