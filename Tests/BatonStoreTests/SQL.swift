import CSQLite

/// Carries out a statement on a file, as another program would. Returns the first column of the last row.
@discardableResult
func sql(_ path: String, _ statements: String) throws -> String {
  struct Refused: Error { var words: String }
  final class Found { var text = "" }
  var connection: OpaquePointer?
  defer { sqlite3_close_v2(connection) }
  let found = Found()
  guard sqlite3_open(path, &connection) == SQLITE_OK,
    sqlite3_exec(
      connection, statements,
      { found, _, values, _ in
        if let found, let first = values?[0] {
          Unmanaged<Found>.fromOpaque(found).takeUnretainedValue().text = String(cString: first)
        }
        return 0
      }, Unmanaged.passUnretained(found).toOpaque(), nil) == SQLITE_OK
  else { throw Refused(words: String(cString: sqlite3_errmsg(connection))) }
  return found.text
}
