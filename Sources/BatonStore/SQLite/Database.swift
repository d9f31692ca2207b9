internal import CSQLite

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A connection to a file of SQLite. It is used by one thread at a time.
///
/// Its boundary: it knows nothing of what is in the file. Nothing but this folder knows SQLite.
final class Database {
  private(set) var connection: OpaquePointer?
  /// What became of the log when it was due last; nil where nobody watches it.
  private var log: UnsafeMutablePointer<csqlite_log>?

  /// Opens the file, which is there. The first read finds out whether it is a database.
  init(path: String, isWritten: Bool) throws(DatabaseError) {
    let flags = (isWritten ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &connection, flags, nil)
    if code != SQLITE_OK {
      let error = DatabaseError(code, connection)
      close()
      throw error
    }
    // Programs that read the file hold it for moments, when they come and go.
    setPatience(milliseconds: 5000)
    // Nothing in a file is a program that runs when the file is opened.
    _ = csqlite_distrust(connection)
  }

  /// Opens a file that nobody changes, and beside which SQLite may write nothing.
  init(unchanging path: String) throws(DatabaseError) {
    let escaped = path.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2("file:\(escaped.joined())?immutable=1", &connection, flags, nil)
    if code != SQLITE_OK {
      let error = DatabaseError(code, connection)
      close()
      throw error
    }
    _ = csqlite_distrust(connection)
  }

  /// How long it is waited for a program that holds the file.
  func setPatience(milliseconds: Int32) { sqlite3_busy_timeout(connection, milliseconds) }

  /// Leaves the log as it is when the file is closed.
  func keepLog() { _ = csqlite_keep_log(connection) }

  /// From so many pages on, the log is taken into the file behind each commit. As far as another program reads what the file
  /// had before, it stays, and grows: `heldLog` tells that.
  func takeLogIn(from pages: Int32) {
    let log = UnsafeMutablePointer<csqlite_log>.allocate(capacity: 1)
    log.initialize(to: csqlite_log(most: pages, held: 0, code: SQLITE_OK))
    self.log = log
    csqlite_watch_log(connection, log)
  }

  /// The pages of the log that were due and are not in the file, and what the disk says if it is because of that.
  var heldLog: (pages: Int, error: DatabaseError?) {
    guard let log = log?.pointee, log.held > 0 else { return (0, nil) }
    let isReader = [SQLITE_OK, SQLITE_BUSY].contains(log.code & 0xff)
    return (Int(log.held), isReader ? nil : DatabaseError(log.code, connection))
  }

  /// Tries again to take in what is held.
  func tryHeldLog() {
    if let log, log.pointee.held > 0 { csqlite_take_log(log, connection) }
  }

  /// Takes the log into the file, and empties it on disk. Returns false if somebody else reads the file.
  func emptyLog() throws(DatabaseError) -> Bool {
    guard try number("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else { return false }
    try sync(SQLITE_FCNTL_JOURNAL_POINTER)
    return true
  }

  /// Waits until the file and its log, as they are, are on disk: whoever wrote them last may have been killed before.
  func sync() throws(DatabaseError) {
    // To read opens the log.
    _ = try number("PRAGMA schema_version")
    for which in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER] { try sync(which) }
  }

  private func sync(_ which: Int32) throws(DatabaseError) {
    let code = csqlite_sync(connection, which)
    if code != SQLITE_OK { throw DatabaseError(code, connection) }
  }

  deinit { close() }

  /// Closes it. Its statements are not used any more.
  func close() {
    guard let connection else { return }
    while let statement = sqlite3_next_stmt(connection, nil) { sqlite3_finalize(statement) }
    sqlite3_close(connection)
    self.connection = nil
    log?.deallocate()
    log = nil
  }

  /// Carries out statements that give no rows.
  func run(_ sql: String) throws(DatabaseError) {
    let code = sqlite3_exec(connection, sql, nil, nil, nil)
    if code != SQLITE_OK { throw DatabaseError(code, connection) }
  }

