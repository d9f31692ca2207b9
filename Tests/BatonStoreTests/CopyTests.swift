import Foundation
import Testing

@testable import BatonStore

/// What `baton store backup` does with the names around its target (Docs/guarantees.md, "The disk is full, fails, or
/// is damaged").
@Suite struct CopyTests {
  private let place: Place
  private var target: String { place.folder + "/copy" }

  init() throws {
    place = try Place()
    let store = try place.open()
    #expect(store.write(.insert(Made.message(1), Made.content(), once: nil)))
    store.close()
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.folder).filter { $0.hasPrefix("copy") }.sorted()
  }

  private func backUp(to target: String, begun: (NewCopy) -> Void = { _ in }) throws {
    _ = try StoreFile(path: place.file).backup(to: target, begun: begun) { Issue.record("\($0)") }
  }

  @Test func twoAtOnceDoNotMeetAndTheFirstHasTheName() throws {
    let own = Data("a letter".utf8)
    try own.write(to: URL(fileURLWithPath: target + ".partial"))
    let words = slip {
      try backUp(to: target) { _ in
        do { try backUp(to: target) } catch { Issue.record("\(error)") }
      }
    }
    #expect(words == "\(target) is there already; name another file, or move it away")
    #expect(try names() == ["copy", "copy.partial"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: target + ".partial")) == own)
    #expect(try StoreFile(path: target).check { Issue.record("\($0)") }.messages == 1)
    #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o600)
  }

  @Test func aTargetThatComesMeanwhileStays() throws {
    let own = Data("a letter".utf8)
    let words = slip { try backUp(to: target) { _ in try? own.write(to: URL(fileURLWithPath: target)) } }
    #expect(words == "\(target) is there already; name another file, or move it away")
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == own)
    #expect(try names() == ["copy"])
  }

  @Test func whatIsGivenUpIsRemoved() throws {
    #expect(slip { try backUp(to: target) { $0.remove() } } != nil)
    #expect(try names() == [])
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func nothingBesideTheCopyIsTakenForAPartOfIt(end: String) throws {
    try Data([1]).write(to: URL(fileURLWithPath: target + end))
    #expect(
      slip { try backUp(to: target) }
        == "\(target)\(end) is there, and would be taken for a part of the copy; move it away, or name another file")
    #expect(try names() == ["copy" + end])
  }

  @Test(arguments: ["-wal", "-shm", "-journal", ".mark"])
  func aCopyIsNoPartOfAStore(end: String) throws {
    let name = place.file + end
    try? FileManager.default.removeItem(atPath: name)
    #expect(
      slip { try backUp(to: name) }
        == "\(name) ends with \(end), as a file beside a store does; give it another name")
    #expect(!FileManager.default.fileExists(atPath: name))
  }

  @Test(arguments: ["-wal", "-shm", "-journal", ".mark"])
  func noStoreHasTheNameOfAFileBesideOne(end: String) throws {
    let name = place.file + end
    try? FileManager.default.removeItem(atPath: name)
    let words = "\(name) ends with \(end), as a file beside a store does; give it another name"
    #expect(slip { _ = try Store(path: name) } == words)
    #expect(!FileManager.default.fileExists(atPath: name))
    try Data().write(to: URL(fileURLWithPath: name))
    let link = place.folder + "/link"
    try? FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: name)
    #expect(slip { _ = try Store(path: link) }?.hasSuffix("give it another name") == true)
  }

  @Test func theWordsFit() throws {
    #expect(slip { try backUp(to: "") } == "the name of the copy is empty; name a file that is not there yet")
    #expect(
      slip { try backUp(to: place.folder) }?.hasSuffix("is a folder; name a file in it that is not there yet") == true)
    let long = place.folder + "/" + String(repeating: "x", count: 250)
    #expect(
      slip { try backUp(to: long) }?.hasSuffix("the files beside it would have longer ones; give it a shorter name")
        == true)
    #expect(slip { _ = try Store(path: long + "abcdef") }?.hasSuffix("give it a shorter name") == true)
    #expect(!FileManager.default.fileExists(atPath: long))
    try FileManager.default.createSymbolicLink(atPath: target, withDestinationPath: place.folder + "/nothing")
    let link = "\(target) is a symbolic link to a file that is not there; remove the link, or put the file there"
    #expect(slip { try backUp(to: target) } == link)
    #expect(slip { _ = try Store(path: target) } == link)
    #expect(slip { _ = try StoreFile(path: target) } == link)
    #expect(try names() == ["copy"])
  }
}
