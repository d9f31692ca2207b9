/// The share of one connection in what all connections have in common (contract, section 10, `share_of_free`).
extension Router {
  /// The most that one connection may have while so much is free.
  @inline(__always)
  mutating func share(ofFree free: Int) -> Int { max(0, free) &* settings.shareOfFree }

  /// Whether somebody who has so much may have more while so much is free. Who has nothing may.
  @inline(__always)
  mutating func isBelowShare(_ own: Int, ofFree free: Int) -> Bool { own == 0 || own < share(ofFree: free) }

  /// Throws if a connection that has so many, beside those that others of its identity or address have left, and wants more
  /// of them, one after the other, would want the last of these above its share. `what` names the things.
  mutating func checkFreeShare(_ what: StaticString, has: Int, left: Int, more: Int, free: Int) throws(Fault) {
    guard has + left + more > share(ofFree: free - more + 1) else { return }
    let others = left == 0 ? "" : "others of your identity or address that have gone left \(left), "
    throw Fault(
      .limitReached,
      "this connection has \(has) \(what), \(others)and \(free) more are free; it may have at most "
        + "\(settings.shareOfFree) times as many as are free (share_of_free); give some back")
  }

  /// Whether the connection's open messages take no more than its share.
  @inline(__always)
  mutating func hasShareOfOpenBytes(_ connection: Slot<Connection>) -> Bool {
    isBelowShare(connections[connection].openBytes, ofFree: settings.maxTotalBytes &- openBytes)
  }

  /// Whether so many bytes more have room in a message under way: what handlers answer, failures, steps of a trace. They may
  /// make the messages of one sender take twice its share, and no more: so there is room left for a newcomer's message
  /// whatever the messages of others become. The tries of stored messages are those of one sender.
  mutating func mayGrow(_ walk: Slot<Walk>, by more: Int = 0) -> Bool {
    let free = settings.maxTotalBytes - openBytes - more
    guard free > 0 else { return false }
    return bytesOfSender(of: walk) + more <= 2 &* share(ofFree: free)
  }

  /// What the messages of the walk's sender take; if it has gone, what those who went left under way in its account.
  mutating func bytesOfSender(of walk: Slot<Walk>) -> Int {
    let sender = walks[walk].sender
    if connections.contains(sender) { return connections[sender.slot].openBytes }
    if walks[walk].attempt != .nobody { return bytesOfTries }
    let account = walks[walk].account
    return account == .nobody ? 0 : accounts[account].leftBytes
  }

  /// Whether what is unsent to the connection is no more than its share. An empty buffer always has room for one line.
  @inline(__always)
  mutating func hasShareOfUnsentBytes(_ connection: Slot<Connection>) -> Bool {
    isBelowShare(connections[connection].outbox.held, ofFree: settings.maxTotalUnsentBytes &- unsentBytes)
  }

  /// Whether offers may go to the connection: it has read enough of what was sent to it. If it only has its share of all
  /// unsent bytes, that is noted: offers go on once it has read some.
  @inline(__always)
  mutating func readsOffers(_ connection: Slot<Connection>) -> Bool {
    guard connections[connection].outbox.held <= settings.offersUnsentBytes else { return false }
    if hasShareOfUnsentBytes(connection) { return true }
    connections[connection].isOfferedLater = true
    return false
  }

  /// Offers go on now.
  @inline(__always)
  mutating func endOfferingLater(to connection: Slot<Connection>) { connections[connection].isOfferedLater = false }

  /// Whether the connection's unfinished lines take no more than its share.
  @inline(__always)
  mutating func hasShareOfUnfinishedBytes(_ connection: Slot<Connection>) -> Bool {
    connections[connection].unfinishedBytes <= share(ofFree: settings.maxUnfinishedBytes - unfinishedBytes)
  }
}
