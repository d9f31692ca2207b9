/// The clocks of a connection. One timer serves all of them.
extension Router {
  /// Makes sure that the connection's clocks are checked at `instant` or before.
  mutating func armConnection(_ connection: Slot<Connection>, at instant: Instant) {
    guard instant < connections[connection].timerAt else { return }
    timers.end(connections[connection].timer)
    connections[connection].timer = timers.set(.connection(connections.ref(connection)), at: instant)
    connections[connection].timerAt = instant
  }

  /// The timer has fired.
  mutating func noteFired(_ connection: Slot<Connection>) {
    connections[connection].timer = .none
    connections[connection].timerAt = Instant(microseconds: .max)
  }

  /// Bytes have come from the peer.
  @inline(__always)
  mutating func noteHeard(_ connection: Slot<Connection>, at now: Instant) {
    connections[connection].lastHeard = now
    connections[connection].pings = 0
  }

  /// The peer is asked whether it is there.
  mutating func notePing(to connection: Slot<Connection>) { connections[connection].pings += 1 }

  /// The peer has taken bytes.
  @inline(__always)
  mutating func noteTaken(by connection: Slot<Connection>, at now: Instant) { connections[connection].lastTaken = now }

  /// From now on the peer has `slow_ms` to take a byte.
  mutating func beginSlowClock(of connection: Slot<Connection>, at now: Instant) {
    connections[connection].lastTaken = now
    armConnection(connection, at: now.advanced(milliseconds: settings.slowMilliseconds))
  }
}