  /// A statement that is carried out more than once.
  func prepare(_ sql: String) throws(DatabaseError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw DatabaseError(code, connection) }
    return Statement(statement, of: self)
  }

  /// The first column of each row.
  func texts(_ sql: String) throws(DatabaseError) -> [String] {
    let statement = try prepare(sql)
    var texts: [String] = []
    while try statement.step() { texts.append(statement.text(0)) }
    return texts
  }

  /// What a check of SQLite finds, one line each: the first line of several says which database it is, of one. Throws if a
  /// page was not found wrong, but could not be read.
  func slips(_ check: String) throws(DatabaseError) -> [String] {
    let slips = try texts("PRAGMA \(check)").flatMap { $0.split(separator: "\n").map(String.init) }
      .filter { $0 != "ok" && !$0.hasPrefix("*** ") }
    // Of some errors of the system SQLite says that a page is not to be had, and of others that it is damaged.
    let lacksPages = slips.contains { $0.contains("failed to get page") || $0.contains("unable to get the page") }
    if !slips.isEmpty, let error = DatabaseError(unreadable: connection, whateverItIs: lacksPages) { throw error }
    return slips
  }

  /// The first column of the first row; nil if there is no row.
  func number(_ sql: String) throws(DatabaseError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.number(0) : nil
  }

  /// Whether a transaction is open. Some errors end it.
  var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

  /// Rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes(connection)) }
}

/// What SQLite says when it refuses.
struct DatabaseError: Error, CustomStringConvertible {
  /// The extended code.
  let code: Int32
  let description: String
  /// Whether the system gives no more descriptors.
  private(set) var isDescriptorShortage = false

  init(_ code: Int32, _ connection: OpaquePointer?) {
    if [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff), let unreadable = DatabaseError(unreadable: connection) {
      self = unreadable
      return
    }
    self.code = code
    var text = String(cString: sqlite3_errstr(code))
    if let connection, sqlite3_extended_errcode(connection) == code {
      text = String(cString: sqlite3_errmsg(connection))
    }
    let reason = connection.map { sqlite3_system_errno($0) } ?? 0
    if [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xff), reason != 0 {
      text += " (\(systemWords(reason)))"
      isDescriptorShortage = [EMFILE, ENFILE].contains(reason)
    }
    if code & 0xff == SQLITE_BUSY { text += ": another program (sqlite3) holds it" }
    description = text
  }

  /// SQLite says of a page that the disk does not give that it is damaged (`SQLITE_IOERR_CORRUPTFS`, for these errors of the
  /// system). Nil if the disk gave what was asked for. `whateverItIs`: any error of the system is meant.
  init?(unreadable connection: OpaquePointer?, whateverItIs: Bool = false) {
    guard let connection else { return nil }
    let numbers = [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER].map { csqlite_last_errno(connection, $0) }
    guard let number = numbers.first(where: { whateverItIs ? $0 != 0 : [EIO, ENXIO, ERANGE].contains($0) })
    else { return nil }
    (code, description) = (Self.unreadable, "it cannot be read: \(systemWords(number))")
  }

  /// `SQLITE_IOERR_CORRUPTFS`, which Swift does not see.
  private static let unreadable = SQLITE_IOERR | 33 << 8
  /// `SQLITE_IOERR_WRITE`, `_FSYNC`, `_DIR_FSYNC`, `_TRUNCATE`, `_DELETE`, `_SHMOPEN`, `_SHMSIZE` and `_SHMMAP`.
  private static let failedWrites = [3, 4, 5, 6, 10, 18, 19, 21].map { SQLITE_IOERR | $0 << 8 }

  /// Whether the disk does not give bytes of the file, or does not say how many it has. They may be what they were.
  var isUnreadable: Bool { code & 0xff == SQLITE_IOERR && !Self.failedWrites.contains(code) }

  /// Whether what was asked for cannot be had, and all else perhaps can.
  var lacksBytes: Bool { isDamage || isUnreadable }

  /// Whether somebody else uses the file now.
  var isBusy: Bool { code & 0xff == SQLITE_BUSY }

  /// Whether the bytes of the file are not what they were, or it is no database at all.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) }

  /// Whether the file does not begin as a database does.
  var isNoDatabase: Bool { code & 0xff == SQLITE_NOTADB }
}
