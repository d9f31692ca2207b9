/// The clock of each connection: one timer serves all that a connection waits for.
extension Router {
  /// Sees to it that the connection's clocks are looked at by then.
  mutating func armConnection(_ connection: Slot<Connection>, at instant: Instant) {
    guard instant < connections[connection].timerAt else { return }
    timers.end(connections[connection].timer)
    connections[connection].timer = timers.set(.connection(connections.ref(connection)), at: instant)
    connections[connection].timerAt = instant
  }
}
