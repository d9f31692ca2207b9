import BatonLasting
import BatonStore
import Foundation
import Testing

/// Files that a start refuses, and damage that is found later (Docs/guarantees.md, "The disk is full, fails, or is
/// damaged").
@Suite struct DamageTests {
  private func stored(values count: UInt64 = 3) throws -> (Place, Store) {
    let place = try Place()
    let store = try place.open()
    for number in 1...count { #expect(store.keep(.setValue(Made.kept("topic.\(number)"), change: number))) }
    return (place, store)
  }

  private func indexPage(_ place: Place) throws -> Int {
    try #require(Int(try sql(place.file, "SELECT rootpage FROM sqlite_schema WHERE type = 'index'")))
  }

  /// Each page is a right one.
  @Test(arguments: [7, 9]) func anIndexThatNamesOtherRowsIsRefused(byte: UInt8) throws {
    let (place, store) = try stored()
    store.close()
    let root = try indexPage(place)
    var data = try Data(contentsOf: URL(fileURLWithPath: place.file))
    // The topic of an entry, or the number of its row behind it.
    let page = (root - 1) * 4096..<root * 4096
    let entry = try #require(data.range(of: Data("topic.2".utf8), in: page))
    data[byte == 7 ? entry.upperBound : entry.lowerBound] = byte
    try data.write(to: URL(fileURLWithPath: place.file))
    #expect(place.refusal()?.contains("is damaged") == true)
  }

  @Test func damageThatIsFoundLaterIsTold() throws {
    let (place, store) = try stored(values: 200)
    try sql(place.file, "PRAGMA wal_checkpoint(TRUNCATE)")
    try place.overwrite(page: try indexPage(place))
    // Another program has written: so nothing is known any more.
    try sql(place.file, "UPDATE fact SET value = value")
    #expect(!store.keep(.setValue(Made.kept("topic.7"), change: 201)))
    #expect(store.isDamaged)
    #expect(store.lastError?.contains("is damaged: database disk image is malformed; restore a copy") == true)
    #expect(store.keep(.addEvent(Made.kept("event", seq: 1))))
    // Other pages are right, and this one does not heal.
    #expect(store.isDamaged)
  }

  /// A store as a crash leaves it, with the log of so many commits.
  private func crashed(commits: UInt64) throws -> (Place, log: [UInt8]) {
    let (place, store) = try stored()
    let crashed = try Place()
    for number in 4...3 + commits { #expect(store.keep(.setValue(Made.kept("topic.\(number)"), change: number))) }
    for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: place.file + end, toPath: crashed.file + end) }
    store.close()
    return (crashed, [UInt8](try Data(contentsOf: URL(fileURLWithPath: crashed.file + "-wal"))))
  }

  private func write(_ log: [UInt8], of place: Place) throws {
    try Data(log).write(to: URL(fileURLWithPath: place.file + "-wal"))
  }

