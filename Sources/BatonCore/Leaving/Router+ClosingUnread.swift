/// Closes connections to which too much is unsent (contract, section 10).
extension Router {
  /// Called when a call in ends: makes room where too much is unsent.
  @inline(__always)
  mutating func limitUnsent(at now: Instant) {
    if unsentBytes > settings.maxTotalUnsentBytes { closeFurthestBehind(of: .nobody, at: now) }
    if hoarder != .nobody { closeFurthestBehindOfHoarder(at: now) }
  }

  /// Too much is unread by the connections of one identity.
  @inline(never)
  private mutating func closeFurthestBehindOfHoarder(at now: Instant) {
    // What was dropped since it was noted may have been enough.
    let noted = takeHoarder()
    findHoarder()
    if hoarder == noted { closeFurthestBehind(of: noted, at: now) }
    _ = takeHoarder()
  }

  /// Closes the connection with the most unsent bytes; if one of a hoarder is to go, that with the most beside events. It
  /// gets no error line, because it would not read one. Only one is closed at a time: the next one only after this one has
  /// given its memory back.
  @inline(never)
  private mutating func closeFurthestBehind(of hoarder: Hoarder, at now: Instant) {
    guard !connections.contains(furthestBehind) else { return }
    var (furthest, most) = (Slot<Connection>.nobody, 0)
    for index in connections.slots where connections.isTaken(index) {
      let count = unread(by: index, of: hoarder)
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

  private mutating func unread(by connection: Slot<Connection>, of hoarder: Hoarder) -> Int {
    let account = connections[connection].account
    switch hoarder {
    case .nobody: return connections[connection].outbox.held
    case .anonymous: guard account != .nobody, accounts[account].isAnonymous else { return 0 }
    case .account(let one): guard account == one else { return 0 }
    }
    return connections[connection].unsentReplies
  }
}
