import BatonLasting
import BatonStore
import Foundation
import Testing

/// What a start says of the file that it finds (Docs/guarantees.md, "The disk is full, fails, or is damaged").
@Suite struct OpeningTests {
  @Test func aFileIsMadeAndAFolderIsNot() throws {
    let place = try Place()
    let store = try place.open()
    #expect(store.start.isNew)
    #expect(try FileManager.default.attributesOfItem(atPath: place.file)[.posixPermissions] as? Int == 0o600)
    #expect(throws: StoreError.self) { try Store(path: place.folder + "/none/store") }
    do { _ = try Store(path: place.folder + "/none/store") } catch {
      #expect(error.description.contains("there is no folder \(place.folder)/none; make the folder first"))
    }
    do { _ = try Store(path: place.folder) } catch { #expect(error.description.contains("is no file")) }
  }

  @Test func twoServersDoNotShareAFile() throws {
    let place = try Place()
    let store = try place.open()
    #expect(
      place.refusal()?.contains("is in use by another server, or baton store compact is at work; stop that one") == true
    )
    try FileManager.default.createSymbolicLink(atPath: place.folder + "/other", withDestinationPath: place.file)
    do { _ = try Store(path: place.folder + "/other") } catch { #expect(error.description.contains("in use")) }
    withExtendedLifetime(store) {}
  }

  @Test func aFileWithTwoNamesIsRefused() throws {
    let place = try Place()
    try place.open().close()
    try FileManager.default.linkItem(atPath: place.file, toPath: place.folder + "/other")
    #expect(place.refusal()?.contains("has another name, too (a hard link)") == true)
    #expect(throws: StoreError.self) { try StoreFile(path: place.folder + "/other") }
    try FileManager.default.removeItem(atPath: place.folder + "/other")
    #expect(place.refusal() == nil)
  }

  @Test func aMarkThatWasCopiedIsAnother() throws {
    let place = try Place()
    try place.open().close()
    var store = try place.open()
    #expect(store.start.continues)
    store.close()
    // The same bytes, in the same place.
    let mark = URL(fileURLWithPath: place.file + ".mark")
    try Data(contentsOf: mark).write(to: mark)
    store = try place.open()
    #expect(!store.start.continues)
    #expect(store.keep(.reserve(seq: 1000)))
    store.close()
    #expect(try place.open().start.continues)
  }

  @Test func aStartThatIsRefusedLeavesNoMark() throws {
    let place = try Place()
    try sql(place.file, "CREATE TABLE letters(text)")
    #expect(place.refusal() != nil)
    #expect(!FileManager.default.fileExists(atPath: place.file + ".mark"))
  }

  @Test func aFileThatWasMovedBehindALinkNeedsItsLogAndItsMarkThere() throws {
    let place = try Place()
    try place.open().close()
    let files = FileManager.default
    let other = place.folder + "/other"
    try files.createDirectory(atPath: other, withIntermediateDirectories: false)
    try files.moveItem(atPath: place.file, toPath: other + "/store")
    try files.createSymbolicLink(atPath: place.file, withDestinationPath: "other/store")
    #expect(place.refusal()?.contains("store.mark is still beside the link; move") == true)
    try files.moveItem(atPath: place.file + ".mark", toPath: other + "/store.mark")
    let log = URL(fileURLWithPath: place.file + "-wal")
    try Data([1]).write(to: log)
    #expect(place.refusal()?.contains("store-wal is still beside the link; move") == true)
    try files.removeItem(at: log)
    // An empty one is no log.
    try Data().write(to: log)
    #expect(place.refusal() == nil)
  }

  @Test func whatIsNoStoreIsRefusedAndStaysAsItIs() throws {
    let place = try Place()
    try Data(String(repeating: "This is a letter and no database at all. ", count: 20).utf8)
      .write(to: URL(fileURLWithPath: place.file))
    #expect(place.refusal()?.contains("does not begin as a store does: it is another file, or it is damaged;") == true)
    try FileManager.default.removeItem(atPath: place.file)
    try sql(place.file, "CREATE TABLE letters(text)")
    #expect(place.refusal()?.contains("is the database of another program") == true)
  }

  @Test func aStoreWithoutTablesIsNewOnlyIfNoServerHasBegunIt() throws {
    let place = try Place()
    // So a kill leaves it in the first moments of the first start.
    try sql(place.file, "PRAGMA journal_mode = WAL")
    let mark = URL(fileURLWithPath: place.file + ".mark")
    try Data().write(to: mark)
    #expect(
      slip { _ = try StoreFile(path: place.file) }?.contains("has no tables: no server has begun a store") == true)
    #expect(place.refusal() == nil)
    try FileManager.default.removeItem(atPath: place.file)
    try sql(place.file, "PRAGMA journal_mode = WAL")
    let before = try Data(contentsOf: URL(fileURLWithPath: place.file))
    for words in [place.refusal(), slip { _ = try StoreFile(path: place.file) }] {
      #expect(words?.contains("has no tables, and \(place.file).mark beside it says that a store was there") == true)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: place.file)) == before)
    try FileManager.default.removeItem(at: mark)
    #expect(try place.open().start.isNew)
  }

  @Test func aCopyIsNotOpenedBesideTheLogOfAnother() throws {
    let place = try Place()
    try place.open().close()
    _ = try StoreFile(path: place.file).backup(to: place.folder + "/copy") { _ in }
    try FileManager.default.removeItem(atPath: place.file)
    try FileManager.default.moveItem(atPath: place.folder + "/copy", toPath: place.file)
    let log = URL(fileURLWithPath: place.file + "-wal")
    try Data(repeating: 7, count: 5000).write(to: log)
    let before = try Data(contentsOf: URL(fileURLWithPath: place.file))
    for words in [
      place.refusal(), slip { _ = try StoreFile(path: place.file) },
      slip { _ = try StoreFile.compact(path: place.file) },
    ] {
      #expect(words?.contains("store has no log (it is a copy, or its server ended in order), and ") == true)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: place.file)) == before)
    #expect(try Data(contentsOf: log).count == 5000)
    try Data().write(to: log)
    try place.open().close()
  }

  /// Who puts files back one by one may put back a log that has been taken in long since.
  @Test func anOlderLogIsNotTakenIn() throws {
    let place = try Place()
    let log = URL(fileURLWithPath: place.file + "-wal")
    let store = try place.open()
    #expect(store.write(.insert(Made.message(1), Made.content(), once: nil)))
    let older = try Data(contentsOf: log)
    #expect(store.write(.insert(Made.message(2), Made.content(), once: nil)))
    store.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: place.file))
    try older.write(to: log)
    for words in [place.refusal(), slip { _ = try StoreFile(path: place.file) }] {
      #expect(words?.contains("has no log (it is a copy, or its server ended in order)") == true)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: place.file)) == before)
    try FileManager.default.removeItem(at: log)
    #expect(try StoreFile(path: place.file).export { _ in }.messages == 2)
    let next = try place.open()
    #expect(next.start.continues)
    next.close()
  }

  /// A tool that reads does not keep a server from ending.
  @Test func aStoreThatIsReadIsClosedAllTheSame() throws {
    let place = try Place()
    let store = try place.open()
    #expect(store.write(.insert(Made.message(1), Made.content(), once: nil)))
    _ = try StoreFile(path: place.file).export { item in
      if case .message = item { store.close() }
    }
    #expect(try place.open().items().count == 1)
  }

  @Test func aNewerVersionIsRefused() throws {
    let place = try Place()
    try place.open().close()
    try sql(place.file, "PRAGMA user_version = 9")
    #expect(
      place.refusal()?.contains("newer version of Baton (schema 9, and this one knows 1); use that version") == true)
  }

