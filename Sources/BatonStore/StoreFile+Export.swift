internal import BatonKeeper

/// All that a store has. It is read in pieces, and while a piece is told nothing of the file is held: whoever is told may
/// stand still for as long as he likes, and a server that uses the file takes its log in meanwhile.
///
/// So it is no copy of one moment. What comes meanwhile is left out, or not; what goes, too. What is there all the time is
/// told once: rows do not change their numbers, and values are read by their topics.
extension StoreFile {
  /// Tells all that can be read: messages in the order of acceptance, values by their topics, events in the order of `seq`.
  /// What is damaged is told, and the rest all the same; at the end also what is wrong with the file as a whole.
  package func export(_ tell: (Item) throws -> Void) throws -> Counts {
    var counts = try readRows(tell)
    let slips = slips()
    for slip in slips { try tell(.damaged(slip)) }
    counts.damaged += slips.count
    return counts
  }

  func readRows(_ tell: (Item) throws -> Void) throws -> Counts {
    var counts = Counts()
    try reading("message", &counts, tell) { counts in try exportMessages(&counts, tell) }
    try reading("once", &counts, tell) { counts in try countNames(&counts, tell) }
    try reading("value", &counts, tell) { counts in
      // If its index is damaged, topics cannot be relied upon. Then no server uses the file.
      let isSound = (try? database.texts("PRAGMA integrity_check('value')")) == ["ok"]
      try exportKept("value", RowKind.value, "change", by: isSound ? "topic" : "change", &counts, tell)
    }
    try reading("event", &counts, tell) { counts in try exportKept("event", RowKind.event, "seq", &counts, tell) }
    return counts
  }

  /// A table whose pages are damaged ends there; the others are read.
  private func reading(
    _ table: String, _ counts: inout Counts, _ tell: (Item) throws -> Void, _ body: (inout Counts) throws -> Void
  ) throws {
    do { try body(&counts) } catch let error as DatabaseError {
      counts.damaged += 1
      try tell(.damaged("table \(table): \(error)"))
    }
  }

  private func exportMessages(_ counts: inout Counts, _ tell: (Item) throws -> Void) throws {
    let select = """
      SELECT message.about, message.head, message.sender, message.payload, state.about, state.result, message.once,
        message.row FROM message LEFT JOIN state USING(row)
      """
    try inPieces(select, of: "message", by: "message.row", at: 7) { read in
      let row = UInt64(bitPattern: read.number(7))
      let isNamed = read.isNothing(6) ? nil : read.withBytes(6) { OnceRow.read($0, row: row) } != nil
      return (Store.found(read, row), isNamed)
    } tell: { found, isNamed in
      let name = String(decoding: found.message.id.text, as: UTF8.self)
      if let content = found.content, !found.isResultDamaged {
        if found.isDead { counts.dead += 1 } else { counts.messages += 1 }
        try tell(.message(found.message, content, result: found.result, isDead: found.isDead))
      } else {
        counts.damaged += 1
        try tell(.damaged("message \(name): its bytes are damaged"))
      }
      guard let isNamed else { return }
      if isNamed { return counts.names += 1 }
      counts.damaged += 1
      try tell(.damaged("message \(name): its name (once) is damaged; sent again with it, it is taken in twice"))
    }
  }

  private func countNames(_ counts: inout Counts, _ tell: (Item) throws -> Void) throws {
    try inPieces("SELECT about, result, row FROM once", of: "once", by: "row", at: 2) { read in
      let row = UInt64(bitPattern: read.number(2))
      let isSound = read.withBytes(0) { OnceRow.read($0, row: row) } != nil
      return (row, isSound && (read.isNothing(1) || read.withBytes(1) { ResultRow.read($0, row: row) } != nil))
    } tell: { row, isSound in
      if isSound { return counts.names += 1 }
      counts.damaged += 1
      try tell(.damaged("once \(row): its bytes are damaged"))
    }
  }

