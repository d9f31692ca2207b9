/// Subscribers of `$baton.trace`, and those of them that want some traces only (contract, section 7).
extension Router {
  /// The connection gets these traces from now on; nil: every one. What was left out so far is told.
  mutating func chooseTraces(_ choice: TraceChoice?, of connection: Slot<Connection>, at now: Instant) {
    if let old = connections[connection].listening.traceChoice, old.leftOut > 0 {
      writeLeftOut(old, to: connection, at: now)
    }
    connections[connection].listening.traceChoice = choice
    listenAnew(connection)
  }

  /// The connection has one pattern more, or less, that matches `$baton.trace`.
  mutating func countTracePatterns(_ more: Int8, of connection: Slot<Connection>) {
    connections[connection].listening.tracePatterns += more
    let isListening = connections[connection].listening.traceListener != .nobody
    if isListening != (connections[connection].listening.tracePatterns > 0) { listenAnew(connection) }
  }

  /// What a connection asks of traces has changed, or whether it listens to them at all. Who it is does not change while it has
  /// subscriptions.
  mutating func listenAnew(_ connection: Slot<Connection>) {
    defer { announcements.hearsAllTraces(traceListeners.areForAll) }
    var dropped = announcements.droppedTraces
    if connections[connection].listening.traceListener != .nobody {
      dropped = traceListeners.remove(connections[connection].listening.traceListener)
      connections[connection].listening.traceListener = .nobody
    }
    spent &+= Cost.list
    guard connections[connection].listening.tracePatterns > 0 else { return }
    connections[connection].listening.traceListener = traceListeners.insert(
      connection, of: connections[connection].identity,
      wanting: connections[connection].listening.traceChoice?.asked ?? TraceWhere(), dropped: dropped)
  }

  /// Whether a listener to such traces gets one more of them in its second.
  mutating func isWithinItsSecond(_ listener: Slot<Connection>, at now: Instant) -> Bool {
    guard let choice = connections[listener].listening.traceChoice else { return true }
    guard connections[listener].phase == .open else { return false }
    if choice.isOver(at: now) {
      tellLeftOut(choice, to: listener, at: now)
      choice.begin(at: now)
    }
    if choice.count() { return true }
    armConnection(listener, at: choice.secondEnd)
    return false
  }

  /// Tells how many traces were left out if the second is over: one of the connection's clocks.
  mutating func checkLeftOut(of connection: Slot<Connection>, at now: Instant) {
    guard let choice = connections[connection].listening.traceChoice, choice.leftOut > 0,
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
