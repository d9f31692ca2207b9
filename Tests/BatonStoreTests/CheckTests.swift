import BatonLasting
import BatonStore
import Foundation
import Testing

/// What `baton store check` finds, and what a start does with it.
@Suite struct CheckTests {
  private let place: Place

  /// One of each.
  init() throws {
    place = try Place()
    let store = try place.open()
    #expect(store.write(.insert(Made.message(1), Made.content(), once: nil), .state(1, TryState(), result: [1])))
    #expect(store.keep(.setValue(Made.kept("light"), change: 1), .addEvent(Made.kept("chat", seq: 1))))
    store.close()
  }

  private func told() throws -> [String] {
    var told: [String] = []
    let counts = try StoreFile(path: place.file).check { told.append($0) }
    #expect(counts.damaged == told.count)
    return told
  }

  @Test(
    arguments: [
      ("epoch", "x'22'"), ("epoch", "'ABCDEFGHIJKLMNOP'"), ("reserved", "x'ffffffffffffffff'"), ("reserved", "x'01'"),
      ("reserved", "x'0000000000002000'"), ("secret", "x'00'"), ("mark", "x''"), ("ended", "x'ffffffffffffffff'"),
      ("again", "x'ffffffffffffffff'"), ("failures", "x'01'"), ("leads", "x''"), ("else", "x'01'"),
    ])
  func aFactThatNobodyHasWrittenIsRefused(name: String, value: String) throws {
    #expect(try told() == [])
    try sql(place.file, "INSERT OR REPLACE INTO fact VALUES('\(name)', \(value))")
    #expect(try told() == ["fact \(name): no server has written it"])
    #expect(place.refusal()?.contains("is damaged: fact \(name): no server has written it; restore a copy") == true)
  }

  @Test func aFactThatIsMissingIsRefused() throws {
    try sql(place.file, "DELETE FROM fact WHERE name = 'secret'")
    #expect(try told() == ["fact secret: it is missing"])
    #expect(place.refusal()?.contains("is damaged: fact secret: it is missing") == true)
    try sql(place.file, "DELETE FROM fact")
    #expect(place.refusal()?.contains("is damaged: fact epoch: it is missing") == true)
    try sql(place.file, "DELETE FROM message; DELETE FROM value; DELETE FROM event")
    #expect(place.refusal() == nil)
  }

  @Test func aValueOfAnotherTopicIsTold() throws {
    try sql(place.file, "UPDATE value SET topic = CAST('night' AS BLOB)")
    #expect(try told() == ["value 1: its bytes are damaged"])
    #expect(try place.open().items().contains { if case .damaged("value", 1) = $0 { true } else { false } })
  }

  @Test func aStateWithoutMessageIsTold() throws {
    try sql(place.file, "UPDATE state SET row = 7")
    #expect(try told() == ["state 7: there is no such message"])
  }

  @Test func aNameOfAMessageThatWaitsIsTold() throws {
    let store = try place.open()
    #expect(store.write(.insert(Made.message(2), Made.content(), once: Made.once(2))))
    store.close()
    #expect(try told() == [])
    try sql(place.file, "UPDATE message SET once = x'0011223344556677' WHERE row = 2")
    let stored = String(decoding: Made.message(2).id.text, as: UTF8.self)
    #expect(
      try told() == ["message \(stored): its name (once) is damaged; sent again with it, it is taken in twice"])
    let items = try place.open().items()
    #expect(items.contains { if case .damaged("once", 2) = $0 { true } else { false } })
    #expect(!items.contains { if case .damaged("message", _) = $0 { true } else { false } })
    #expect(items.contains { if case .message(let message, _, false) = $0 { message.row == 2 } else { false } })
  }

  /// Bytes 9 to 24 of what is said of a message are the beginning of its name.
  @Test func aDamagedMessageKeepsTheNameThatItsOnceSays() throws {
    let store = try place.open()
    #expect(store.write(.insert(Made.message(2), Made.content(), once: Made.once(2))))
    store.close()
    try sql(
      place.file,
      "UPDATE message SET about = substr(about, 1, 9) || x'6161616161616161' || substr(about, 18) WHERE row = 2")
    let stored = String(decoding: Made.message(2).id.text, as: UTF8.self)
    #expect(try told() == ["message \(stored): its bytes are damaged"])
    let items = try place.open().items()
    #expect(
      items.contains {
        if case .message(let message, _, true) = $0 { message.id == Made.message(2).id } else { false }
      })
    #expect(items.contains { if case .once(let once) = $0 { once.id == Made.message(2).id } else { false } })
  }

  @Test func otherVersionsAreSaidAsTheyAre() throws {
    try sql(place.file, "PRAGMA user_version = 9")
    #expect(slip { _ = try told() }?.contains("was written by a newer version of Baton (schema 9") == true)
    try sql(place.file, "PRAGMA user_version = -1")
    #expect(slip { _ = try told() }?.contains("is damaged: its schema has the number -1") == true)
    try sql(place.file, "PRAGMA user_version = 1; PRAGMA application_id = 7")
    #expect(slip { _ = try told() }?.contains("is the database of another program") == true)
  }

  @Test func whatCannotBeReadIsNotToBeExported() throws {
    try Data(repeating: 120, count: 9000).write(to: URL(fileURLWithPath: place.file))
    let words = try #require(slip { _ = try told() })
    #expect(words.contains("does not begin as a store does: it is another file, or it is damaged;"))
    #expect(!words.contains("export"))
  }

  @Test func anEmptyNameIsNone() {
    #expect(slip { _ = try Store(path: "") } == "the name of the store is empty; name a file")
    #expect(slip { _ = try StoreFile(path: "") } == "the name of the store is empty; name a file")
  }

  @Test func aBackupTellsWhichRowsAreDamaged() throws {
    try sql(place.file, "UPDATE value SET about = x'00'")
    var told: [String] = []
    #expect(try StoreFile(path: place.file).backup(to: place.folder + "/copy") { told.append($0) }.damaged == 1)
    #expect(told == ["value 1: its bytes are damaged"])
  }
}
