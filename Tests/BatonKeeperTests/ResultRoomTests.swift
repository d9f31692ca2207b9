import BatonKeeper
import BatonLasting
import Testing

/// What is kept of results and names, and that it is bounded.
@Suite struct ResultRoomTests {
  /// One message through the keeper, from its send to its end. Returns what was refused, and what was written of its end.
  private func carry(
    _ keeper: inout Keeper, _ ticket: UInt64, once: [UInt8]?, result: [UInt8], at now: UInt64
  ) -> (refusal: DurableRefusal?, written: [UInt8]?, told: [UInt8]?) {
    keeper.takeIn(KeeperTests.send(ticket, once: once))
    var (refusal, written, told): (DurableRefusal?, [UInt8]?, [UInt8]?)
    for _ in 0..<4 {
      for output in KeeperTests.turn(&keeper, at: now) {
        switch output {
        case .write(let write):
          if case .end(_, let result, _) = write.change { written = result.written }
          keeper.storedUpTo(write.number)
        case .begin(let attempt): keeper.tryEnded(attempt.stored, TryEnd(.handled, result: result))
        case .result(_, _, _, let bytes): told = bytes
        case .refused(_, let why): refusal = why
        default: break
        }
      }
    }
    return (refusal, written, told)
  }

  private let long = [UInt8](repeating: 7, count: 300)

  private func expectNothing(in keeper: inout Keeper, at location: SourceLocation = #_sourceLocation) {
    let figures = keeper.figures(of: nil)
    #expect(figures.bytes == 0 && figures.remembered == 0, sourceLocation: location)
  }

  @Test func aResultWithoutRoomIsCutShortAndToldWhole() {
    var keeper = KeeperTests.keeper { $0.storedBytes = 1000 }
    #expect(carry(&keeper, 1, once: [1], result: long, at: 2).written == long)
    #expect(keeper.figures(of: nil).bytes == 300)
    // It may have as much as is still free.
    _ = carry(&keeper, 2, once: [2], result: [UInt8](repeating: 7, count: 150), at: 3)
    let third = carry(&keeper, 3, once: [3], result: long, at: 4)
    #expect(third.written == [7] && third.told == long)
    #expect(keeper.figures(of: nil).bytes == 451)
    // They are forgotten after an hour, with their bytes.
    _ = KeeperTests.turn(&keeper, at: 3_700_000)
    expectNothing(in: &keeper)
  }

  @Test func aDiskWithoutRoomKeepsNoLongResults() {
    var keeper = KeeperTests.keeper { $0.freeBytes = 1000 }
    keeper.diskHasFree(bytes: 1200)
    #expect(carry(&keeper, 1, once: [1], result: long, at: 2).written == long)
    // What was written is taken off before anybody has looked.
    #expect(carry(&keeper, 2, once: [2], result: long, at: 3).refusal == .noRoom(.freeBytes))
    keeper.diskHasFree(bytes: 1001)
    #expect(carry(&keeper, 3, once: [3], result: long, at: 4).written == [7])
  }

  @Test func theDiskIsLookedAtUntilThereIsRoom() {
    var keeper = KeeperTests.keeper { $0.freeBytes = 1000 }
    func looks(at now: UInt64) -> Bool {
      KeeperTests.turn(&keeper, at: now).contains { if case .look = $0 { true } else { false } }
    }
    #expect(!looks(at: 2))
    keeper.diskHasFree(bytes: 10)
    #expect(looks(at: 3) && keeper.wakeAt == 1003)
    #expect(!looks(at: 500) && looks(at: 1003))
    keeper.diskHasFree(bytes: 1000)
    #expect(!looks(at: 3000) && keeper.wakeAt == nil)
  }

  @Test func resultsOfTriesCountAndGoWithTheirMessage() {
    var keeper = KeeperTests.keeper()
    keeper.takeIn(KeeperTests.send(1, tries: 9))
    var now: UInt64 = 2
    func fail(with result: [UInt8]) {
      for _ in 0..<6 {
        now += 700
        for output in KeeperTests.turn(&keeper, at: now) {
          switch output {
          case .write(let write): keeper.storedUpTo(write.number)
          case .load(let row):
            keeper.loaded(
              row, .content(DurableContent(head: [1], from: [], key: nil, payload: [1]), result: nil, resent: nil))
          case .begin(let attempt): keeper.tryEnded(attempt.stored, TryEnd(.failed, result: result))
          default: break
          }
        }
      }
    }
    fail(with: long)
    #expect(keeper.figures(of: nil).bytes == 302)
    fail(with: [7])
    #expect(keeper.figures(of: nil).bytes == 3)
  }

