internal import BatonLasting

/// A start: all that is kept, one row after the other. Payloads of messages stay on disk.
extension Store {
  /// Tells what the store has, and deletes the names of `once` whose time was over before `wall`.
  package func restore(wall: Int64, _ tell: (StoredItem) throws -> Void) throws {
    do {
      try restoreMessages(tell)
      try restoreNames(wall, tell)
      try restoreValues(tell)
      try restoreEvents(tell)
      try database.run("DELETE FROM state WHERE NOT EXISTS (SELECT 1 FROM message WHERE message.row = state.row)")
    } catch let error as DatabaseError {
      throw Opening.words(for: error, path.path)
    }
  }

  private func restoreMessages(_ tell: (StoredItem) throws -> Void) throws {
    let read = try database.prepare("SELECT row, about, once FROM message ORDER BY row")
    // Most messages have no state of their own: the two tables are read side by side.
    let states = try database.prepare("SELECT row, about, length(result) FROM state ORDER BY row")
    var hasState = try states.step()
    var gone: [ClosedRange<Int64>] = []
    while try read.step() {
      let row = UInt64(bitPattern: read.number(0))
      while hasState, states.number(0) < read.number(0) { hasState = try states.step() }
      let isChanged = hasState && states.number(0) == read.number(0)
      let state = isChanged ? states.withBytes(1) { StateRow.read($0, row: row) } : nil
      if state?.hasGone == true {
        gone.append(read.number(0)...read.number(0))
        continue
      }
      guard var message = read.withBytes(1, { MessageRow.read($0, row: row) }), !isChanged || state != nil else {
        try tellDamaged(read, row, tell)
        continue
      }
      var isDead = false
      if let state {
        (message.message.state, isDead) = (state.state, state.isDead)
        message.message.resultCount = Self.resultCount(states, 2)
      }
      try tell(.message(message.message, key: message.key, isDead: isDead))
      try tellName(read, row, tell)
    }
    // The file has been found sound: now they can be taken off it.
    try delete(gone, from: "message")
  }

  /// Deletes rows, together.
  private func delete(_ rows: [ClosedRange<Int64>], from table: String) throws {
    guard !rows.isEmpty else { return }
    let delete = try database.prepare("DELETE FROM \(table) WHERE row BETWEEN ? AND ?")
    try database.run("BEGIN IMMEDIATE")
    for rows in rows {
      delete.bind(1, UInt64(bitPattern: rows.lowerBound))
      delete.bind(2, UInt64(bitPattern: rows.upperBound))
      try delete.run()
    }
    try database.run("COMMIT")
  }

  /// The size of a result without its checksum.
  private static func resultCount(_ statement: Statement, _ column: Int32) -> Int {
    max(0, Int(clamping: statement.number(column)) - 8)
  }

  private func tellDamaged(_ read: Statement, _ row: UInt64, _ tell: (StoredItem) throws -> Void) throws {
    try tell(.damaged(table: "message", row: row))
    try tell(.message(read.damagedMessage(row, about: 1, once: 2), key: nil, isDead: true))
    try tellName(read, row, tell)
  }

  private func tellName(_ read: Statement, _ row: UInt64, _ tell: (StoredItem) throws -> Void) throws {
    guard !read.isNothing(2) else { return }
    if let once = read.withBytes(2, { OnceRow.read($0, row: row) }) {
      try tell(.once(once))
    } else {
      // The message is there.
      try tell(.damaged(table: "once", row: row))
    }
  }

  private func restoreNames(_ wall: Int64, _ tell: (StoredItem) throws -> Void) throws {
    let read = try database.prepare("SELECT row, about, length(result) FROM once ORDER BY row")
    var over: [ClosedRange<Int64>] = []
    while try read.step() {
      let key = read.number(0)
      let row = UInt64(bitPattern: key)
      var once = read.withBytes(1) { OnceRow.read($0, row: row) }
      once?.resultCount = Self.resultCount(read, 2)
      if once == nil { try tell(.damaged(table: "once", row: row)) }
      if let once, let until = once.until, until > wall {
        try tell(.once(once))
      } else if let last = over.last, last.upperBound + 1 == key {
        over[over.count - 1] = last.lowerBound...key
      } else {
        over.append(key...key)
      }
    }
    try delete(over, from: "once")
  }

  private func restoreValues(_ tell: (StoredItem) throws -> Void) throws {
    let read = try database.prepare("SELECT change, about, payload, topic FROM value ORDER BY change")
    while try read.step() {
      let number = UInt64(bitPattern: read.number(0))
      let payload = read.bytes(2)
      let kept = read.withBytes(1) { PublicationRow.read($0, payload: payload, RowKind.value, row: number) }
      if let kept, kept.topic == read.bytes(3) {
        try tell(.value(kept, change: number))
      } else {
        try tell(.damaged(table: "value", row: number))
      }
    }
  }

  private func restoreEvents(_ tell: (StoredItem) throws -> Void) throws {
    let read = try database.prepare("SELECT seq, about, payload FROM event ORDER BY seq")
    while try read.step() {
      let seq = UInt64(bitPattern: read.number(0))
      let payload = read.bytes(2)
      if let kept = read.withBytes(1, { PublicationRow.read($0, payload: payload, RowKind.event, row: seq) }) {
        try tell(.event(kept))
      } else {
        try tell(.damaged(table: "event", row: seq))
      }
    }
  }
}
