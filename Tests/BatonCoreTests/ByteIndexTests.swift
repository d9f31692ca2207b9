import FuzzKit
import Testing

@testable import BatonCore

/// The hash table that keeps only hashes and numbers.
@Suite struct ByteIndexTests {
  @Test func findsByHashAndByWhatTheOwnerCompares() {
    var index = ByteIndex<Int>()
    index.insert(7, 1)
    index.insert(7, 2)
    index.insert(15, 3)
    let found: [Slot<Int>?] = [
      index.find(7) { $0 == 1 }, index.find(7) { $0 == 2 }, index.find(7) { $0 == 3 }, index.find(15) { _ in true },
    ]
    #expect(found == [1, 2, nil, 3])
  }

  /// There are few hashes, so that sequences of places overlap and wrap around. Entries behind a removed one must still
  /// be found.
  @Test(arguments: [UInt64(1), 2, 3])
  func keepsWhatADictionaryKeeps(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var index = ByteIndex<Int>()
    var model: [Slot<Int>: UInt32] = [:]
    for number in UInt32(0)..<1000 {
      let value = Slot<Int>(number)
      let hash = UInt32.random(in: 0..<64, using: &generator) &* 0x0101_0101
      index.insert(hash, value)
      model[value] = hash
      if number % 3 != 0, let gone = model.keys.sorted().randomElement(using: &generator), let hash = model[gone] {
        index.remove(hash, gone)
        model[gone] = nil
        let found = index.find(hash) { $0 == gone }
        #expect(found == nil)
      }
      if number % 100 == 0 {
        let all = model.allSatisfy { value, hash in index.find(hash) { $0 == value } == value }
        #expect(all, "at \(number)")
      }
    }
    let count = index.count
    #expect(count == model.count)
  }

  @Test func theSeedDecidesTheHash() {
    for text in ["", "a", "main", "door.open", "a topic of several words"] {
      Array(text.utf8).withUnsafeBytes { bytes in
        #expect(bytes.hash(seed: 1) == bytes.hash(seed: 1))
        #expect(bytes.hash(seed: 1) != bytes.hash(seed: 2))
      }
    }
  }

  /// Every byte counts, wherever it stands and however long the text is.
  @Test func everyByteCounts() {
    for length in 1...40 {
      let text = [UInt8](repeating: 0x61, count: length)
      let plain = text.withUnsafeBytes { $0.hash(seed: 5) }
      for place in 0..<length {
        var other = text
        other[place] = 0x62
        let changed = other.withUnsafeBytes { $0.hash(seed: 5) }
        #expect(changed != plain, "byte \(place) of \(length)")
      }
    }
  }
}
