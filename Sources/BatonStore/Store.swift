internal import BatonLasting

/// The file with durable messages, values and kept events: what `StoreJob` says, on a disk.
///
/// Its boundary: it knows no loop and no thread, decides nothing, and is used by one thread at a time. Its file is one of
/// SQLite, with a log that is written ahead (WAL) and waited for (`synchronous=FULL`): what is told stored is there after a
/// power cut. Free pages are used again, and the file does not shrink by itself: `auto_vacuum` would write a map of pages
/// with every message, and how much a store takes is limited (`max_stored_bytes`). `baton store compact` makes it small.
package final class Store {
  package let start: StoreStart
  let path: StorePath
  let database: Database
  let tables: Tables
  /// Held as long as the store is open, as `lock` is.
  let mark: StoreMark
  private let lock: StoreLock
  /// Which file it is.
  private let identity: FileIdentity?

  /// What SQLite said when a commit failed last.
  package internal(set) var lastError: String?
  /// What it said when a read failed, since that was asked last.
  var readError: String?
  /// Reads that have failed because the disk did not give what they asked for.
  var failedReads = 0
  /// Whether a commit has failed because the file is damaged. That does not heal, though commits of other pages succeed.
  package internal(set) var isDamaged = false
  /// Whether the last commit failed because the file has gone, or is another one.
  package private(set) var hasLostFile = false
  /// Commits that have failed since one succeeded.
  var failures: UInt64 = 0
  /// Whether a state may have been written since the file was opened, or before.
  var hasStates = false
  /// Rows of messages that are not taken off the disk when they go, because what would be freed with them may be that of
  /// others, or because the disk does not give it.
  var stuck: Set<UInt64> = []
  /// Whether names whose time is over stay on the disk, in this commit.
  var keepsNames = false
  /// Whether the file may say that a start leads with it.
  package internal(set) var saysWhoLeads = false

  // Used again for each row.
  var row = RowWriter()
  var second = RowWriter()

  /// Opens the file, or makes it, and checks it: see `Opening.swift`. `follows`: it is that of a node, and may be in a log.
  package init(path name: String, follows: Bool = false) throws(StoreError) {
    path = try StorePath(name, mayMake: true)
    mark = try StoreMark(of: path.path)
    lock = try StoreLock(on: path.path, name)
    if let slip = StoreLog.slip(of: path.path, name) {
      throw slip.isUnreadable ? Opening.cannotRead(name, slip.words) : Opening.damaged(name, slip.words)
    }
    do {
      try path.expectRoomForMap()
      database = try path.openDatabase()
      let isNew = try Opening.check(database, path, name)
      start = try Opening.begin(database, mark, isNew: isNew || path.isNew, follows: follows)
      tables = try Tables(database)
      saysWhoLeads = start.leads != nil
      // A disk may make another file of it when it is opened to be written (overlayfs).
      identity = FileIdentity(of: path.path)
      // While a server runs, what cannot be written is told soon, and tried again.
      database.setPatience(milliseconds: 500)
      hasStates = try database.number("SELECT count(*) FROM (SELECT 1 FROM state LIMIT 1)") != 0
    } catch {
      throw Opening.words(forAny: error, name)
    }
  }

  /// Closes the file. Its log is taken in, so that the file alone is the store, and says so: a log that is put beside it is
  /// none of it. While a tool reads the file it cannot say that; then it only has no log. Returns why the log is not taken in,
  /// if the disk fails.
  @discardableResult
  package func close() -> String? {
    // Who holds the file is not waited for again.
    if failures > 0 { database.setPatience(milliseconds: 0) }
    forgetWhoLeads()
    var why: String?
    do { try Opening.endLog(of: database, path) } catch { why = error.description }
    database.close()
    lock.release()
    mark.release()
    return why
  }

  /// What is written to a file without its name is found by no start.
  func expectFile() throws(StoreError) {
    hasLostFile = FileIdentity(of: path.path) != identity
    guard hasLostFile else { return }
    throw StoreError(
      "\(path.path) has gone, or is another file now; give the file that this server has open its name again, or stop the "
        + "server and put back \(Opening.copy(of: path.path))")
  }

  /// How its log is.
  func lookAtLog() -> StoreLogFacts {
    var facts = StoreLogFacts()
    facts.bytes = (try? StorePath.size(of: path.path + "-wal")) ?? 0
    let held = database.heldLog
    (facts.heldBytes, facts.error) = (held.pages * tables.pageBytes, held.error?.description)
    return facts
  }

  /// Whether a part of its log was due to be taken in, and could not be.
  var isLogHeld: Bool { database.heldLog.pages > 0 }

  /// Tries again to take in what is held of the log, and tells how it is then, and who reads the store.
  func tryHeldLog() -> StoreLogFacts {
    database.tryHeldLog()
    var facts = lookAtLog()
    if facts.isTooLong, facts.error == nil { facts.reader = StoreReaders.first(of: path.path) }
    return facts
  }

  /// Where its file is, from the root.
  package var place: String { path.path }

  /// Bytes that are free on its disk; nil if the system does not tell.
  package func freeBytes() -> Int? { path.freeBytes() }
}