  @Test func namesHaveALimitAndNoneIsForgottenEarly() {
    var limits = KeeperLimits()
    limits.remembered = 2
    var keeper = KeeperTests.keeper { $0 = limits }
    #expect(carry(&keeper, 1, once: [1], result: [7], at: 2).refusal == nil)
    #expect(keeper.figures(of: nil).remembered == 1)
    #expect(carry(&keeper, 2, once: [2], result: [7], at: 3).refusal == .noRoom(.remembered))
    #expect(carry(&keeper, 3, once: nil, result: [7], at: 4).refusal == nil)
    keeper.takeIn(KeeperTests.send(4, once: [1]))
    #expect(KeeperTests.turn(&keeper, at: 5).contains { if case .accepted(4, _, true) = $0 { true } else { false } })
    limits.remembered = 4
    keeper.take(limits)
    #expect(carry(&keeper, 5, once: [5], result: [7], at: 6).refusal == nil)
    limits.remembered = 2
    keeper.take(limits)
    #expect(keeper.findings() == [.near(.remembered, used: 2, of: 2)])
    #expect(carry(&keeper, 6, once: [6], result: [7], at: 3_600_001).refusal == .noRoom(.remembered))
    _ = KeeperTests.turn(&keeper, at: 3_600_007)
    #expect(carry(&keeper, 7, once: [7], result: [7], at: 3_600_007).refusal == nil)
  }

  @Test func aStartCountsWhatIdentitiesLeft() {
    var limits = KeeperLimits()
    (limits.storedBytes, limits.remembered) = (1000, 4)
    var keeper = Keeper(
      limits: limits, start: .init(random: 5, 6), secret: Secret(high: 1, low: 2), seed: 3,
      results: ResultSpelling(shorten: { $0 }, damaged: { _, _ in [100] }, none: { _ in [110] }))
    keeper.begin(at: 1, wall: 1000)
    keeper.declared([DurableWindow(chain: [97], window: 4)])
    for (count, identity) in [(UInt64(1), UInt64(5)), (2, 6)] {
      var once = StoredOnce(
        name: Digest(high: 1, low: count), content: Digest(high: 2, low: 2),
        id: StoredID(start: .init(random: 1, 1), count: count), identity: Digest(high: 9, low: identity),
        rememberedMilliseconds: 5000, until: 3000)
      once.resultCount = 200
      keeper.restore(once)
    }
    keeper.open()
    #expect(keeper.figures(of: nil).bytes == 400 && keeper.figures(of: nil).remembered == 2)
    _ = KeeperTests.turn(&keeper, at: 2002)
    expectNothing(in: &keeper)
  }

  @Test func whatIsSentAgainWithMoreNeedsRoom() {
    var keeper = KeeperTests.keeper { $0.storedBytes = 1000 }
    keeper.takeIn(KeeperTests.send(1, tries: 1))
    var (name, answers): (StoredID?, [String]) = (nil, [])
    func carry(at now: UInt64) {
      for _ in 0..<4 {
        for output in KeeperTests.turn(&keeper, at: now) {
          switch output {
          case .write(let write): keeper.storedUpTo(write.number)
          case .load(let row):
            keeper.loaded(
              row, .content(DurableContent(head: [1], from: [], key: nil, payload: [1]), result: nil, resent: nil))
          case .begin(let attempt): keeper.tryEnded(attempt.stored, TryEnd(.unhandled, result: [7]))
          case .died(let id, _, _): name = id
          case .refused(_, let why): answers.append("\(why)")
          case .done: answers.append("done")
          default: break
          }
        }
      }
    }
    carry(at: 2)
    guard let id = name else {
      Issue.record("no dead letter")
      return
    }
    keeper.resend(id, ticket: 2, payload: [UInt8](repeating: 1, count: 999), from: nil)
    carry(at: 3)
    keeper.resend(id, ticket: 3, payload: [UInt8](repeating: 1, count: 500), from: nil)
    carry(at: 4)
    #expect(answers == ["\(DurableRefusal.noRoom(.bytes))", "done"])
  }
}
