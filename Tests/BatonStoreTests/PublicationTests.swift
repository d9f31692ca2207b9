import BatonLasting
import BatonStore
import Foundation
import Testing

/// Values and kept events on disk.
@Suite struct PublicationTests {
  @Test func valuesComeInTheOrderOfTheirChanges() throws {
    let place = try Place()
    let store = try place.open()
    for _ in 0..<2 {
      #expect(
        store.keep(
          .setValue(Made.kept("a", "1"), change: 1), .setValue(Made.kept("b", "2"), change: 2),
          .setValue(Made.kept("c", "3"), change: 3), .setValue(Made.kept("a", "4"), change: 4),
          .removeValue(topic: Array("c".utf8)), .removeValue(topic: Array("d".utf8))))
    }
    store.close()
    let values = try place.open().items().map {
      if case .value(let kept, let change) = $0 {
        "\(change) \(kept == Made.kept(change == 4 ? "a" : "b", change == 4 ? "4" : "2"))"
      } else {
        "?"
      }
    }
    #expect(values == ["2 true", "4 true"])
  }

  @Test func whatHasGoneLeavesRoomInTheFile() throws {
    let place = try Place()
    var store = try place.open()
    defer { withExtendedLifetime(place) {} }
    func roomInFile() throws -> Int {
      guard case .hasFree(_, let inFile) = try #require(store.ask(.look)) else { throw Place.Missing() }
      return inFile
    }
    #expect(store.keep(.setValue(Made.kept("a", String(repeating: "1", count: 400_000)), change: 1)))
    #expect(try roomInFile() < -390_000, "what is only in the log will make the file larger")
    store.close()
    store = try place.open()
    #expect(try roomInFile() == 0)
    #expect(store.keep(.removeValue(topic: Array("a".utf8))))
    #expect(try roomInFile() > 390_000)
    #expect(store.keep(.setValue(Made.kept("b", String(repeating: "2", count: 300_000)), change: 2)))
    #expect(try 90_000..<110_000 ~= roomInFile())
    try FileManager.default.removeItem(atPath: place.file)
    #expect(store.ask(.look) == nil)
    try Data().write(to: URL(fileURLWithPath: place.file))
    #expect(try roomInFile() == 0, "another file under this name says nothing of the one that is open")
  }

  @Test func eventsComeInTheirOrder() throws {
    let place = try Place()
    let store = try place.open()
    defer { withExtendedLifetime(place) {} }
    for _ in 0..<2 {
      #expect(store.keep(.addEvent(Made.kept("a", "1", seq: 7)), .addEvent(Made.kept("b", "2", seq: 9))))
    }
    #expect(store.keep(.addEvent(Made.kept("a", "3", seq: 12)), .removeEvents([9, 10])))
    let events = try store.items().map { if case .event(let kept) = $0 { kept } else { Made.kept("?") } }
    #expect(events == [Made.kept("a", "1", seq: 7), Made.kept("a", "3", seq: 12)])
  }

  /// What is durable and what stays is one commit: if it fails, nothing of it is there, and one answer says so.
  @Test func oneCommitHasBoth() throws {
    let place = try Place()
    let store = try place.open()
    #expect(store.write(.insert(Made.message(1), Made.content(), once: nil), .stays(.addEvent(Made.kept("a", seq: 1)))))
    var generation: UInt64 = 1
    try FileManager.default.moveItem(atPath: place.file, toPath: place.file + ".away")
    let jobs = [
      StoreWrite(generation: 1, number: 3, change: .insert(Made.message(2), Made.content(), once: nil)),
      StoreWrite(generation: 1, number: 4, change: .stays(.addEvent(Made.kept("a", seq: 2)))),
    ].map(StoreJob.write)
    let answers = store.carryOut(jobs, from: &generation)
    guard answers.count == 1, case .failed(generation: 1) = answers[0] else { throw Place.Missing() }
    try FileManager.default.moveItem(atPath: place.file + ".away", toPath: place.file)
    // It was given up, whatever comes of it later.
    #expect(store.carryOut([jobs[1]], from: &generation).isEmpty && generation == 2)
    let items = try store.items()
    #expect(items.count == 2)
  }

  @Test func theNumbersOfEventsGoOnBehindWhatMayHaveBeenUsed() throws {
    let place = try Place()
    var store = try place.open()
    #expect(store.start.seq == 0 && store.start.isNew && !store.start.continues)
    let (epoch, secret) = (store.start.epoch, store.start.secret)
    #expect(epoch.utf8.count == 16)
    #expect(store.keep(.reserve(seq: 1000)))
    store.close()
    store = try place.open()
    #expect(store.start.seq == 1000 && !store.start.isNew && store.start.continues)
    #expect(store.keep(.reserve(seq: 2000), .end(seq: 1017)))
    store.close()
    store = try place.open()
    #expect(store.start.seq == 1017)
    store.close()
    // It has not said that it ended.
    store = try place.open()
    #expect(store.start.seq == 1017)
    #expect(store.start.epoch == epoch && store.start.secret == secret)
  }
}