  private func exportKept(
    _ table: String, _ kind: UInt8, _ number: String, by key: String? = nil, _ counts: inout Counts,
    _ tell: (Item) throws -> Void
  ) throws {
    let key = key ?? number
    let topic = kind == RowKind.value ? "topic" : "NULL"
    let select = "SELECT about, payload, \(number), \(key), \(topic) FROM \(table)"
    try inPieces(select, of: table, by: key, at: 3) { read in
      let (row, payload) = (UInt64(bitPattern: read.number(2)), read.bytes(1))
      let kept = read.withBytes(0) { PublicationRow.read($0, payload: payload, kind, row: row) }
      // The topic of a value is a column, too.
      return (row, read.isNothing(4) || kept?.topic == read.bytes(4) ? kept : nil)
    } tell: { row, kept in
      guard let kept else {
        counts.damaged += 1
        return try tell(.damaged("\(table) \(row): its bytes are damaged"))
      }
      if kind == RowKind.value { counts.values += 1 } else { counts.events += 1 }
      try tell(kind == RowKind.value ? .value(kept) : .event(kept))
    }
  }

  // MARK: Pieces

  /// Rows that are read at once, and bytes: a piece has at least one row, whatever it takes.
  private static let rowsOfPiece = 128
  private static let bytesOfPiece = 1 << 20

  /// Reads the rows of a table in the order of a key, which stands in this column: those that are there with keys up to the
  /// last one that there is now. Nobody can lengthen it while it goes on.
  private func inPieces<Row>(
    _ select: String, of table: String, by key: String, at column: Int32, read: (Statement) -> Row,
    tell: (Row) throws -> Void
  ) throws {
    guard let last = try lastKey("SELECT max(\(key)) FROM \(table)") else { return }
    var place: Key?
    while true {
      var (piece, fault): ([Row], DatabaseError?) = ([], nil)
      do throws(DatabaseError) {
        let after = place == nil ? "" : "\(key) > ?2 AND"
        let statement = try database.prepare("\(select) WHERE \(after) \(key) <= ?1 ORDER BY \(key)")
        // Until it is reset, it holds what it sees.
        defer { statement.reset() }
        last.bind(1, of: statement)
        place?.bind(2, of: statement)
        var bytes = 0
        while piece.count < Self.rowsOfPiece, bytes < Self.bytesOfPiece, try statement.step() {
          let key = Key(statement, column)
          // Pages that are damaged may lead back to rows that were read, for ever.
          if let place, !key.isBehind(place) { throw .disorder }
          piece.append(read(statement))
          bytes += statement.rowBytes
          place = key
        }
      } catch {
        fault = error
      }
      for row in piece { try tell(row) }
      if let fault { throw fault }
      if piece.isEmpty { return }
    }
  }

  private func lastKey(_ sql: String) throws(DatabaseError) -> Key? {
    let statement = try database.prepare(sql)
    defer { statement.reset() }
    return try statement.step() && !statement.isNothing(0) ? Key(statement, 0) : nil
  }
}

/// What rows are read by: a number, or bytes.
private enum Key {
  case number(Int64)
  case bytes([UInt8])

  init(_ statement: Statement, _ column: Int32) {
    self = statement.isNumber(column) ? .number(statement.number(column)) : .bytes(statement.bytes(column))
  }

  /// Whether it comes later in the order of a table: numbers before bytes.
  func isBehind(_ other: Key) -> Bool {
    switch (self, other) {
    case (.number(let own), .number(let other)): own > other
    case (.bytes(let own), .bytes(let other)): other.lexicographicallyPrecedes(own)
    case (.bytes, .number): true
    case (.number, .bytes): false
    }
  }

  func bind(_ place: Int32, of statement: Statement) {
    switch self {
    case .number(let number): statement.bind(place, UInt64(bitPattern: number))
    case .bytes(let bytes): statement.bind(place, copying: bytes)
    }
  }
}
