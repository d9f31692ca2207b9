/// Subscribers of `$baton.trace` that want some traces only (contract, section 7).
extension Router {
  /// The connection gets these traces from now on; nil: every one. What was left out so far is told.
  mutating func chooseTraces(_ choice: TraceChoice?, of connection: Slot<Connection>, at now: Instant) {
    if let old = connections[connection].traceChoice, old.leftOut > 0 { writeLeftOut(old, to: connection, at: now) }
    connections[connection].traceChoice = choice
  }

  /// Whether a subscriber gets the trace.
  mutating func wantsTrace(_ trace: TraceFacts, _ subscriber: Slot<Connection>, at now: Instant) -> Bool {
    guard let choice = connections[subscriber].traceChoice else { return true }
    charge(Cost.look, to: subscriber)
    guard connections[subscriber].phase == .open, choice.asked.holds(for: trace) else { return false }
    if choice.isOver(at: now) {
      tellLeftOut(choice, to: subscriber, at: now)
      choice.begin(at: now)
    }
    if choice.count() { return true }
    armConnection(subscriber, at: choice.secondEnd)
    return false
  }

  /// Tells how many traces were left out if the second is over: one of the connection's clocks.
  mutating func checkLeftOut(of connection: Slot<Connection>, at now: Instant) {
    guard let choice = connections[connection].traceChoice, choice.leftOut > 0,
      connections[connection].phase == .open
    else { return }
    if !choice.isOver(at: now) { return armConnection(connection, at: choice.secondEnd) }
    tellLeftOut(choice, to: connection, at: now)
  }

  /// While the peer does not read, this waits and is tried again after a second.
  private mutating func tellLeftOut(_ choice: TraceChoice, to connection: Slot<Connection>, at now: Instant) {
    guard choice.leftOut > 0 else { return }
    if !mayGetEvents(connection, ofBytes: 64) { return armConnection(connection, at: now.advanced(milliseconds: 1000)) }
    writeLeftOut(choice, to: connection, at: now)
  }

  private mutating func writeLeftOut(_ choice: TraceChoice, to connection: Slot<Connection>, at now: Instant) {
    var writer = beginLine(to: connection, atMost: 64)
    writer.literal("{\"op\":\"left_out\",\"count\":")
    writer.integer(choice.takeLeftOut())
    writer.literal("}\n")
    commitEvent(writer, to: connection)
  }
}
