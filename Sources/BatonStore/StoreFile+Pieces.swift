internal import BatonLasting

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
    if case .number(let last) = last, !isSound(table) {
      return try pieces.readOneByOne(last: last, read: read) { row in
        try each(row, &counts)
      } gap: { place in
        let rows = place == .max ? "what follows" : "rows up to \(place)"
        try tell(.damaged("table \(table): a page \(counts.addGap()); \(rows) may be missing"))
      }
    }
    var place: Key?
    while true {
      var piece: [Row] = []
      do {
        let statement = try pieces.rows(after: place, upTo: last)
        // Until it is reset, it holds what it sees.
        defer { statement.reset() }
        var bytes = 0
        while piece.count < Self.rowsOfPiece, bytes < Self.bytesOfPiece, try statement.step() {
          piece.append(read(statement))
          bytes += statement.rowBytes
          place = Key(statement, column)
        }
      }
      for row in piece { try each(row, &counts) }
      if piece.isEmpty { return }
    }
  }

  func isSound(_ table: String) -> Bool {
    isWhole || (try? database.texts("PRAGMA integrity_check('\(table)')")) == ["ok"]
  }
}

/// A table that is read by a key.
private struct Pieces {
  let database: Database
  let select: String
  let table: String
  let key: String
  let column: Int32
  /// Whether its key is made of bytes, and no number.
  var isOfBytes: Bool { key == "topic" }

  /// Its last key; nil if it has no rows. If that cannot be read, all numbers come before what is told. Of bytes there is no
  /// such last one.
  func lastKey() throws(DatabaseError) -> Key? {
    do throws(DatabaseError) {
      let statement = try database.prepare("SELECT max(\(key)) FROM \(table)")
      defer { statement.reset() }
      return try statement.step() && !statement.isNothing(0) ? Key(statement, 0) : nil
    } catch {
      guard error.lacksBytes, !isOfBytes else { throw error }
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

  // MARK: Damaged tables

  /// Reads a table in which pages are damaged, or stand in the places of others. Each row is sought: so a row in a wrong place
  /// is told in its right one only, and hides none of those that follow.
  func readOneByOne<Row>(
    last: Int64, read: (Statement) -> Row, each: (Row) throws -> Void, gap: (Int64) throws -> Void
  ) throws {
    // The page that says which row is the last one may be damaged, too.
    let end = Int64.max
    var place: Int64 = 0
    while place < end {
      let direct = firstKey(from: place + 1, upTo: end)
      var next = direct
      // What is found at once may be a row that stands too early.
      if direct != place + 1, let sooner = firstReadable(after: place, upTo: direct.map { $0 - 1 } ?? end) {
        next = sooner
        try gap(sooner - 1)
      }
      guard let next else { return place < last ? try gap(last) : () }
      place = next
      if let row = row(next, read) { try each(row) } else { try gap(next) }
    }
  }

  private func row<Row>(_ number: Int64, _ read: (Statement) -> Row) -> Row? {
    guard let statement = try? rows(after: .number(number - 1), upTo: .number(number)) else { return nil }
    defer { statement.reset() }
    return (try? statement.step()) == true ? read(statement) : nil
  }

  /// The first number behind a place from which on rows can be read, up to another; nil if there is none. Pages hold rows
  /// whose numbers follow each other: so it is sought in steps that double, and then between the last two.
  private func firstReadable(after place: Int64, upTo end: Int64) -> Int64? {
    var (damaged, step): (Int64, Int64) = (place, 1)
    var readable: Int64?
    while readable == nil {
      guard damaged < end else { return nil }
      let next = end - step > damaged ? damaged + step : end
      if firstKey(from: next, upTo: end) != nil { readable = next } else { damaged = next }
      step = min(step, 1 << 60) * 2
    }
    guard var readable else { return nil }
    while readable - damaged > 1 {
      let middle = damaged + (readable - damaged) / 2
      if firstKey(from: middle, upTo: end) != nil { readable = middle } else { damaged = middle }
    }
    return firstKey(from: readable, upTo: end)
  }

  /// The key of the first row from a number on, up to another; nil if there is none, or none can be read.
  private func firstKey(from number: Int64, upTo end: Int64) -> Int64? {
    guard let statement = try? rows(after: .number(number - 1), upTo: .number(end)) else { return nil }
    defer { statement.reset() }
    guard (try? statement.step()) == true, case .number(let found) = Key(statement, column) else { return nil }
    // A damaged page may lead to rows that stand elsewhere.
    return found >= number && found <= end ? found : nil
  }
}

/// What rows are read by: a number, or bytes.
private enum Key {
  case number(Int64)
  case bytes([UInt8])

  init(_ statement: Statement, _ column: Int32) {
    self = statement.isNumber(column) ? .number(statement.number(column)) : .bytes(statement.bytes(column))
  }

  func bind(_ place: Int32, of statement: Statement) {
    switch self {
    case .number(let number): statement.bind(place, UInt64(bitPattern: number))
    case .bytes(let bytes): statement.bind(place, copying: bytes)
    }
  }
}
