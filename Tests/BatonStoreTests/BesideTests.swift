import BatonStore
import Foundation
import Testing

/// What stands beside the file of a store, and is none of it (Docs/guarantees.md, "The disk is full, fails, or is
/// damaged").
@Suite struct BesideTests {
  let place: Place

  init() throws {
    place = try Place()
    let store = try place.open()
    #expect(store.write(.insert(Made.message(1), Made.content(), once: nil)))
    store.close()
  }

  /// What a server, a tool that reads, and one that writes say.
  private func refusals() -> [String?] {
    [
      place.refusal(), slip { _ = try StoreFile(path: place.file) },
      slip { _ = try StoreFile.compact(path: place.file) },
    ]
  }

  /// SQLite would wait for the first, and read the second for ever.
  @Test(arguments: ["-wal", "-shm", "-journal", ".mark"])
  func whatIsNoFileIsRefused(end: String) throws {
    let (name, files) = (place.file + end, FileManager.default)
    try? files.removeItem(atPath: name)
    let kinds: [(String, () throws -> Void)] = [
      ("a FIFO", { #expect(mkfifo(name, 0o600) == 0) }),
      ("a symbolic link", { try files.createSymbolicLink(atPath: name, withDestinationPath: "/dev/zero") }),
      ("a folder", { try files.createDirectory(atPath: name, withIntermediateDirectories: false) }),
    ]
    for (kind, make) in kinds {
      try make()
      for words in refusals() {
        #expect(words == "\(name) is \(kind), where a store has a file of its own; move it away")
      }
      try FileManager.default.removeItem(atPath: name)
    }
    #expect(place.refusal() == nil)
  }

  /// What is written into it would be written into the other file, too.
  @Test(arguments: ["-wal", "-shm", "-journal", ".mark"])
  func whatHasAnotherNameIsRefused(end: String) throws {
    let (name, other) = (place.file + end, place.folder + "/other")
    try Data("other".utf8).write(to: URL(fileURLWithPath: other))
    try? FileManager.default.removeItem(atPath: name)
    try FileManager.default.linkItem(atPath: other, toPath: name)
    for words in refusals() {
      #expect(
        words == "\(name) has another name, too (a hard link); remove the other name, or move it away")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == Data("other".utf8))
  }

  @Test func aLinkToItselfIsRefused() throws {
    let link = place.folder + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: link)
    #expect(slip { _ = try Store(path: link) } == "\(link) is a symbolic link that leads back to itself; remove it")
  }

  /// It says that the file had one page: whoever takes it in cuts the file.
  private func journalOfOnePage() -> Data { journal(pages: 1) }

  private func journal(pages: UInt32) -> Data {
    var bytes = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
    for number: UInt32 in [0, 7, pages, 512, 4096] {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    bytes.append(Data(count: 512 - bytes.count))
    return bytes
  }

  @Test func theJournalOfAnotherFileIsNotTakenIn() throws {
    let journal = URL(fileURLWithPath: place.file + "-journal")
    let bytes = journalOfOnePage()
    try bytes.write(to: journal)
    let before = try Data(contentsOf: URL(fileURLWithPath: place.file))
    for words in refusals() {
      #expect(words?.hasPrefix("\(place.file)-journal is beside it: a program (sqlite3) writes into") == true)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: place.file)) == before)
    #expect(try Data(contentsOf: journal) == bytes)
    // Nor into a file that is made, or is empty.
    try FileManager.default.moveItem(atPath: place.file, toPath: place.folder + "/away")
    try FileManager.default.removeItem(atPath: place.file + ".mark")
    for _ in 1...2 {
      #expect(place.refusal()?.hasPrefix("\(place.file)-journal is beside it") == true)
      #expect(try Data(contentsOf: journal) == bytes)
      try Data().write(to: URL(fileURLWithPath: place.file))
    }
    try FileManager.default.removeItem(atPath: place.file)
    try FileManager.default.moveItem(atPath: place.folder + "/away", toPath: place.file)
    // One that begins with 0 is over.
    try Data(count: 512).write(to: journal)
    #expect(try place.open().items().count == 1)
  }

  @Test func aJournalThatComesMeanwhileIsNotTakenIn() throws {
    let store = try place.open()
    #expect(store.write(.insert(Made.message(2), Made.content(), once: nil)))
    let journal = URL(fileURLWithPath: place.file + "-journal")
    try journalOfOnePage().write(to: journal)
    store.close()
    #expect(try Data(contentsOf: journal) == journalOfOnePage())
    try FileManager.default.removeItem(at: journal)
    #expect(try place.open().items().count == 2)
  }

  /// As a kill leaves it, of the first start.
  @Test func theJournalOfAnEmptyFileIsNoHindrance() throws {
    let young = try Place()
    try Data().write(to: URL(fileURLWithPath: young.file))
    try journal(pages: 0).write(to: URL(fileURLWithPath: young.file + "-journal"))
    #expect(try young.open().start.isNew)
  }

  /// A kill would leave it, and the next start would take it into whatever has the name then.
  @Test func noJournalIsWritten() throws {
    let other = place.folder + "/other"
    try Store(path: other).close()
    let seen = try NamesMade(in: place.folder)
    try Store(path: other).close()
    _ = try StoreFile.compact(path: other)
    _ = try StoreFile(path: other).check { Issue.record("\($0)") }
    let names = try seen.names()
    #expect(names.contains("other-wal"))
    #expect(!names.contains { $0.hasSuffix("-journal") })
  }
}
