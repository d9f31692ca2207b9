/// Counts what is unsent: to each connection, to all connections of an identity or address, and to all (contract,
/// section 10).
extension Router {
  /// `bytes` more wait in the connection's outbox: of an event or a notice.
  @inline(__always)
  mutating func queuedEvent(_ bytes: Int, to connection: Slot<Connection>) {
    connections[connection].unsentEvents += bytes
    unsentBytes += bytes
    countUnsent(bytes, replies: 0, of: connections[connection].account)
    markChanged(connection)
  }

  /// The connection's outbox holds `bytes` more: of anything else.
  @inline(__always)
  mutating func queued(_ bytes: Int, to connection: Slot<Connection>, at now: Instant) {
    unsentBytes += bytes
    let account = connections[connection].account
    countUnsent(bytes, replies: bytes, of: account)
    if isCrowded || account != .nobody && accounts[account].unsent.replies > littleUnread {
      noteUnreadReplies(of: account)
    }
    markChanged(connection)
    if connections[connection].unsentReplies > settings.readingUnsentBytes { pauseForUnsent(connection, at: now) }
  }

  /// The kernel has taken the first `count` bytes of the connection's outbox.
  mutating func tookUnsent(_ count: Int, of connection: Slot<Connection>) {
    let (replies, held) = (connections[connection].unsentReplies, connections[connection].outbox.held)
    connections[connection].outbox.consume(count, into: &blocks)
    if connections[connection].marked != .nobody { dropMarks(count, of: connection) }
    let released = held - connections[connection].outbox.held
    unsentBytes -= released
    connections[connection].unsentEvents = min(
      connections[connection].unsentEvents, connections[connection].outbox.count)
    countUnsent(
      -released, replies: connections[connection].unsentReplies - replies, of: connections[connection].account)
  }

  /// Nothing is unsent to the connection any more: it is gone.
  mutating func dropUnsent(of connection: Slot<Connection>) {
    unsentBytes -= connections[connection].outbox.held
    countUnsent(of: connection, in: connections[connection].account, times: -1)
    connections[connection].outbox.clear(into: &blocks)
    connections[connection].unsentEvents = 0
    endMarks(of: connection)
  }

  /// Says what the line is that is begun now, for a door that wants to know: nil for a part that is not its last. Without
  /// that it is another line.
  @inline(__always)
  mutating func mark(_ mark: LineMark?, for connection: Slot<Connection>) {
    if connections[connection].marked != .nobody { noteMark(mark, for: connection) }
  }

  @inline(never)
  private mutating func noteMark(_ mark: LineMark?, for connection: Slot<Connection>) {
    let (marked, unsent) = (connections[connection].marked, connections[connection].outbox.count)
    if markedLines[marked].areEnough { return }
    markedLines[marked].begin(mark, behind: unsent, isLast: connections[connection].door.isLastMarked(mark))
  }

  @inline(never)
  private mutating func dropMarks(_ bytes: Int, of connection: Slot<Connection>) {
    let marked = connections[connection].marked
    markedLines[marked].drop(bytes)
    if markedLines[marked].areEnough, markedLines[marked].isEmpty { endMarks(of: connection) }
  }

  /// What is written to the connection from now on has no marks.
  private mutating func endMarks(of connection: Slot<Connection>) {
    guard connections[connection].marked != .nobody else { return }
    markedLines.remove(connections[connection].marked)
    connections[connection].marked = .nobody
  }

  /// What is unsent to the connection counts for the account (1), or counts for it no more (-1).
  mutating func countUnsent(of connection: Slot<Connection>, in account: Slot<PeerAccount>, times sign: Int) {
    countUnsent(
      sign * connections[connection].outbox.held, replies: sign * connections[connection].unsentReplies, of: account)
  }

  @inline(__always)
  private mutating func countUnsent(_ bytes: Int, replies: Int, of account: Slot<PeerAccount>) {
    guard account != .nobody else { return }
    accounts[account].unsent.add(bytes, replies: replies)
    if accounts[account].isAnonymous { anonymousUnsent.add(bytes, replies: replies) }
  }

  /// Whether half of what may be unsent to all is. Up to there nobody's share is asked.
  @inline(__always)
  var isCrowded: Bool { mutating get { unsentBytes >= settings.maxTotalUnsentBytes / 2 } }

  /// What may still be unsent to all.
  @inline(__always)
  var freeUnsentBytes: Int { mutating get { settings.maxTotalUnsentBytes &- unsentBytes } }

  /// Whether an event of so many bytes may be queued for the connection, as far as its identity matters: all of its
  /// connections are below their share, or this one has little. What they come to have above their share, however many
  /// they are, is less than half of what was free. All anonymous peers have one share, of which each address has one.
  mutating func identityHasRoomForEvents(_ connection: Slot<Connection>, ofBytes bytes: Int) -> Bool {
    let account = connections[connection].account
    guard account != .nobody else { return true }
    let isAnonymous = accounts[account].isAnonymous
    if isBelowShare(accounts[account].unsent.bytes, ofFree: freeUnsentBytes),
      !isAnonymous || isBelowShare(anonymousUnsent.bytes, ofFree: freeUnsentBytes)
    {
      return true
    }
    let count = isAnonymous ? connections.count : accounts[account].connections
    let part = share(ofFree: freeUnsentBytes) / Router.partsOfShare / max(1, count)
    return connections[connection].outbox.count + bytes <= part
  }

  /// An identity that has its share has so many parts of it more for each connection, all of them together one.
  private static let partsOfShare = 16

  /// What one identity may always leave unread beside events.
  @inline(__always)
  private var littleUnread: Int { mutating get { settings.maxTotalUnsentBytes / 64 } }

  /// Replies, offers or results were queued for a connection of the account.
  @inline(never)
  private mutating func noteUnreadReplies(of account: Slot<PeerAccount>) {
    if account != .nobody, accounts[account].identity != .nobody {
      let most = accounts.isTaken(mostUnread) ? accounts[mostUnread].unsent.replies : 0
      if accounts[account].unsent.replies > most { mostUnread = account }
    }
    findHoarder()
  }

  /// If the connections of somebody leave too much unread, the call in ends with a close.
  @inline(__always)
  mutating func findHoarder() {
    if isTooMuchUnread(anonymousUnsent.replies) {
      hoarder = .anonymous
    } else if accounts.isTaken(mostUnread), isTooMuchUnread(accounts[mostUnread].unsent.replies) {
      hoarder = .account(mostUnread)
    }
  }

  /// Whose connections were found to leave too much unread; nobody's from then on.
  mutating func takeHoarder() -> Hoarder {
    defer { hoarder = .nobody }
    return hoarder
  }

  /// Whether so many bytes of replies, offers and results, all unsent to one identity, are more than twice its share of what
  /// is free. Little never is, however little is free; and a limit that a reload has lowered closes nobody.
  private mutating func isTooMuchUnread(_ replies: Int) -> Bool {
    isCrowded && sinking == nil && replies > max(2 &* share(ofFree: freeUnsentBytes), littleUnread)
  }

  /// Whose connections leave too much unread.
  enum Hoarder: Equatable {
    case nobody
    case anonymous
    case account(Slot<PeerAccount>)
  }
}

/// Bytes that are unsent, and those of them that are of neither events nor notices.
struct UnsentCount: Equatable {
  private(set) var bytes = 0
  private(set) var replies = 0

  @inline(__always)
  mutating func add(_ bytes: Int, replies: Int) {
    self.bytes += bytes
    self.replies += replies
  }
}
