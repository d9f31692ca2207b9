import FuzzKit
import Testing

@testable import BatonCore

/// The version at which the oldest walk of a chain entered.
@Suite struct VersionCountsTests {
  @Test func aWalkAloneIsTheOldest() {
    var counts = VersionCounts()
    #expect(counts.oldest == nil)
    counts.enter(version: 3)
    #expect(counts.oldest == 3 && counts.count == 1)
    let wasOldest = counts.leave(version: 3)
    #expect(wasOldest)
    #expect(counts.oldest == nil && counts.count == 0)
  }

  @Test func theOldestChangesWhenTheLastOfAVersionLeaves() {
    var counts = VersionCounts()
    for version in [1, 1, 2, 5] { counts.enter(version: version) }
    var changes: [Bool] = []
    var oldest: [Int?] = []
    for version in [1, 2, 1, 5] {
      changes.append(counts.leave(version: version))
      oldest.append(counts.oldest)
    }
    #expect(changes == [false, false, true, true] && oldest == [1, 1, 5, nil])
  }

  /// The chain has the version of a walk that has left, and no walk is there. The next walk that enters is the oldest.
  @Test func whoEntersAfterAllHaveLeftIsTheOldest() {
    var counts = VersionCounts()
    counts.enter(version: 1)
    counts.enter(version: 2)
    _ = counts.leave(version: 2)
    _ = counts.leave(version: 1)
    counts.enter(version: 2)
    #expect(counts.oldest == 2)
    let hasChanged = counts.leave(version: 2)
    #expect(hasChanged, "the last one has left")
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func knowsWhatAListOfWalksKnows(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var counts = VersionCounts()
    var inside: [Int] = []
    var version = 1
    for step in 0..<5000 {
      if Int.random(in: 0..<4, using: &generator) == 0 { version += 1 }
      if Int.random(in: 0..<20, using: &generator) < (step % 800 < 400 ? 12 : 8) {
        inside.append(version)
        counts.enter(version: version)
      } else if let at = inside.indices.randomElement(using: &generator) {
        let before = inside.min()
        let gone = inside.remove(at: at)
        let hasChanged = counts.leave(version: gone)
        #expect(hasChanged == (inside.min() != before), "seed \(seed), step \(step)")
      }
      #expect(
        counts.oldest == inside.min() && counts.count == inside.count, "seed \(seed), step \(step)"
      )
      if step % 800 == 799 { while let last = inside.popLast() { _ = counts.leave(version: last) } }
    }
  }

  /// One walk stays for long. Others enter at new versions and leave: their versions do not stay.
  @Test func versionsWithoutWalksDoNotStay() {
    var counts = VersionCounts()
    counts.enter(version: 1)
    var most = 0
    for version in 2..<20_000 {
      counts.enter(version: version)
      if version > 10 { _ = counts.leave(version: version - 8) }
      most = max(most, counts.versions)
    }
    #expect(counts.count == 9 + 1 && most <= 2 * 10 + 64 && counts.oldest == 1)
    for version in 19_992..<20_000 { _ = counts.leave(version: version) }
    _ = counts.leave(version: 2)
    let wasOldest = counts.leave(version: 1)
    #expect(wasOldest && counts.oldest == nil && counts.count == 0)
  }
}
