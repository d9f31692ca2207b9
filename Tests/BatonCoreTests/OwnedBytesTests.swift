import Testing

@testable import BatonCore

/// Bytes with one owner.
@Suite struct OwnedBytesTests {
  private func text(_ bytes: borrowing OwnedBytes) -> String { bytes.string }

  @Test func growsByAppending() {
    var bytes = OwnedBytes()
    var expected: [UInt8] = []
    for length in [0, 1, 255, 1, 300, 0, 5000] {
      let more = (0..<length).map { UInt8(truncatingIfNeeded: $0 &+ length) }
      more.withUnsafeBytes { bytes.append($0) }
      expected += more
      let there = Array(bytes.bytes)
      #expect(there == expected)
    }
  }

  @Test func growsByWritingBehindTheEnd() {
    var bytes = OwnedBytes("door")
    for text in ["", ".open", String(repeating: "x", count: 1000)] {
      let memory = bytes.reserve(2000)
      memory.copyMemory(from: Array(text.utf8), byteCount: text.utf8.count)
      bytes.extend(to: memory + text.utf8.count)
    }
    let there = text(bytes)
    #expect(there == "door.open" + String(repeating: "x", count: 1000))
  }

  @Test func aCopyIsItsOwn() {
    var source = Array("door".utf8)
    var copy = OwnedBytes()
    source.withUnsafeBytes { copy = OwnedBytes(copying: $0) }
    source[0] = 0x78
    let (there, nothing) = (text(copy), text(OwnedBytes(copying: .empty)))
    #expect(there == "door" && nothing.isEmpty)
  }

  @Test func isShortened() {
    var bytes = OwnedBytes("door")
    bytes.shorten(to: 2)
    let (there, count) = (text(bytes), bytes.count)
    #expect(there == "do" && count == 2)
  }

  @Test func comparesBytes() {
    func equal(_ left: String, _ right: String) -> Bool {
      Array(left.utf8).withUnsafeBytes { left in Array(right.utf8).withUnsafeBytes { left.equals($0) } }
    }
    #expect(equal("", "") && equal("door", "door"))
    #expect(!equal("door", "doom") && !equal("door", "doo") && !equal("", "d"))
  }
}
