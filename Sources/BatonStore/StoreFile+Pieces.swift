internal import BatonKeeper

/// Tables, read in pieces, past pages that are damaged.
extension StoreFile {
  /// Rows that are read at once, and bytes: a piece has at least one row, whatever it takes.
  private static let rowsOfPiece = 128
  private static let bytesOfPiece = 1 << 20

  /// Reads the rows of a table in the order of a key, which stands in this column: those that are there with keys up to the
  /// last one that there is now. Nobody can lengthen it while it goes on. Where a page is damaged, that is told, and what
  /// follows is read.
  func inPieces<Row>(
    _ select: String, of table: String, by key: String, at column: Int32, _ counts: inout Counts,
    _ tell: (Item) throws -> Void, read: (Statement) -> Row, each: (Row, inout Counts) throws -> Void
  ) throws {
    let pieces = Pieces(database: database, select: select, table: table, key: key, column: column)
    guard let last = try pieces.lastKey() else { return }
    var place: Key?
    while true {
      var (piece, fault): ([Row], DatabaseError?) = ([], nil)
      do throws(DatabaseError) {
        let statement = try pieces.rows(after: place, upTo: last)
        // Until it is reset, it holds what it sees.
        defer { statement.reset() }
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
      for row in piece { try each(row, &counts) }
      if let fault {
        guard fault.isDamage, let next = pieces.firstReadable(after: place, upTo: last) else { throw fault }
        counts.damaged += 1
        try tell(.damaged("table \(table): a page is damaged; rows before \(next) may be missing"))
        place = .number(next - 1)
      } else if piece.isEmpty {
        return
      }
    }
  }
}

/// A table that is read by a key.
private struct Pieces {
  let database: Database
  let select: String
  let table: String
  let key: String
  let column: Int32

  /// Its last key; nil if it has no rows. If that cannot be read, all keys come before what is told.
  func lastKey() throws(DatabaseError) -> Key? {
    do throws(DatabaseError) {
      let statement = try database.prepare("SELECT max(\(key)) FROM \(table)")
      defer { statement.reset() }
      return try statement.step() && !statement.isNothing(0) ? Key(statement, 0) : nil
    } catch {
      guard error.isDamage else { throw error }
      return .number(.max)
    }
  }

  /// Those behind a place. For a number, the next one is sought: the page of the one before need not be right.
  func rows(after place: Key?, upTo last: Key) throws(DatabaseError) -> Statement {
    var (after, place) = (place == nil ? "" : "\(key) > ?2 AND", place)
    if case .number(let number) = place, number < .max {
      (after, place) = ("\(key) >= ?2 AND", .number(number + 1))
    }
    let statement = try database.prepare("\(select) WHERE \(after) \(key) <= ?1 ORDER BY \(key)")
    last.bind(1, of: statement)
    place?.bind(2, of: statement)
    return statement
  }

  /// The first number behind a place from which on rows can be read; nil if there is none. Pages hold rows whose numbers
  /// follow each other: so it is sought in steps that double, and then between the last two.
  func firstReadable(after place: Key?, upTo last: Key) -> Int64? {
    guard case .number(let end) = last else { return nil }
    var damaged: Int64 = 0
    if let place {
      guard case .number(let number) = place else { return nil }
      damaged = number
    }
    var (readable, step): (Int64?, Int64) = (nil, 1)
    while readable == nil {
      guard damaged < end else { return nil }
      let next = end - step > damaged ? damaged + step : end
      if hasReadableRow(from: next, upTo: last) { readable = next } else { damaged = next }
      step = min(step, 1 << 60) * 2
    }
    guard var readable else { return nil }
    while readable - damaged > 1 {
      let middle = damaged + (readable - damaged) / 2
      if hasReadableRow(from: middle, upTo: last) { readable = middle } else { damaged = middle }
    }
    return readable
  }

  private func hasReadableRow(from number: Int64, upTo last: Key) -> Bool {
    guard let statement = try? rows(after: .number(number - 1), upTo: last) else { return false }
    defer { statement.reset() }
    // A damaged page may lead to rows that stand elsewhere.
    guard (try? statement.step()) == true, case .number(let found) = Key(statement, column) else { return false }
    return found >= number
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
