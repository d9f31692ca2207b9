/// What one identity has waiting at one link; without identities, what one address has (contract, section 5, `Turns`).
/// It lives as long as some of it waits, so its messages pay for it.
struct WaitingTurn: ~Copyable {
  let link: Slot<Link>
  /// Whose it is; `nobody` for senders without an account.
  let account: Slot<PeerAccount>
  /// Whether it is one of many of the anonymous, who have one share together.
  let isAnonymous: Bool
  /// The rows that take turns within it: the first one is the next.
  var first = Slot<WaitingRow>.nobody
  var last = Slot<WaitingRow>.nobody
  /// The rows that connections left which have gone. They take one turn together: the first of them stands among the rows
  /// above, and the others follow it.
  var firstLeft = Slot<WaitingRow>.nobody
  var lastLeft = Slot<WaitingRow>.nobody
  /// The messages that wait in it, and their bytes.
  var waiting = 0
  var bytes = 0
  /// Neighbours in the circle of the link.
  var previous = Slot<WaitingTurn>.nobody
  var next = Slot<WaitingTurn>.nobody
}

/// What one connection has waiting at one link, in the order in which it came.
struct WaitingRow: ~Copyable {
  let turn: Slot<WaitingTurn>
  let link: Slot<Link>
  /// The connection that sent it; `nobody` once that has gone, and for tries of stored messages.
  var sender: Slot<Connection>
  var firstWalk = Slot<Walk>.nobody
  var lastWalk = Slot<Walk>.nobody
  var waiting = 0
  var bytes = 0
  /// Neighbours among the rows that take turns.
  var previous = Slot<WaitingRow>.nobody
  var next = Slot<WaitingRow>.nobody
  /// Neighbours among the rows of its connection; of a row that was left, among those that were left in its turn.
  var previousOfSender = Slot<WaitingRow>.nobody
  var nextOfSender = Slot<WaitingRow>.nobody
}

/// All turns and rows, and how they are found. It knows neither links nor walks nor connections: `Router+WaitingTurns`
/// chains them.
struct WaitingTurns: ~Copyable {
  private let seed: UInt64
  private var turns = Table<WaitingTurn>()
  private var rows = Table<WaitingRow>()
  private var turnPlaces = ByteIndex<WaitingTurn>()
  private var rowPlaces = ByteIndex<WaitingRow>()

  init(seed: UInt64) { self.seed = seed }

  var turnCount: Int { turns.count }
  var rowCount: Int { rows.count }

  subscript(turn: Slot<WaitingTurn>) -> WaitingTurn {
    @inline(__always) _read { yield turns[turn] }
    @inline(__always) _modify { yield &turns[turn] }
  }

  subscript(row: Slot<WaitingRow>) -> WaitingRow {
    @inline(__always) _read { yield rows[row] }
    @inline(__always) _modify { yield &rows[row] }
  }

  private func hash(_ link: Slot<Link>, _ owner: UInt32) -> UInt32 {
    let mixed = (UInt64(link.index) << 32 | UInt64(owner)) ^ seed
    return UInt32(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }

  /// The turn of an account at a link; `nobody` if nothing of it waits there.
  mutating func find(_ account: Slot<PeerAccount>, at link: Slot<Link>) -> Slot<WaitingTurn> {
    turnPlaces.find(hash(link, account.index)) { turns[$0].link == link && turns[$0].account == account } ?? .nobody
  }

  /// The row of a connection at a link; `nobody` if nothing of it waits there.
  mutating func find(_ sender: Slot<Connection>, at link: Slot<Link>) -> Slot<WaitingRow> {
    rowPlaces.find(hash(link, sender.index)) { rows[$0].link == link && rows[$0].sender == sender } ?? .nobody
  }

  mutating func insert(
    _ account: Slot<PeerAccount>, isAnonymous: Bool, at link: Slot<Link>
  ) -> Slot<WaitingTurn> {
    let turn = turns.insert(WaitingTurn(link: link, account: account, isAnonymous: isAnonymous))
    turnPlaces.insert(hash(link, account.index), turn)
    return turn
  }

  /// A row of a connection; or one that is left, without a connection.
  mutating func insert(_ sender: Slot<Connection>, in turn: Slot<WaitingTurn>) -> Slot<WaitingRow> {
    let link = turns[turn].link
    let row = rows.insert(WaitingRow(turn: turn, link: link, sender: sender))
    if sender != .nobody { rowPlaces.insert(hash(link, sender.index), row) }
    return row
  }

  /// So many messages more wait in a row, and so many bytes; or fewer. Returns whether they are of the anonymous.
  @inline(__always)
  mutating func count(_ row: Slot<WaitingRow>, _ more: Int, bytes: Int) -> Bool {
    rows[row].waiting += more
    rows[row].bytes += bytes
    turns[rows[row].turn].waiting += more
    turns[rows[row].turn].bytes += bytes
    return turns[rows[row].turn].isAnonymous
  }

  /// The connection of a row has gone.
  mutating func leave(_ row: Slot<WaitingRow>) {
    rowPlaces.remove(hash(rows[row].link, rows[row].sender.index), row)
    rows[row].sender = .nobody
  }

  mutating func remove(_ row: Slot<WaitingRow>) {
    if rows[row].sender != .nobody { rowPlaces.remove(hash(rows[row].link, rows[row].sender.index), row) }
    rows.remove(row)
  }

  mutating func remove(_ turn: Slot<WaitingTurn>) {
    turnPlaces.remove(hash(turns[turn].link, turns[turn].account.index), turn)
    turns.remove(turn)
  }
}
