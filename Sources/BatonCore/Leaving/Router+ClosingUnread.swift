/// Closes connections to which too much is unsent (contract, section 10).
extension Router {
  /// Called when a call in ends: makes room where too much is unsent.
  @inline(__always)
  mutating func limitUnsent(at now: Instant) {
    if unsentBytes > settings.maxTotalUnsentBytes { closeFurthestBehind(at: now) }
    if hoarder != .nobody { closeFurthestBehindOfHoarder(at: now) }
  }

  /// Too much is unsent to all connections together: the connection with the most unsent bytes is closed.
  @inline(never)
  private mutating func closeFurthestBehind(at now: Instant) {
    closeFirst(at: now) { connection in connection.outbox.count }
  }

  /// Too much is unread by the connections of one account: the one with the most, without events, is closed.
  @inline(never)
  private mutating func closeFurthestBehindOfHoarder(at now: Instant) {
    let account = hoarder
    hoarder = .nobody
    guard leavesTooMuchUnread(account) else { return }
    closeFirst(at: now) { connection in connection.account == account ? connection.unsentReplies : 0 }
  }

  /// Closes the connection with the largest `amount`. It gets no error line, because it would not read one. Only
  /// one is closed at a time: the next one only after this one has given its memory back.
  private mutating func closeFirst(at now: Instant, by amount: (borrowing Connection) -> Int) {
    guard !connections.contains(furthestBehind) else { return }
    var (furthest, most) = (Slot<Connection>.nobody, 0)
    for index in connections.slots where connections.isTaken(index) {
      let count = amount(connections[index])
      if count > most { (furthest, most) = (index, count) }
    }
    guard furthest != .nobody else { return }
    furthestBehind = connections.ref(furthest)
    if connections[furthest].phase != .severed {
      cut(furthest, .tooSlow, .close, setting: "max_total_unsent_bytes", at: now)
    }
    connections[furthest].ending = .close
    markChanged(furthest)
  }
}
