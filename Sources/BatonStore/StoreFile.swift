package import BatonLasting

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The file of a store as tools read it, also while a server uses it: nothing of it is changed.
package final class StoreFile {
  let name: String
  let path: StorePath
  let database: Database
  /// What is wrong with its log; nil if nothing is. Otherwise it stays where it is.
  let logSlip: Slip?
  /// What is wrong with its first page, or with how long it is; nil if nothing is.
  let firstSlip: Slip?
  /// Whether nothing was found wrong with the file as a whole when its rows were read last.
  var isWhole = false

  /// A store that is there, and of this version. `isHeld`: whoever asks has its locks.
  package init(path name: String, isHeld: Bool = false) throws(StoreError) {
    self.name = name
    let (id, version, tables): (Int64, Int64, Int64)
    path = try StorePath(name, mayMake: false)
    try path.expectRoomForMap()
    let isServed = isHeld ? false : try Self.isServed(path.path, name)
    // The log of a server changes while it is read.
    logSlip = isServed ? nil : StoreLog.slip(of: path.path, name)
    do throws(DatabaseError) {
      (database, firstSlip) = try Self.open(path, withLog: !(logSlip?.isUnreadable ?? false))
      if logSlip != nil { database.keepLog() }
      id = try database.number("PRAGMA application_id") ?? 0
      version = try database.number("PRAGMA user_version") ?? 0
      tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
    } catch {
      guard error.isDamage, !error.isNoDatabase else { throw Opening.words(for: error, name) }
      throw Opening.unreadable(name, error.description)
    }
    guard try path.byteCount > 0 else { throw StoreError("\(name) is empty: no server has begun a store in it") }
    guard id == Schema.applicationID else {
      guard id == 0, version == 0, tables == 0 else { throw Opening.isOfAnother(name) }
      if let logSlip, logSlip.isUnreadable { throw Opening.cannotRead(name, logSlip.words) }
      throw try path.hasMark
        ? Opening.hasLostLog(name) : StoreError("\(name) has no tables: no server has begun a store in it")
    }
    if version > Schema.version { throw Opening.isNewer(name, version) }
    if version < 1 { throw Opening.unreadable(name, "its schema has the number \(version)") }
    guard version == Schema.version else {
      throw StoreError(
        "\(name) is of an older version of Baton; start a server of this one, which brings it up to date")
    }
  }

  /// Whether a server has the file open. A server that begins or ends has no log for a moment.
  private static func isServed(_ path: String, _ name: String) throws(StoreError) -> Bool {
    for _ in 0..<40 {
      do throws(StoreError) { return try isServedNow(path, name) } catch {
        guard access(path + "-wal", F_OK) != 0 else { throw error }
        usleep(50_000)
      }
    }
    return try isServedNow(path, name)
  }

  /// The name and the file are of one server, or of none.
  private static func isServedNow(_ path: String, _ name: String) throws(StoreError) -> Bool {
    let isFileHeld = StoreLock.isHeld(on: path)
    guard let isFileHeld, let isNameHeld = StoreMark.isHeld(of: path) else { return isFileHeld ?? false }
    switch (isNameHeld, isFileHeld) {
    // SQLite would take the log that stands beside it for its own, and put it into the wrong file.
    case (true, false):
      throw StoreError(
        "\(name) is not the file that the server of this name has open; give that one its name again, or stop the server "
          + "and move \(name)-wal and \(name)-shm away")
    // What is not in the file yet is in a log that stands beside its other name.
    case (false, true):
      throw StoreError(
        "a server has \(name) open under another name, beside which its log stands (or \(name).mark was removed); give the "
          + "file that name again, or stop the server")
    case (true, true):
      guard access(path + "-wal", F_OK) != 0 else { return true }
      throw StoreError(
        "\(name)-wal, the log of the server that has \(name) open, is gone; end that server in order (SIGTERM), so that it "
          + "takes what was in it into the file")
    case (false, false): return false
    }
  }

  private static func open(_ path: StorePath, withLog: Bool) throws(DatabaseError) -> (Database, Slip?) {
    // What has come into the file is there without its log.
    guard withLog else { return try openUnchanging(path) }
    do throws(DatabaseError) {
      // The log of a server needs writers of its index, if not of the file.
      let database = try path.openDatabase()
      try database.run("PRAGMA query_only = 1")
      return (database, try firstSlip(of: database))
    } catch {
      // A copy in a place where nothing may be written. No server uses it, for the log of a server stands beside its file.
      guard !error.isDamage, !StorePath.isAllowed(path.path), !path.hasLog else { throw error }
      return try openUnchanging(path)
    }
  }

  private static func openUnchanging(_ path: StorePath) throws(DatabaseError) -> (Database, Slip?) {
    let database = try Database(unchanging: path.path)
    return (database, try firstSlip(of: database))
  }

  /// SQLite reads nothing of a file that is shorter than its first page says, as one is that was cut, unless it is told that
  /// this is known (`writable_schema`). Then it reads what is there.
  private static func firstSlip(of database: Database) throws(DatabaseError) -> Slip? {
    let look = "SELECT count(*) FROM sqlite_schema"
    do throws(DatabaseError) { _ = try database.number(look) } catch {
      guard error.isDamage else { throw error }
      try database.run("PRAGMA writable_schema = 1")
      _ = try database.number(look)
      return Slip(words: "it was cut, or its first page is damaged (\(error))")
    }
    return nil
  }

  /// What was found.
  package struct Counts: Sendable {
    package var messages = 0
    package var dead = 0
    package var names = 0
    package var values = 0
    package var events = 0
    /// All that is not told as it was.
    package var damaged = 0
    /// Of these, what the disk does not give: it may be what it was.
    package var unreadable = 0

    /// A part of a table is missing: damaged, or not given. Which of both it is has been said of the file as a whole.
    mutating func addGap() -> String {
      damaged += 1
      guard unreadable > 0 else { return "is damaged" }
      unreadable += 1
      return "cannot be read"
    }
  }

  /// One thing that a store has.
  package enum Item: Sendable {
    case message(StoredMessage, DurableContent, result: [UInt8]?, isDead: Bool)
    case value(Publication)
    case event(Publication)
    /// Words for what cannot be read.
    case damaged(String)
  }
}
