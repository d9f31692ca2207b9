import Foundation
import Testing

@testable import BatonStore

/// A copy of the leader's store takes the place of a node's own (Docs/two-machines.md, "What is kept").
@Suite struct ComingCopyTests {
  private let place: Place

  init() throws {
    place = try Place()
    try place.open().close()
  }

  private func names() throws -> [String] {
    let name = URL(fileURLWithPath: place.file).lastPathComponent
    return try FileManager.default.contentsOfDirectory(atPath: place.folder).filter { $0 != "\(name).mark" }
      .map { $0.replacingOccurrences(of: name, with: "") }.sorted()
  }

  private func take(_ text: String, keeping end: String?) throws -> String? {
    let copy = try ComingCopy(beside: place.file, count: text.utf8.count)
    try copy.write(Array(text.utf8), at: 0)
    let kept = try copy.takePlace(keeping: end)
    #expect(try String(contentsOfFile: place.file, encoding: .utf8) == text)
    return kept
  }

  @Test func whatIsKeptHasTheNextNameThatIsFree() throws {
    #expect(try take("one", keeping: ".before-7") == ".before-7")
    try FileManager.default.createSymbolicLink(atPath: place.file + ".before-7-2", withDestinationPath: "nowhere")
    #expect(try take("two", keeping: ".before-7") == ".before-7-3")
    #expect(try take("three", keeping: nil) == nil)
    #expect(try names() == ["", ".before-7", ".before-7-2", ".before-7-3"])
    #expect(try String(contentsOfFile: place.file + ".before-7-3", encoding: .utf8) == "one")
  }

  @Test func aKillBetweenBothNamesLeavesTheOldStore() throws {
    #expect(link(place.file, place.file + ".before-7") == 0)
    try place.open().close()
    #expect(try names() == [""])
    #expect(link(place.file, place.file + ".other") == 0)
    #expect(slip { try place.open().close() }?.contains("has another name, too (a hard link)") == true)
  }

  @Test func aCopyThatCannotTakeItsPlaceLeavesTheOldStore() throws {
    let copy = try ComingCopy(beside: place.file, count: 1)
    copy.remove()
    #expect(slip { _ = try copy.takePlace(keeping: ".before-7") }?.contains("cannot take the place") == true)
    #expect(try names() == [""])
    try place.open().close()
  }
}
