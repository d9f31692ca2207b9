import BatonLasting
import Testing

@testable import BatonKeeper

/// What stays, in its lane of the one line to the disk.
@Suite struct StayingTests {
  private static let change = PublicationChange.removeValue(topic: [97])

  /// What became of it: on disk, and lost.
  private func settled(_ outputs: [KeeperOutput]) -> [[Int]] {
    outputs.compactMap { if case .stays(let stored, let lost) = $0 { [stored, lost] } else { nil } }
  }

  @Test func bothLanesHaveOneLineOfNumbers() {
    var keeper = KeeperTests.keeper()
    keeper.takeIn(KeeperTests.send(1))
    let durable = KeeperTests.turn(&keeper, at: 1).compactMap {
      if case .write(let write) = $0 { write.number } else { nil }
    }
    let first = keeper.write(Self.change, bytes: 1)
    #expect(durable == [1] && first.number == 2)
    keeper.storedUpTo(first.number)
    let outputs = KeeperTests.turn(&keeper, at: 2)
    #expect(settled(outputs) == [[1, 0]])
    #expect(outputs.contains { if case .accepted(1, _, _) = $0 { true } else { false } })
  }

  @Test func asMuchIsInHandAsOfWhatIsDurableAndLessInOneTurn() {
    var keeper = KeeperTests.keeper { $0.bytesAtOnce = 3 << 20 }
    var last: UInt64 = 0
    var turns: [Int] = []
    for at in 1...5 {
      _ = KeeperTests.turn(&keeper, at: UInt64(at))
      var given = 0
      while keeper.takesStaying {
        last = keeper.write(Self.change, bytes: 512 << 10).number
        given += 1
      }
      turns.append(given)
    }
    #expect(turns == [2, 2, 2, 0, 0] && !keeper.takesStayingSoon)
    // What is durable has a hand of its own.
    keeper.takeIn(KeeperTests.send(1))
    #expect(KeeperTests.turn(&keeper, at: 6).contains { if case .write = $0 { true } else { false } })
    keeper.storedUpTo(last)
    #expect(settled(KeeperTests.turn(&keeper, at: 7)) == [[6, 0]] && keeper.takesStaying)
  }

  @Test func whatTheFailedCommitHadIsLostAndWhatWasBeforeItIsNot() {
    var keeper = KeeperTests.keeper()
    _ = KeeperTests.turn(&keeper, at: 1)
    for _ in 0..<3 { _ = keeper.write(Self.change, bytes: 1) }
    keeper.storedUpTo(1)
    keeper.failed(generation: 1)
    #expect(settled(KeeperTests.turn(&keeper, at: 2)) == [[1, 2]])
    #expect(!keeper.takesStaying && !keeper.takesStayingSoon && keeper.isFailing && keeper.wakeAt == 1001)
  }

  @Test func oneAttemptEachSecondIsForBothLanes() {
    var keeper = KeeperTests.keeper()
    keeper.takeIn(KeeperTests.send(1))
    _ = KeeperTests.turn(&keeper, at: 1)
    _ = keeper.write(Self.change, bytes: 1)
    keeper.failed(generation: 1)
    _ = KeeperTests.turn(&keeper, at: 2)
    let attempt = KeeperTests.turn(&keeper, at: 1001)
    #expect(attempt.count == 1 && keeper.takesStaying)
    let again = keeper.write(Self.change, bytes: 1)
    #expect(again.generation == 2 && keeper.takesStaying)
    _ = KeeperTests.turn(&keeper, at: 1002)
    #expect(!keeper.takesStaying && keeper.wakeAt == nil, "no other one before it is answered")
    keeper.failed(generation: 2)
    #expect(settled(KeeperTests.turn(&keeper, at: 1003)) == [[0, 1]] && !keeper.takesStaying)
    _ = KeeperTests.turn(&keeper, at: 2002)
    keeper.storedUpTo(keeper.write(Self.change, bytes: 1).number)
    #expect(settled(KeeperTests.turn(&keeper, at: 2003)) == [[1, 0]] && !keeper.isFailing && keeper.takesStaying)
  }

  @Test func whereNothingWaitsTheNextChangeFindsOut() {
    var keeper = KeeperTests.keeper()
    _ = KeeperTests.turn(&keeper, at: 1)
    _ = keeper.write(Self.change, bytes: 1)
    keeper.failed(generation: 1)
    _ = KeeperTests.turn(&keeper, at: 2)
    _ = KeeperTests.turn(&keeper, at: 1001)
    #expect(keeper.isFailing == true)
    _ = KeeperTests.turn(&keeper, at: 1002)
    #expect(keeper.isFailing == false)
  }
}