  /// Commits were waited for, so nothing but damage explains a wrong frame in front of others.
  @Test(arguments: [0, 8, 21, 24 + 100]) func aLogThatIsWrongInTheMiddleIsRefused(byte: Int) throws {
    let (place, log) = try crashed(commits: 20)
    var wrong = log
    let frames = (log.count - 32) / (24 + 4096)
    wrong[32 + frames / 2 * (24 + 4096) + byte] ^= 4
    try write(wrong, of: place)
    let words = try #require(place.refusal())
    #expect(words.contains("is damaged: its log \(place.file)-wal is wrong in the middle"))
    do {
      var told: [String] = []
      let file = try StoreFile(path: place.file)
      #expect(try file.check { told.append($0) }.damaged > 0)
      #expect(told.first?.hasPrefix("its log ") == true)
      let words = slip { _ = try file.backup(to: place.folder + "/copy") { _ in } }
      #expect(words?.contains("is damaged: its log") == true)
    }
    // Nobody has taken it in, so that nobody takes the file for a right one.
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: place.file + "-wal"))) == wrong)
    #expect(place.refusal() != nil)
    try write(log, of: place)
    try place.open().close()
  }

  /// A disk loses sectors and blocks: of several frames, and of the header.
  @Test func blocksOfTheLogThatAreWrongAreFound() throws {
    let (place, log) = try crashed(commits: 20)
    let frame = 24 + 4096
    let third = 32 + 3 * frame
    for bytes in [0..<512, 0..<4096, 0..<third + 50, third - 200..<third + 312, third - 200..<third + 5 * frame] {
      for make: (Int) -> UInt8 in [{ _ in 0 }, { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }] {
        var wrong = log
        for byte in bytes { wrong[byte] = make(byte) }
        try write(wrong, of: place)
        #expect(place.refusal()?.contains("wrong in the middle") == true, "\(bytes)")
      }
    }
    try write(log, of: place)
    try place.open().close()
  }

  @Test func aHeaderOfTheLogThatIsWrongIsRefused() throws {
    let (place, log) = try crashed(commits: 20)
    for byte in [0, 3, 9, 16, 20, 30] {
      var wrong = log
      wrong[byte] ^= 1
      try write(wrong, of: place)
      #expect(place.refusal()?.contains("wrong in the middle") == true)
    }
    try write(log, of: place)
    try place.open().close()
  }

  /// A commit that is wrong itself is not the last one, if another one follows it.
  @Test func theLastCommitButOneIsFound() throws {
    let (place, log) = try crashed(commits: 20)
    let frame = 24 + 4096
    let ends = stride(from: 32, to: log.count, by: frame).filter { log[$0 + 4..<$0 + 8].contains { $0 != 0 } }
    var wrong = log
    wrong[ends[ends.count - 2] + 24 + 7] ^= 1
    try write(wrong, of: place)
    #expect(place.refusal()?.contains("wrong in the middle") == true)
  }

  /// The last commit may be what a crash has left, and an older log may stand behind it.
  @Test func whatACrashLeavesOfALogIsNoDamage() throws {
    let (place, log) = try crashed(commits: 20)
    let frame = 24 + 4096
    for end in [log.count - frame, log.count - 100, log.count - frame - 1] {
      try write(Array(log[..<end]), of: place)
      #expect(place.isSound())
    }
    var torn = log
    torn[log.count - 100] ^= 1
    try write(torn, of: place)
    #expect(place.isSound())
    // What commits have left that failed: pieces that do not follow each other.
    let pieces = stride(from: 32 + 10 * frame, to: log.count, by: 3 * frame).flatMap { log[$0..<$0 + frame] }
    try write(log[..<(32 + 8 * frame)] + pieces, of: place)
    #expect(place.isSound())
    // Frames of a log that was taken in before have other salts.
    var older = log
    for at in stride(from: 32 + 10 * frame, to: log.count, by: frame) { older[at + 8] ^= 1 }
    try write(older, of: place)
    #expect(place.isSound())
  }

  @Test(arguments: [0, 1, 99, 511]) func aFileThatWasCutIsNoNewOne(size: UInt64) throws {
    let place = try Place()
    try place.open().close()
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: place.file))
    try handle.truncate(atOffset: size)
    try handle.close()
    let words = try #require(place.refusal())
    #expect(words.contains(size == 0 ? "is empty, and \(place.file).mark beside it says" : "it has only \(size) bytes"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: place.file)).count == size)
    try FileManager.default.removeItem(atPath: place.file)
    #expect(place.refusal()?.contains("has gone, and \(place.file).mark beside it says") == true)
    try FileManager.default.removeItem(atPath: place.file + ".mark")
    #expect(try place.open().start.isNew)
  }

  @Test func anEmptyFileWithAnEmptyMarkIsNew() throws {
    let place = try Place()
    for end in ["", ".mark"] { try Data().write(to: URL(fileURLWithPath: place.file + end)) }
    #expect(try place.open().start.isNew)
  }

  @Test func aFileThatIsInUseUnderAnotherNameIsRefused() throws {
    let place = try Place()
    let store = try place.open()
    let moved = place.folder + "/moved"
    try FileManager.default.moveItem(atPath: place.file, toPath: moved)
    func refusal(_ open: () throws -> Void) -> Bool {
      do { try open() } catch { return "\(error)".contains("which knows it by another name") }
      return false
    }
    #expect(refusal { _ = try Store(path: moved) })
    #expect(refusal { _ = try StoreFile.compact(path: moved) })
    store.close()
    try Store(path: moved).close()
  }
}
