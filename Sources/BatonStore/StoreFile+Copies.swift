/// Copies, and the same file made small.
extension StoreFile {
  /// Writes a copy of one moment, as small as it can be, while the server goes on, and tells which rows of it are damaged.
  /// A copy has no mark: started with it, a server does not take it for the store that it wrote last. And nobody leads with it.
  /// `begun` is called with the copy before there is anything of it. Whoever ends the program removes that.
  package func backup(
    to target: String, begun: (NewCopy) -> Void = { _ in }, _ tell: (String) throws -> Void
  ) throws -> Counts {
    let new = try NewCopy(at: target)
    // Once it has its name, nothing is removed.
    defer { new.remove() }
    begun(new)
    try new.make()
    try expectSoundness("copied")
    do throws(DatabaseError) {
      // SQLite takes this for a change of the file that is read.
      try database.run("PRAGMA query_only = 0")
      let copy = try database.prepare("VACUUM INTO ?")
      copy.bind(1, new.path)
      try copy.run()
      try database.run("PRAGMA query_only = 1")
    } catch {
      if error.isUnreadable { throw Opening.cannotRead(name, error.description) }
      throw StoreError("\(target) cannot be written: \(error); see that its disk has room")
    }
    let unreadable = StoreError(
      "\(target) cannot be made: its disk does not give back what was written; see that it is there")
    do throws(DatabaseError) {
      let made = try Database(path: new.path, isWritten: true)
      try made.run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
      try made.run("DELETE FROM fact WHERE name IN ('mark', 'leads')")
      made.close()
    } catch {
      throw error.isUnreadable
        ? unreadable : StoreError("\(target) cannot be written: \(error); see that its disk has room")
    }
    let copy = try StoreFile(path: new.path)
    defer { copy.database.close() }
    let counts = try copy.check(tell)
    guard counts.unreadable == 0 else { throw unreadable }
    try new.finish()
    return counts
  }

  /// Makes the file of a store small. No server may use it meanwhile. It is written through a log, as a server does it: what a
  /// kill leaves of that stands in files whose names an operator knows.
  package static func compact(path name: String) throws(StoreError) -> (before: Int, after: Int) {
    let path = try StorePath(name, mayMake: false).path
    let mark = try StoreMark(of: path, otherwise: " first")
    let lock = try StoreLock(on: path, name)
    defer {
      lock.release()
      mark.release()
    }
    let file = try StoreFile(path: name, isHeld: true)
    defer { file.database.close() }
    try file.expectSoundness("compacted")
    // What a server that was killed has left stands in the log.
    let before = try file.path.byteCount + StorePath.size(of: path + "-wal")
    do {
      try file.database.run("PRAGMA query_only = 0")
      _ = try Opening.beginLog(of: file.database, name)
      try file.database.run("PRAGMA synchronous = FULL; VACUUM")
      try Opening.endLog(of: file.database, file.path)
    } catch {
      throw Opening.words(forAny: error, name)
    }
    file.database.close()
    return (before, try file.path.byteCount)
  }
}
