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

  /// Storms come and go, with few hashes for many entries and with many. Everything is found while entries move.
  @Test(arguments: [UInt64(1), 2, 3, 4])
  func findsEverythingWhileEntriesMove(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var index = ByteIndex<Int>()
    var model: [(slot: Slot<Int>, hash: UInt32)] = []
    var number = UInt32(0)
    for storm in [10, 3000, 50, 20_000, 0, 700] {
      while model.count != storm {
        let isGrowing = model.count < storm
        if Int.random(in: 0..<10, using: &generator) < (isGrowing ? 9 : 1) {
          // One in four hashes is shared by many.
          let random = UInt32.random(in: 0...UInt32.max, using: &generator)
          let hash = number % 4 == 0 && number < 2000 ? 77 &+ number % 3 : random
          index.insert(hash, Slot(number))
          model.append((Slot(number), hash))
          number += 1
        } else if !model.isEmpty {
          let at = Int.random(in: model.indices, using: &generator)
          model.swapAt(at, model.count - 1)
          let gone = model.removeLast()
          index.remove(gone.hash, gone.slot)
          let found = index.find(gone.hash) { $0 == gone.slot }
          #expect(found == nil)
        }
        if let one = model.randomElement(using: &generator) {
          let found = index.find(one.hash) { $0 == one.slot }
          #expect(found == one.slot)
        }
        guard number % 500 == 0 else { continue }
        let lost = model.filter { one in index.find(one.hash) { $0 == one.slot } != one.slot }
        #expect(lost.isEmpty, "seed \(seed), entry \(number)")
      }
      let count = index.count
      #expect(count == storm)
    }
  }

  /// No insert and no remove prepares or empties more than 64 places, however large the index is. Memory goes back.
  @Test func growsAndShrinksInSteps() {
    var index = ByteIndex<Int>()
    let nothing = index.room
    #expect(nothing == 0, "an index that never had an entry owns no memory")
    var (before, most, largest) = ((room: 0, progress: 0), 0, 0)
    func look() {
      let now = (room: index.room, progress: index.progress)
      if now.room == before.room, now.progress > before.progress { most = max(most, now.progress - before.progress) }
      largest = max(largest, now.room)
      before = now
    }
    for number in UInt32(0)..<100_000 {
      index.insert(number &* 0x9E37_79B9, Slot(number))
      look()
    }
    let full = index.room
    #expect(most == ByteIndex<Int>.step && full <= 8 * 100_000 && largest <= 12 * 100_000)
    for number in UInt32(0)..<99_000 {
      index.remove(number &* 0x9E37_79B9, Slot(number))
      look()
    }
    let small = index.room
    #expect(most == ByteIndex<Int>.step && small <= 40 * 1000)
    for number in UInt32(99_000)..<100_000 { index.remove(number &* 0x9E37_79B9, Slot(number)) }
    let left = index.room
    #expect(left <= 1024)
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
