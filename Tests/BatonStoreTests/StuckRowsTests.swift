import BatonLasting
import BatonStore
import Foundation
import Testing

/// Messages that are damaged while a server runs: what is wrong with one of them does nothing to others
/// (Docs/guarantees.md, "The disk is full, fails, or is damaged").
@Suite struct StuckRowsTests {
  /// Three messages of several pages: the payload of each has a letter of its own.
  private func stored() throws -> (Place, Store) {
    let place = try Place()
    let store = try place.open()
    for row in UInt64(1)...3 { #expect(store.write(.insert(Made.message(row), content(row), once: nil))) }
    try sql(place.file, "PRAGMA wal_checkpoint(TRUNCATE)")
    return (place, store)
  }

  private func content(_ row: UInt64) -> DurableContent {
    Made.content("\"" + String(repeating: Character(UnicodeScalar(UInt8(96 + row))), count: 30_000) + "\"")
  }

  /// The pages that have nothing but the letter of a row, behind the number of the next one.
  private func pages(of row: UInt64, in data: Data) -> [Int] {
    let letters = Data(repeating: UInt8(96 + row), count: 4092)
    return stride(from: 0, to: data.count, by: 4096).filter { data[$0 + 4..<$0 + 4096] == letters }.map {
      $0 / 4096 + 1
    }
  }

  /// The first whole page of row 1 names another one as the next.
  private func damage(_ place: Place, row: UInt64 = 1, next: (Data) -> Int) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: place.file))
    let start = (try #require(pages(of: row, in: data).first) - 1) * 4096
    withUnsafeBytes(of: UInt32(next(data)).bigEndian) { data.replaceSubrange(start..<start + 4, with: $0) }
    try data.write(to: URL(fileURLWithPath: place.file))
    // Another program has written: so nothing is known any more.
    try sql(place.file, "UPDATE fact SET value = value")
  }

  private func hasGone(_ row: UInt64, of store: Store) -> Bool {
    guard case .dead(7, let letters?)? = store.ask(.readDead(ticket: 7, rows: [row], withContent: false)) else {
      return false
    }
    return letters.isEmpty
  }

  private enum Next: CaseIterable { case ofAnother, itself, beyondTheEnd }

  @Test(arguments: Next.allCases) private func whatADamagedMessageNamesIsNotFreed(_ next: Next) throws {
    let (place, store) = try stored()
    try damage(place) { data in
      switch next {
      case .ofAnother: pages(of: 2, in: data)[1]
      case .itself: pages(of: 1, in: data)[0]
      case .beyondTheEnd: 99_999
      }
    }
    guard case .damaged? = store.load(1) else { return #expect(Bool(false), "it is not found damaged") }
    #expect(store.write(.discard(1, rememberedUntil: 0)))
    for row in UInt64(4)...8 { #expect(store.write(.insert(Made.message(row), content(row), once: nil))) }
    #expect(!store.isDamaged)
    for row in UInt64(2)...8 {
      guard case .content(let found, _, _)? = store.load(row) else { return #expect(Bool(false), "\(row) has gone") }
      #expect(found.payload == content(row).payload)
    }
    #expect(hasGone(1, of: store))
  }

  /// A page that is not what it was is found when the message ends. What is committed with that is kept.
  @Test func anEndThatCannotBeTakenOffHoldsUpNobody() throws {
    let (place, store) = try stored()
    try damage(place) { _ in 99_999 }
    let ends = [UInt64(1), 3].map { StoreChange.end($0, result: TryResult([7]), rememberedUntil: nil) }
    let inserts = [UInt64(4), 5].map { StoreChange.insert(Made.message($0), content($0), once: nil) }
    #expect(store.write(inserts[0], ends[0], ends[1], inserts[1]))
    #expect(!store.isDamaged)
    #expect(hasGone(1, of: store) && hasGone(3, of: store))
    for row in [UInt64(2), 4, 5] {
      guard case .content? = store.load(row) else { return #expect(Bool(false), "\(row) has gone") }
    }
  }

  /// The name of a message is known by its result, though its row stays.
  @Test func theNameOfARowThatStaysIsKept() throws {
    let (place, store) = try stored()
    #expect(store.write(.insert(Made.message(4), content(4), once: Made.once(4))))
    try sql(place.file, "PRAGMA wal_checkpoint(TRUNCATE)")
    try damage(place, row: 4) { _ in 99_999 }
    #expect(store.write(.end(4, result: TryResult([7]), rememberedUntil: 900)))
    #expect(hasGone(4, of: store) && store.recall(4) == [7])
  }

  /// A result that is damaged when the time of its name is over stays, too, and the next start takes it off.
  @Test func aDamagedResultThatIsForgottenHoldsUpNobody() throws {
    let (place, store) = try stored()
    #expect(store.write(.insert(Made.message(4), Made.content(), once: Made.once(4))))
    let result = [UInt8](repeating: 96 + 4, count: 30_000)
    #expect(store.write(.end(4, result: TryResult(result), rememberedUntil: 900)))
    try sql(place.file, "PRAGMA wal_checkpoint(TRUNCATE)")
    let page = try #require(pages(of: 4, in: Data(contentsOf: URL(fileURLWithPath: place.file))).first)
    var next = 0
    try damage(place, row: 4) { data in
      next = data[(page - 1) * 4096..<(page - 1) * 4096 + 4].reduce(0) { $0 << 8 | Int($1) }
      return 99_999
    }
    #expect(
      store.write(
        .insert(Made.message(5), content(5), once: nil), .forget(Made.once(4).name, of: 4),
        .end(3, result: TryResult([7]), rememberedUntil: nil)))
    #expect(!store.isDamaged && hasGone(3, of: store))
    guard case .content? = store.load(5) else { return #expect(Bool(false), "what is committed with it has gone") }
    store.close()
    try damage(place, row: 4) { _ in next }
    let started = try place.open()
    #expect(try started.names(wall: 1000).isEmpty)
    #expect(try sql(place.file, "SELECT count(*) FROM once") == "0")
    started.close()
  }

  /// Of a dead letter that is damaged, all is told but what it says.
  @Test func aDamagedDeadLetterIsListed() throws {
    let (place, store) = try stored()
    #expect(store.write(.dead(1, TryState(), result: nil), .dead(2, TryState(), result: nil)))
    try sql(place.file, "PRAGMA wal_checkpoint(TRUNCATE)")
    try damage(place) { _ in 99_999 }
    guard case .dead(7, let letters?)? = store.ask(.readDead(ticket: 7, rows: [1, 2], withContent: false)) else {
      return #expect(Bool(false), "they are not told")
    }
    #expect(letters.map { $0.message.row } == [1, 2] && letters.map { $0.content == nil } == [true, false])
  }

  /// It stays on the disk until a start, which finds the file sound.
  @Test func aStartTakesItOff() throws {
    let (place, store) = try stored()
    store.close()
    var data = try Data(contentsOf: URL(fileURLWithPath: place.file))
    data[try #require(pages(of: 1, in: data).first) * 4096 - 1] ^= 1
    try data.write(to: URL(fileURLWithPath: place.file))
    let damaged = try place.open()
    guard case .damaged? = damaged.load(1) else { return #expect(Bool(false), "it is not found damaged") }
    #expect(damaged.write(.discard(1, rememberedUntil: 0)))
    #expect(try sql(place.file, "SELECT count(*) FROM message") == "3")
    damaged.close()
    #expect(try StoreFile(path: place.file).check { _ in }.messages == 2)
    let started = try place.open()
    #expect(try started.rows() == [2, 3])
    #expect(try sql(place.file, "SELECT count(*) FROM message") == "2")
    #expect(try started.rows() == [2, 3])
    #expect(try sql(place.file, "SELECT count(*) FROM state") == "0")
    started.close()
  }
}
