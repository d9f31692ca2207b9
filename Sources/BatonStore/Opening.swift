internal import BatonLasting

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// How a file is checked before a server uses it, and what is written at each start.
enum Opening {
  /// Refuses what is no store, what is damaged, and what is of a newer version. Returns whether it was empty.
  static func check(_ database: Database, _ path: StorePath, _ name: String) throws -> Bool {
    let id = try database.number("PRAGMA application_id") ?? 0
    let version = try database.number("PRAGMA user_version") ?? 0
    let isEmpty = try database.number("SELECT count(*) FROM sqlite_schema") == 0
    guard id == Schema.applicationID || isEmpty && id == 0 && version == 0 else { throw isOfAnother(name) }
    guard version <= Schema.version else { throw isNewer(name, version) }
    guard version > 0 || isEmpty && version == 0 else { throw damaged(name, "its schema has the number \(version)") }
    if isEmpty, try path.hasMark { throw hasLostLog(name) }
    try setUp(database, name)
    try Schema.migrate(database)
    guard try Schema.isRight(database) else { throw damaged(name, "its tables are not those of a store") }
    // Each page, and then what `quick_check` leaves out: whether the only index there is names the rows of its table. A
    // start reads all of that table anyway.
    for look in ["quick_check(1)", "integrity_check('value')"] {
      if let slip = try database.slips(look).first { throw damaged(name, slip) }
    }
    if let slip = try Facts(database).slips(in: database).first { throw damaged(name, slip) }
    return isEmpty
  }

  static func isOfAnother(_ name: String) -> StoreError {
    StoreError("\(name) is the database of another program; name another file as the store")
  }

  /// A young store has nothing but its first page: all else is in its log.
  static func hasLostLog(_ name: String) -> StoreError {
    StoreError(
      "\(name) has no tables, and \(name).mark beside it says that a store was there: its log \(name)-wal is not there any "
        + "more, or is damaged from its first commit on; put that back, or put back \(copy(of: name)), or remove "
        + "\(name).mark to begin a new store")
  }

  static func isNewer(_ name: String, _ version: Int64) -> StoreError {
    StoreError(
      "\(name) was written by a newer version of Baton (schema \(version), and this one knows \(Schema.version)); "
        + "use that version, or restore a copy that is older")
  }

  private static func setUp(_ database: Database, _ name: String) throws {
    guard try beginLog(of: database, name) == ["wal"] else {
      throw StoreError("\(name) is on a disk on which SQLite cannot keep its log; put it on a disk of this machine")
    }
    // What is deleted is not overwritten: the file is for Baton alone.
    try database.run(
      """
      PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1; PRAGMA secure_delete = 0;
      PRAGMA journal_size_limit = \(StoreLogFacts.mostKept); PRAGMA cell_size_check = 1
      """)
    // A log of 16 MB is taken into the file at once: the pages of a queue change again and again until then.
    database.takeLogIn(from: 4000)
  }

  /// A store that ended in order says that it has no log. To say otherwise, it must be read by nobody: SQLite does not wait
  /// for that. What it says stands in one sector of the file, and is written without a journal: one that a kill left would be
  /// taken into whatever is put in the place of the file.
  static func beginLog(of database: Database, _ name: String) throws -> [String] {
    let end = ContinuousClock.now + patience
    while true {
      do throws(DatabaseError) {
        // Of an empty file there is nothing to lose, and half of its first page would be no database.
        if try database.texts("PRAGMA journal_mode") != ["wal"], try database.number("PRAGMA page_count") != 0 {
          try database.run("PRAGMA journal_mode = MEMORY")
        }
        let mode = try database.texts("PRAGMA journal_mode = WAL")
        // What a killed start has said stands before the log on disk, and what a killed server wrote last before what follows.
        if mode == ["wal"] { try database.sync() }
        return mode
      } catch {
        guard error.isBusy else { throw error }
        guard .now < end else {
          throw StoreError(
            "\(name) is read or written by another program (baton store, or sqlite3); try again when that has ended",
            mayPass: true)
        }
        usleep(10_000)
      }
    }
  }

  /// Says that the file has no log, once that is in it. While somebody else reads the file it cannot say that. The log has to
  /// be empty on disk before: a name that is removed may be there again after a power cut, and so may what it named.
  /// Throws if the disk does not take what is in the log. Nothing is lost by that: it stays in the log.
  static func endLog(of database: Database, _ path: StorePath) throws(DatabaseError) {
    // Somebody may have put a journal there meanwhile: without a log, SQLite would take it in.
    guard !StorePath.hasHotJournal(path.path) else { return }
    do throws(DatabaseError) {
      if try database.emptyLog() { try database.run("PRAGMA journal_mode = MEMORY") }
    } catch { if !error.isBusy { throw error } }
  }

