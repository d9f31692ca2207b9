// Leaving: the end of connections with all that they hold, the timers that fire, and the end of the server. It owns
// what is due.

/// Ends connections (contract, section 2).
extension Router {
  /// Ends a connection and tells its peer the reason. The peer gets the error line. Then the writing side is shut down.
  /// Bytes that the peer still sends are dropped. After at most `linger_ms` the connection is closed (contract, section
  /// 2).
  /// `setting` is what decides it, for the log. `id` is that of the request that ends it. `isTold`: the peer has got an
  /// error already.
  mutating func sever(
    _ connection: Slot<Connection>, _ reason: CloseReason, setting: StaticString = "",
    id: UnsafeRawBufferPointer = .empty, isTold: Bool = false, says message: String,
    by: UnsafeRawBufferPointer = .empty, at now: Instant
  ) {
    guard connections[connection].phase != .severed else { return }
    if !isTold, let code = ErrorCode(rawValue: reason.rawValue) {
      sayError(Fault(code, message), id: id, isOffer: false, by: by, to: connection, at: now)
    }
    cut(connection, reason, .shutDown, setting: setting, at: now)
    connections[connection].closeAt = now.advanced(milliseconds: settings.lingerMilliseconds)
    armConnection(connection, at: now.advanced(milliseconds: settings.lingerMilliseconds))
  }

  /// Ends the links, subscriptions and offers of a connection. Bytes that are unsent to it still go out. `isLost` says
  /// that it has broken.
  mutating func cut(
    _ connection: Slot<Connection>, _ reason: CloseReason, _ ending: Wish.Ending, setting: StaticString = "",
    isLost: Bool = false, at now: Instant
  ) {
    journalMissed(connection, at: now)
    journalClosing(connection, reason, setting, at: now)
    noteClosed(connection, isLost ? "lost" : reason.rawValue, at: now)
    endSurvey(of: connection)
    uncountConnection(connection)
    noteKnown(connection)
    connections[connection].phase = .severed
    endedConnections += 1
    beginLingering(connection, at: now)
    unlistPaused(connection)
    connections[connection].ending = ending
    connections[connection].reason = reason
    forgetMissed(by: connection)
    markChanged(connection)
    dropLine(of: connection)
    beginLeaving(connection, at: now)
  }

  /// The peer has shut down its writing side. Its links and subscriptions end. The messages that it has sent walk on,
  /// and it gets the results that it is still owed (contract, section 2).
  mutating func halfClose(_ connection: Slot<Connection>, at now: Instant) {
    if connections[connection].phase == .severed {
      if connections[connection].ending == .shutDown { connections[connection].ending = .closeWhenWritten }
      return markChanged(connection)
    }
    guard connections[connection].phase == .open else { return }
    if !BlankLine.isBlank(connections[connection].unfinished.pending.bytes) {
      let fault = Fault(
        .badJSON, "the connection ended within a line; the line is not carried out, because it does not end with an LF")
      sayError(fault, id: .empty, isOffer: false, to: connection, at: now)
    }
    dropLine(of: connection)
    setHeartbeat(0, of: connection)
    connections[connection].phase = .halfClosed
    unlistPaused(connection)
    // While its links end, it may get the last result that it is owed. It does not count as finished before all of them
    // have ended.
    beginLeaving(connection, at: now)
    closeIfFinished(connection, at: now)
  }

  /// Called after each line, each timer and each call in: connections that have finished are closed, and what was noted
  /// is published.
  @inline(__always)
  mutating func endStep(at now: Instant) {
    if !finished.isEmpty { closeFinished(at: now) }
    publishAnnouncements(at: now)
  }

  /// Closes the connections that were noted as finished, in the order in which they were noted.
  @inline(never)
  mutating func closeFinished(at now: Instant) {
    for connection in takeFinished() where connections.contains(connection) {
      closeIfFinished(connection.slot, at: now)
    }
  }

  /// Closes a half-closed connection that is owed nothing more.
  private mutating func closeIfFinished(_ connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].isFinished else { return }
    cut(connection, .finished, .closeWhenWritten, at: now)
    beginSlowClock(of: connection, at: now)
  }

  /// Forgets a connection that is gone, once it has left. Messages that it sent walk on.
  mutating func forgetConnection(_ connection: Slot<Connection>, at now: Instant) {
    if connections[connection].phase != .severed { cut(connection, .finished, .close, isLost: true, at: now) }
    if connections[connection].sending.firstParked != .nobody { beginLeaving(connection, at: now) }
    if connections[connection].leaving == nil { return removeConnection(connection) }
    connections[connection].isGone = true
    dropUnsent(of: connection)
  }

  /// Forgets a connection that is gone and has left.
  mutating func removeConnection(_ connection: Slot<Connection>) {
    timers.end(connections[connection].timer)
    endLingering(connection)
    endedConnections -= 1
    dropUnsent(of: connection)
    releaseAccount(of: connection)
    if connections[connection].asking.isToldLater { tellLater(to: connection) }
    endConnection(connection)
  }
}