/// The statements of a store.
final class Tables {
  let begin, commit, rollback: Statement
  let insertMessage, deleteMessages, readOnce, readMessage, readAbout, readIdentity: Statement
  let setState, setStateAndResult, setGone, deleteStates, readResult: Statement
  let insertOnce, deleteOnce, readOnceResult: Statement
  let setValue, removeValue, addEvent, removeEvent, setFact: Statement
  let countPages, countFreePages: Statement
  let pageBytes: Int

  init(_ database: Database) throws(DatabaseError) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    rollback = try database.prepare("ROLLBACK")
    insertMessage = try database.prepare("INSERT OR REPLACE INTO message VALUES(?, ?, ?, ?, ?, ?)")
    deleteMessages = try database.prepare("DELETE FROM message WHERE row BETWEEN ? AND ?")
    readOnce = try database.prepare("SELECT once FROM message WHERE row = ?")
    readAbout = try database.prepare(
      """
      SELECT message.about, NULL, NULL, NULL, state.about, state.result, message.once
      FROM message LEFT JOIN state USING(row) WHERE row = ?
      """)
    readIdentity = try database.prepare("SELECT about FROM message WHERE row = ?")
    readMessage = try database.prepare(
      """
      SELECT message.about, message.head, message.sender, message.payload, state.about, state.result, message.once
      FROM message LEFT JOIN state USING(row) WHERE row = ?
      """)
    let change = "INSERT INTO state SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM message WHERE row = ?1)"
    setState = try database.prepare(change + " ON CONFLICT(row) DO UPDATE SET about = excluded.about")
    setStateAndResult = try database.prepare(
      change + " ON CONFLICT(row) DO UPDATE SET about = excluded.about, result = excluded.result")
    setGone = try database.prepare("INSERT OR REPLACE INTO state VALUES(?, ?, NULL)")
    deleteStates = try database.prepare("DELETE FROM state WHERE row BETWEEN ? AND ?")
    readResult = try database.prepare("SELECT result FROM state WHERE row = ?")
    insertOnce = try database.prepare("INSERT OR REPLACE INTO once VALUES(?, ?, ?)")
    deleteOnce = try database.prepare("DELETE FROM once WHERE row = ?")
    readOnceResult = try database.prepare("SELECT about, result FROM once WHERE row = ?")
    setValue = try database.prepare("INSERT OR REPLACE INTO value VALUES(?, ?, ?, ?)")
    removeValue = try database.prepare("DELETE FROM value WHERE topic = ?")
    addEvent = try database.prepare("INSERT OR REPLACE INTO event VALUES(?, ?, ?)")
    removeEvent = try database.prepare("DELETE FROM event WHERE seq = ?")
    setFact = try database.prepare("INSERT OR REPLACE INTO fact VALUES(?, ?)")
    countPages = try database.prepare("PRAGMA page_count")
    countFreePages = try database.prepare("PRAGMA freelist_count")
    pageBytes = Int(try database.number("PRAGMA page_size") ?? 0)
  }
}
