import FuzzKit
import Testing

@testable import BatonCore

/// Which version the oldest walk of a chain entered at.
@Suite struct SnapshotsTests {
  @Test func aWalkAloneIsTheOldest() {
    var snapshots = Snapshots()
    #expect(snapshots.oldest == nil)
    snapshots.enter(version: 3)
    #expect(snapshots.oldest == 3 && snapshots.walks == 1)
    let wasOldest = snapshots.leave(version: 3)
    #expect(wasOldest)
    #expect(snapshots.oldest == nil && snapshots.walks == 0)
  }

  @Test func theOldestChangesWhenTheLastOfAVersionLeaves() {
    var snapshots = Snapshots()
    for version in [1, 1, 2, 5] { snapshots.enter(version: version) }
    var changes: [Bool] = []
    var oldest: [Int?] = []
    for version in [1, 2, 1, 5] {
      changes.append(snapshots.leave(version: version))
      oldest.append(snapshots.oldest)
    }
    #expect(changes == [false, false, true, true] && oldest == [1, 1, 5, nil])
  }

  /// The chain is at the version of one who has left, and nobody is there: the next to enter is the oldest.
  @Test func whoEntersAfterAllHaveLeftIsTheOldest() {
    var snapshots = Snapshots()
    snapshots.enter(version: 1)
    snapshots.enter(version: 2)
    _ = snapshots.leave(version: 2)
    _ = snapshots.leave(version: 1)
    snapshots.enter(version: 2)
    #expect(snapshots.oldest == 2)
    let hasChanged = snapshots.leave(version: 2)
    #expect(hasChanged, "the last one has left")
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func knowsWhatAListOfWalksKnows(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var snapshots = Snapshots()
    var inside: [Int] = []
    var version = 1
    for step in 0..<5000 {
      if Int.random(in: 0..<4, using: &generator) == 0 { version += 1 }
      if Int.random(in: 0..<20, using: &generator) < (step % 800 < 400 ? 12 : 8) {
        inside.append(version)
        snapshots.enter(version: version)
      } else if let at = inside.indices.randomElement(using: &generator) {
        let before = inside.min()
        let gone = inside.remove(at: at)
        let hasChanged = snapshots.leave(version: gone)
        #expect(hasChanged == (inside.min() != before), "seed \(seed), step \(step)")
      }
      #expect(
        snapshots.oldest == inside.min() && snapshots.walks == inside.count, "seed \(seed), step \(step)"
      )
      if step % 800 == 799 { while let last = inside.popLast() { _ = snapshots.leave(version: last) } }
    }
  }
}
