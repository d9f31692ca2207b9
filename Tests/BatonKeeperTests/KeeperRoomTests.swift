import BatonKeeper
import Testing

/// What the keeper takes in, and when it has no room.
@Suite struct KeeperRoomTests {
  private func refusal(_ keeper: inout Keeper, at now: UInt64) -> KeeperRefusal? {
    keeper.takeIn(KeeperTests.send(now))
    for output in KeeperTests.turn(&keeper, at: now) {
      if case .refused(_, let refusal) = output { return refusal }
    }
    return nil
  }

  @Test func nothingIsTakenInWhereTheDiskHasTooLittleFree() {
    var limits = KeeperLimits()
    limits.freeBytes = 1000
    var keeper = KeeperTests.keeper(limits)
    keeper.diskHasFree(bytes: 1000)
    #expect(refusal(&keeper, at: 2) == nil)
    keeper.diskHasFree(bytes: 999)
    #expect(refusal(&keeper, at: 3) == .storeFull)
    #expect(keeper.findings() == [.freeBytes(999, atLeast: 1000)])
    keeper.diskHasFree(bytes: 5000)
    #expect(refusal(&keeper, at: 4) == nil)
  }

  @Test func otherLimitsHoldFromThenOn() {
    var keeper = KeeperTests.keeper()
    #expect(refusal(&keeper, at: 2) == nil)
    var limits = KeeperLimits()
    limits.storedMessages = 1
    keeper.take(limits)
    #expect(refusal(&keeper, at: 3) == .storeFull)
    #expect(keeper.figures(of: [97]).messages == 1)
  }

  @Test func aWiderWindowLetsMoreBegin() {
    var keeper = KeeperTests.keeper()
    keeper.changed(KeptChain(name: [97], window: 1))
    for ticket in UInt64(1)...3 { keeper.takeIn(KeeperTests.send(ticket)) }
    func begun(at now: UInt64) -> Int {
      var begun = 0
      for _ in 0..<4 {
        for output in KeeperTests.turn(&keeper, at: now) {
          switch output {
          case .write(let write): keeper.storedUpTo(write.number)
          case .load(let row):
            keeper.loaded(row, .content(Content(head: [1], from: [], key: nil, payload: [1]), result: nil, resent: nil))
          case .begin: begun += 1
          default: break
          }
        }
      }
      return begun
    }
    #expect(begun(at: 2) == 1)
    #expect(keeper.figures(of: [97]).due == 2)
    keeper.changed(KeptChain(name: [97], window: 3))
    #expect(begun(at: 3) == 2)
    #expect(keeper.figures(of: [97]).underWay == 3)
  }
}
