package import BatonKeeper

/// The file of a store as tools read it, also while a server uses it: nothing of it is changed.
package final class StoreFile {
  private let name: String
  private let path: StorePath
  let database: Database

  /// A store that is there, and of this version.
  package init(path name: String) throws(StoreError) {
    self.name = name
    let (id, version): (Int64, Int64)
    path = try StorePath(name, mayMake: false)
    do throws(DatabaseError) {
      database = try Self.open(path)
      id = try database.number("PRAGMA application_id") ?? 0
      version = try database.number("PRAGMA user_version") ?? 0
    } catch {
      guard error.isDamage else { throw Opening.words(for: error, name) }
      throw Opening.unreadable(name, error.description)
    }
    guard path.byteCount > 0 else { throw StoreError("\(name) is empty: no server has begun a store in it") }
    guard id == Schema.applicationID else { throw Opening.isOfAnother(name) }
    if version > Schema.version { throw Opening.isNewer(name, version) }
    if version < 1 { throw Opening.unreadable(name, "its schema has the number \(version)") }
    guard version == Schema.version else {
      throw StoreError(
        "\(name) is of an older version of Baton; start a server of this one, which brings it up to date")
    }
  }

  private static func open(_ path: StorePath) throws(DatabaseError) -> Database {
    do throws(DatabaseError) {
      // The log of a server needs writers of its index, if not of the file.
      let database = try Database(path: path.path, isWritten: true)
      try database.run("PRAGMA query_only = 1")
      _ = try database.number("SELECT count(*) FROM sqlite_schema")
      return database
    } catch {
      // A copy in a place where nothing may be written. No server uses it, for the log of a server stands beside its file.
      guard !error.isDamage, !StorePath.isAllowed(path.path), !path.hasLog else { throw error }
      return try Database(unchanging: path.path)
    }
  }

  /// What was found.
  package struct Counts: Sendable {
    package var messages = 0
    package var dead = 0
    package var names = 0
    package var values = 0
    package var events = 0
    package var damaged = 0
  }

  /// Reads all of the file, and tells what is damaged.
  package func check(_ tell: (String) throws -> Void) throws -> Counts {
    var counts = Counts()
    do {
      if try !Schema.isRight(database) {
        try tell("its tables are not those of a store")
        counts.damaged += 1
      }
      var slips = try database.texts("PRAGMA integrity_check(20)").filter { $0 != "ok" }
      slips += try Facts(database).slips(in: database)
      slips += try database.texts(
        """
        SELECT 'state ' || row || ': there is no such message' FROM state
        WHERE NOT EXISTS (SELECT 1 FROM message WHERE message.row = state.row) ORDER BY row LIMIT 20
        """)
      for slip in slips { try tell(slip) }
      counts.damaged += slips.count
    } catch let error as DatabaseError {
      try tell(error.description)
      counts.damaged += 1
    }
    let items = try export { item in
      if case .damaged(let what) = item { try tell(what) }
    }
    counts.damaged += items.damaged
    (counts.messages, counts.dead, counts.names) = (items.messages, items.dead, items.names)
    (counts.values, counts.events) = (items.values, items.events)
    return counts
  }

  /// One thing that a store has.
  package enum Item: Sendable {
    case message(StoredMessage, Content, result: [UInt8]?, isDead: Bool)
    case value(KeptPublication)
    case event(KeptPublication)
    /// Words for what cannot be read.
    case damaged(String)
  }

  // MARK: Copies

  /// Writes a copy of one moment, as small as it can be, while the server goes on. A copy has no mark: started with it, a
  /// server does not take it for the store that it wrote last.
  package func backup(to target: String) throws(StoreError) {
    let partial = target + ".partial"
    let folder = try StorePath.folder(ofNew: target)
    do throws(DatabaseError) {
      StorePath.remove(partial)
      // SQLite takes this for a change of the file that is read.
      try database.run("PRAGMA query_only = 0")
      let copy = try database.prepare("VACUUM INTO ?")
      copy.bind(1, partial)
      try copy.run()
      try database.run("PRAGMA query_only = 1")
      let made = try Database(path: partial, isWritten: true)
      try made.run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; DELETE FROM fact WHERE name = 'mark'")
      made.close()
    } catch {
      StorePath.remove(partial)
      throw StoreError("\(target) cannot be written: \(error); see that its disk has room")
    }
    try StorePath.rename(partial, to: target, in: folder)
  }

  /// Makes the file of a store small. No server may use it meanwhile.
  package static func compact(path name: String) throws(StoreError) -> (before: Int, after: Int) {
    let path = try StorePath(name, mayMake: false).path
    let mark = try StoreMark(of: path)
    let lock = try StoreLock(on: path, name)
    defer {
      lock.release()
      mark.release()
    }
    let file = try StoreFile(path: name)
    defer { file.database.close() }
    let before = file.path.byteCount
    do throws(DatabaseError) {
      try file.database.run("PRAGMA query_only = 0; PRAGMA synchronous = FULL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      throw Opening.words(for: error, name)
    }
    file.database.close()
    return (before, file.path.byteCount)
  }
}
