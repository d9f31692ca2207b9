internal import CSQLite

/// A prepared statement. Parameters count from 1, columns from 0, as in SQLite.
final class Statement {
  private let statement: OpaquePointer
  private let database: Database

  init(_ statement: OpaquePointer, of database: Database) { (self.statement, self.database) = (statement, database) }

  // A database that is closed has ended its statements.
  deinit { if database.connection != nil { sqlite3_finalize(statement) } }

  func bind(_ place: Int32, _ number: UInt64) { sqlite3_bind_int64(statement, place, Int64(bitPattern: number)) }

  /// The bytes must stay where they are until the statement is stepped and reset.
  func bind(_ place: Int32, _ bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress, !bytes.isEmpty {
      sqlite3_bind_blob64(statement, place, start, UInt64(bytes.count), nil)
    } else {
      sqlite3_bind_zeroblob(statement, place, 0)
    }
  }

  func bind(_ place: Int32, _ text: String) { sqlite3_bind_text(statement, place, text, -1, csqlite_copied()) }

  func bind(_ place: Int32, copying bytes: [UInt8]) {
    if bytes.isEmpty { return bind(place, UnsafeRawBufferPointer(start: nil, count: 0)) }
    sqlite3_bind_blob64(statement, place, bytes, UInt64(bytes.count), csqlite_copied())
  }

  func bindNothing(_ place: Int32) { sqlite3_bind_null(statement, place) }

  /// Whether there is a row now.
  func step() throws(DatabaseError) -> Bool {
    let code = sqlite3_step(statement)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let error = DatabaseError(code, database.connection)
    sqlite3_reset(statement)
    throw error
  }

  /// Ends what was stepped; parameters may be bound anew.
  func reset() { sqlite3_reset(statement) }

  /// Carries out a statement that gives no rows.
  func run() throws(DatabaseError) {
    _ = try step()
    reset()
  }

  /// Carries out a statement that gives one number.
  func readNumber() throws(DatabaseError) -> Int64 {
    defer { reset() }
    return try step() ? number(0) : 0
  }

  func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func isNothing(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

  func isNumber(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_INTEGER }

  /// Bytes of all columns of the row, numbers aside.
  var rowBytes: Int {
    (0..<sqlite3_column_count(statement)).reduce(0) { bytes, column in
      isNumber(column) ? bytes : bytes + Int(sqlite3_column_bytes(statement, column))
    }
  }

  func text(_ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }

  /// A copy of the bytes.
  func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }

  /// The bytes as they stand until the next step.
  func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = sqlite3_column_blob(statement, column)
    return body(
      UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))))
  }
}