  @Test(arguments: ["DROP TABLE once", "CREATE INDEX more ON event(about)", "ALTER TABLE state ADD COLUMN more"])
  func otherTablesAreRefused(change: String) throws {
    let place = try Place()
    try place.open().close()
    try sql(place.file, change)
    #expect(place.refusal()?.contains("its tables are not those of a store; restore a copy") == true)
  }

  @Test func aDamagedPageOfAnIndexIsRefused() throws {
    let place = try Place()
    let store = try place.open()
    for number in 1...200 { #expect(store.keep(.setValue(Made.kept("topic.\(number)"), change: UInt64(number)))) }
    store.close()
    let root = try #require(Int(try sql(place.file, "SELECT rootpage FROM sqlite_schema WHERE type = 'index'")))
    try place.overwrite(page: root)
    let words = try #require(place.refusal())
    #expect(words.contains("is damaged: ") && !words.contains("\n") && !words.contains("***"))
  }

  @Test(arguments: [-1, 0])
  func aVersionThatNobodyHasWrittenIsRefused(version: Int) throws {
    let place = try Place()
    try place.open().close()
    try sql(place.file, "PRAGMA user_version = \(version)")
    #expect(place.refusal()?.contains("is damaged: its schema has the number \(version); restore a copy") == true)
  }

  @Test(
    arguments: [
      { $0.acceptedAt = .max }, { $0.state.nextAt = .min }, { $0.state.tries = .max }, { $0.state.lastTry = .max },
      { $0.state.place = .max }, { $0.byteCount = 1 << 40 }, { $0.chain = [34] },
      { $0.resent = StoredID(start: Made.start, count: .max) },
    ] as [@Sendable (inout StoredMessage) -> Void])
  func numbersThatNobodyCountsToAreDamage(change: @Sendable (inout StoredMessage) -> Void) throws {
    let place = try Place()
    let store = try place.open()
    var message = Made.message(1)
    #expect(store.write(.insert(message, Made.content(), once: nil)))
    #expect(try store.items().count == 1)
    change(&message)
    #expect(store.write(.insert(message, Made.content(), once: nil)))
    let items = try store.items()
    guard items.count == 2, case .damaged("message", 1) = items[0], case .message(_, nil, isDead: true) = items[1]
    else {
      Issue.record("\(items)")
      return
    }
  }

  @Test(arguments: [-1, .min, .max, 0, 1 << 53 + 1] as [Int64])
  func aRowThatNobodyCountsToIsDamage(key: Int64) throws {
    let place = try Place()
    let store = try place.open()
    #expect(store.write(.insert(Made.message(1), Made.content(), once: Made.once(1))))
    #expect(store.write(.insert(Made.message(2), Made.content(), once: Made.once(2, name: 2))))
    #expect(store.write(.end(2, result: TryResult([1]), rememberedUntil: 99)))
    #expect(store.write(.state(1, TryState(), result: [2])))
    #expect(store.keep(.setValue(Made.kept("a"), change: 1), .addEvent(Made.kept("b", seq: 1))))
    for (table, name) in [("message", "row"), ("state", "row"), ("once", "row"), ("value", "change"), ("event", "seq")]
    {
      try sql(place.file, "UPDATE \(table) SET \(name) = \(key)")
    }
    let row = UInt64(bitPattern: key)
    let told = try store.items().compactMap { if case .damaged(let table, row) = $0 { table } else { nil } }
    #expect(told == ["message", "once", "once", "value", "event"])
    #expect(try store.rows() == [row])
    #expect(store.write(.discard(row, rememberedUntil: 99)))
    #expect(try store.rows() == [])
  }

  @Test func aFileThatWasRestoredDoesNotContinue() throws {
    let place = try Place()
    try place.open().close()
    let copy = try Data(contentsOf: URL(fileURLWithPath: place.file))
    var store = try place.open()
    let epoch = store.start.epoch
    #expect(store.start.continues)
    store.close()
    try copy.write(to: URL(fileURLWithPath: place.file))
    store = try place.open()
    #expect(!store.start.continues && store.start.epoch != epoch)
    store.close()
    try FileManager.default.removeItem(atPath: place.file + ".mark")
    #expect(try !place.open().start.continues)
  }

  @Test func whatWaitsInACopyMayHaveBeenOffered() throws {
    let place = try Place()
    var store = try place.open()
    #expect(store.start.again == 0)
    for row in UInt64(1)...3 { #expect(store.write(.insert(Made.message(row), Made.content(), once: nil))) }
    store.close()
    store = try place.open()
    #expect(store.start.again == 0)
    store.close()
    try FileManager.default.removeItem(atPath: place.file + ".mark")
    // It stays so from start to start, as long as the message is there; what comes later has not been offered.
    for _ in 1...2 {
      store = try place.open()
      #expect(store.start.again == 3)
      store.close()
    }
    store = try place.open()
    #expect(store.write(.insert(Made.message(4), Made.content(), once: nil)))
    store.close()
    store = try place.open()
    #expect(store.start.again == 3)
    for row in UInt64(2)...4 { #expect(store.write(.remove(row))) }
    store.close()
    #expect(try place.open().start.again == 1)
  }

  @Test func damagedRowsAreFoundAndTheOthersAreThere() throws {
    let place = try Place()
    var store = try place.open()
    for row in UInt64(1)...3 {
      #expect(store.write(.insert(Made.message(row), Made.content("payload \(row)", key: "key \(row)"), once: nil)))
    }
    #expect(store.keep(.setValue(Made.kept("value.a", "first"), change: 1)))
    #expect(store.keep(.addEvent(Made.kept("event.a", "second", seq: 1))))
    store.close()
    for bytes in ["payload 2", "key 3", "first", "second"] { try place.damage(Array(bytes.utf8)) }
    store = try place.open()
    let told = try store.items().map { item in
      switch item {
      case .message(let message, let key, let isDead): "\(message.row) \(key != nil) \(isDead)"
      case .damaged(let table, let row): "\(table) \(row)"
      default: "?"
      }
    }
    #expect(told == ["1 true false", "2 true false", "message 3", "3 false true", "value 1", "event 1"])
    guard case .content = store.load(1), case .damaged = store.load(2), case .damaged = store.load(3),
      case .damaged = store.load(4)
    else {
      Issue.record("not found")
      return
    }
    guard case .dead(1, let dead?) = store.ask(.readDead(ticket: 1, rows: [3], withContent: true)) else {
      Issue.record("not read")
      return
    }
    #expect(dead.count == 1 && dead[0].content == nil && dead[0].message.id == Made.message(3).id)
    #expect(dead[0].message.chain == Array("orders".utf8))
    #expect(store.write(.discard(3, rememberedUntil: 0)))
    #expect(try store.rows() == [1, 2])
  }
}