  /// How long a start waits for tools that read the store, and for programs that write into it.
  static let patience = Duration.seconds(30)

  static func words(forAny error: any Error, _ name: String) -> StoreError {
    if let error = error as? DatabaseError { return words(for: error, name) }
    return error as? StoreError ?? StoreError("\(error)")
  }

  static func words(for error: DatabaseError, _ name: String) -> StoreError {
    if error.isNoDatabase { return noDatabase(name) }
    if error.isDamage { return damaged(name, error.description) }
    if error.isBusy { return StoreError("the store \(name) cannot be used: \(error); let that end", mayPass: true) }
    if error.isUnreadable { return cannotRead(name, error.description) }
    let isAllowed = StorePath.isAllowed(name)
    let advice =
      error.isDescriptorShortage
      ? StorePath.moreFiles
      : isAllowed
        ? "see that its disk is there and has room, also for files (df -i), and that no limit of this user forbids it (ulimit -f)"
        : "let this user read and write the file, its log \(name)-wal and \(name)-shm if they are there, and in its folder"
    return StoreError("the store \(name) cannot be used: \(error); \(advice)", mayPass: isAllowed)
  }

  /// The disk does not give bytes, which may be what they were.
  static func cannotRead(_ name: String, _ what: String) -> StoreError {
    StoreError(
      "the store \(name) cannot be used: \(what); see that its disk is there; if it stays so, restore \(copy(of: name)), or "
        + "save what can be read (baton store export) and begin with another file", mayPass: true)
  }

  static func damaged(_ name: String, _ what: String) -> StoreError {
    StoreError(
      "\(name) is damaged: \(what); restore \(copy(of: name)), or save what can be read (baton store export) and begin "
        + "with another file")
  }

  /// Not even `baton store export` opens it.
  static func unreadable(_ name: String, _ what: String) -> StoreError {
    StoreError("\(name) is damaged: \(what); restore \(copy(of: name))")
  }

  /// It may never have been a store: the name of another file was given.
  static func noDatabase(_ name: String) -> StoreError {
    StoreError(
      "\(name) does not begin as a store does: it is another file, or it is damaged; name another file as the store, or "
        + "restore \(copy(of: name))")
  }

  /// What to put back, and what must go before: SQLite takes a log for that of the file beside which it stands.
  static func copy(of name: String) -> String {
    "a copy (baton store backup makes them; move \(name)-wal and \(name)-shm away first)"
  }

  // MARK: What each start writes

  /// `follows`: a log says what else there is; a file that is in none begins as always.
  static func begin(
    _ database: Database, _ mark: StoreMark, isNew: Bool, follows: Bool
  ) throws -> StoreStart {
    var facts = try Facts(database)
    let old = facts["mark"]
    let continues = old != nil && old == mark.read()
    if !follows || facts["log"] == nil {
      if facts["secret"] == nil { facts["secret"] = random(2) }
      if !continues { facts["epoch"] = epoch() }
      try goOn(&facts, database, continues: continues)
      facts["log"] = nil
      // A start on a disk that takes nothing changes nothing: so the mark comes last.
      try facts.write(to: database)
    }
    if !follows || !continues { facts["leads"] = nil }
    facts["mark"] = try mark.write(random(4))
    try facts.write(to: database)
    return StoreStart(facts, isNew: isNew, continues: continues)
  }

  /// What is so with each start of a server on a file, also on another machine: numbers of events that may have been used, and
  /// messages that may have been offered although the file does not say so.
  static func goOn(_ facts: inout Facts, _ database: Database, continues: Bool) throws {
    // Until it is said otherwise, what follows may have been used.
    facts["reserved"] = Facts.bytes(facts.number("ended") ?? facts.number("reserved") ?? 0)
    facts["ended"] = nil
    // Numbers that follow are higher than that of the last row. A start that continues knows of a copy before it.
    let last = UInt64(
      max(0, try database.number("SELECT max(row) FROM message WHERE row <= \(RowBounds.rows.upperBound)") ?? 0))
    facts["again"] = Facts.bytes(continues ? min(facts.number("again") ?? 0, last) : last)
  }

  /// 16 characters.
  private static func epoch() -> [UInt8] {
    [UInt8](StoredID(start: StoredID.Start(random: draw(), draw()), count: 0).text.prefix(16))
  }

  private static func draw() -> UInt64 {
    var luck = SystemRandomNumberGenerator()
    return luck.next()
  }

  static func random(_ words: Int) -> [UInt8] { (0..<words).flatMap { _ in Facts.bytes(draw()) } }
}
