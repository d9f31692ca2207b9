internal import BatonLasting

/// All that a store has. It is read in pieces, and while a piece is told nothing of the file is held: whoever is told may
/// stand still for as long as he likes, and a server that uses the file takes its log in meanwhile.
///
/// So it is no copy of one moment. What comes meanwhile is left out, or not; what goes, too. What is there all the time is
/// told once: rows do not change their numbers, and values are read by their topics.
extension StoreFile {
  /// Tells all that can be read: messages in the order of acceptance, values by their topics, events in the order of `seq`.
  /// What is damaged is told, and the rest all the same; at the end also what is wrong with the file as a whole.
  package func export(_ tell: (Item) throws -> Void) throws -> Counts {
    // Before the rows: of a file that is whole, no table is looked at once more.
    let slips = slips()
    let counts = try readRows(besides: slips, tell)
    for slip in slips { try tell(.damaged(slip.words)) }
    return counts
  }

  /// Reads all rows. What is wrong with the file as a whole is counted, too.
  func readRows(besides slips: [Slip], _ tell: (Item) throws -> Void) throws -> Counts {
    isWhole = slips.isEmpty
    var counts = Counts()
    counts.damaged = slips.count
    counts.unreadable = slips.count(where: \.isUnreadable)
    try reading("message", &counts, tell) { counts in try exportMessages(&counts, tell) }
    try reading("once", &counts, tell) { counts in try countNames(&counts, tell) }
    try reading("value", &counts, tell) { counts in
      // If its index is damaged, topics cannot be relied upon. Then no server uses the file.
      let key = isSound("value") ? "topic" : "change"
      try exportKept("value", RowKind.value, "change", by: key, &counts, tell)
    }
    try reading("event", &counts, tell) { counts in try exportKept("event", RowKind.event, "seq", &counts, tell) }
    return counts
  }

  /// If a table cannot be read further, the others are.
  private func reading(
    _ table: String, _ counts: inout Counts, _ tell: (Item) throws -> Void, _ body: (inout Counts) throws -> Void
  ) throws {
    do { try body(&counts) } catch let error as DatabaseError {
      counts.damaged += 1
      if error.isUnreadable { counts.unreadable += 1 }
      try tell(.damaged("table \(table): \(error)"))
    }
  }

  private func exportMessages(_ counts: inout Counts, _ tell: (Item) throws -> Void) throws {
    // If pages of the states are damaged, contents are worth more than what has become of them.
    let hasStates = isSound("state")
    if !hasStates {
      _ = counts.addGap()
      try tell(.damaged("table state: it cannot be read as a whole; dead letters are told as messages that wait"))
    }
    let (state, join) = hasStates ? ("state.about, state.result", "LEFT JOIN state USING(row)") : ("NULL, NULL", "")
    let select = """
      SELECT message.about, message.head, message.sender, message.payload, \(state), message.once, message.row
      FROM message \(join)
      """
    try inPieces(select, of: "message", by: "message.row", at: 7, &counts, tell) { read in
      let row = UInt64(bitPattern: read.number(7))
      let isNamed = read.isNothing(6) ? nil : read.withBytes(6) { OnceRow.read($0, row: row) } != nil
      return (Store.found(read, row), isNamed)
    } each: { row, counts in
      guard let found = row.0 else { return }
      let isNamed = row.1
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
    try inPieces("SELECT about, result, row FROM once", of: "once", by: "row", at: 2, &counts, tell) { read in
      let row = UInt64(bitPattern: read.number(2))
      let isSound = read.withBytes(0) { OnceRow.read($0, row: row) } != nil
      return (row, isSound && (read.isNothing(1) || read.withBytes(1) { ResultRow.read($0, row: row) } != nil))
    } each: { name, counts in
      let (row, isSound) = name
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
    try inPieces(select, of: table, by: key, at: 3, &counts, tell) { read in
      let (row, payload) = (UInt64(bitPattern: read.number(2)), read.bytes(1))
      let kept = read.withBytes(0) { PublicationRow.read($0, payload: payload, kind, row: row) }
      // The topic of a value is a column, too.
      return (row, read.isNothing(4) || kept?.topic == read.bytes(4) ? kept : nil)
    } each: { one, counts in
      let (row, kept) = one
      guard let kept else {
        counts.damaged += 1
        return try tell(.damaged("\(table) \(row): its bytes are damaged"))
      }
      if kind == RowKind.value { counts.values += 1 } else { counts.events += 1 }
      try tell(kind == RowKind.value ? .value(kept) : .event(kept))
    }
  }
}
