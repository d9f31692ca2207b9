/// Counts what is unsent: to each connection, to all connections of an identity or address, and to all (contract,
/// section 10).
extension Router {
  /// `bytes` more wait in the connection's outbox: of an event or a notice.
  @inline(__always)
  mutating func queuedEvent(_ bytes: Int, to connection: Slot<Connection>) {
    connections[connection].unsentEvents += bytes
    unsentBytes += bytes
    let account = connections[connection].account
    if account != .nobody { accounts[account].unsentBytes += bytes }
    markChanged(connection)
  }

  /// `bytes` more wait in the connection's outbox: of anything else.
  @inline(__always)
  mutating func queued(_ bytes: Int, to connection: Slot<Connection>, at now: Instant) {
    unsentBytes += bytes
    let account = connections[connection].account
    if account != .nobody {
      accounts[account].unsentBytes += bytes
      accounts[account].unsentReplies += bytes
      if accounts[account].unsentReplies > littleUnread { noteUnreadReplies(of: account) }
    }
    markChanged(connection)
    if connections[connection].unsentReplies > settings.readingUnsentBytes { pauseForUnsent(connection, at: now) }
  }

  /// The kernel has taken the first `count` bytes of the connection's outbox.
  mutating func tookUnsent(_ count: Int, of connection: Slot<Connection>) {
    let replies = connections[connection].unsentReplies
    connections[connection].outbox.consume(count, into: &blocks)
    unsentBytes -= count
    connections[connection].unsentEvents = min(
      connections[connection].unsentEvents, connections[connection].outbox.count)
    let account = connections[connection].account
    guard account != .nobody else { return }
    accounts[account].unsentBytes -= count
    accounts[account].unsentReplies -= replies - connections[connection].unsentReplies
  }

  /// Nothing is unsent to the connection any more: it is gone.
  mutating func dropUnsent(of connection: Slot<Connection>) {
    unsentBytes -= connections[connection].outbox.count
    countUnsent(of: connection, in: connections[connection].account, times: -1)
    connections[connection].outbox.clear(into: &blocks)
    connections[connection].unsentEvents = 0
  }

  /// What is unsent to the connection counts for the account (1), or counts for it no more (-1).
  mutating func countUnsent(of connection: Slot<Connection>, in account: Slot<PeerAccount>, times sign: Int) {
    guard account != .nobody else { return }
    accounts[account].unsentBytes += sign * connections[connection].outbox.count
    accounts[account].unsentReplies += sign * connections[connection].unsentReplies
  }

  /// Whether half of what may be unsent to all is. Up to there nobody's share is asked.
  @inline(__always)
  var isCrowded: Bool { mutating get { unsentBytes >= settings.maxTotalUnsentBytes / 2 } }

  /// What may still be unsent to all.
  @inline(__always)
  var freeUnsentBytes: Int { mutating get { settings.maxTotalUnsentBytes &- unsentBytes } }

  /// Whether an event of so many bytes may be queued for the connection, as far as its identity matters: all of its
  /// connections are below their share, or this one has little. What they come to have above their share, however many
  /// they are, is less than half of what was free.
  mutating func identityHasRoomForEvents(_ connection: Slot<Connection>, ofBytes bytes: Int) -> Bool {
    let account = connections[connection].account
    guard account != .nobody, accounts[account].identity != .nobody else { return true }
    if isBelowShare(accounts[account].unsentBytes, ofFree: freeUnsentBytes) { return true }
    let part = share(ofFree: freeUnsentBytes) / Router.partsOfShare / max(1, accounts[account].connections)
    return connections[connection].outbox.count + bytes <= part
  }

  /// An identity that has its share has so many parts of it more for each connection, all of them together one.
  private static let partsOfShare = 16

  /// What one identity may always leave unread beside events.
  @inline(__always)
  private var littleUnread: Int { mutating get { settings.maxTotalUnsentBytes / 64 } }

  /// Replies, offers or results were queued for a connection of the account, and they are not few.
  @inline(never)
  private mutating func noteUnreadReplies(of account: Slot<PeerAccount>) {
    let most = accounts.isTaken(mostUnread) ? accounts[mostUnread].unsentReplies : 0
    if accounts[account].unsentReplies > most { mostUnread = account }
    findHoarder()
  }

  /// If the connections of the account with the most unread replies leave too much unread, the call in ends with a close.
  @inline(__always)
  mutating func findHoarder() { if leavesTooMuchUnread(mostUnread) { hoarder = mostUnread } }

  /// Whether replies, offers and results that are unsent to one account take more than twice its share of what is free.
  /// Little never does, however little is free; and a limit that a reload has lowered closes nobody.
  mutating func leavesTooMuchUnread(_ account: Slot<PeerAccount>) -> Bool {
    isCrowded && sinking == nil && accounts.isTaken(account) && accounts[account].identity != .nobody
      && accounts[account].unsentReplies
        > max(2 &* share(ofFree: freeUnsentBytes), littleUnread)
  }
}
