/// The clocks of a connection. One timer serves all of them.
extension Router {
  /// Makes sure that the connection's clocks are checked at `instant` or before.
  mutating func armConnection(_ connection: Slot<Connection>, at instant: Instant) {
    guard instant < connections[connection].timerAt else { return }
    timers.end(connections[connection].timer)
    connections[connection].timer = timers.set(.connection(connections.ref(connection)), at: instant)
    connections[connection].timerAt = instant
  }
}
