import BatonKeeper
import BatonLasting
import Testing

/// Tries that do not count, and how many of them there are.
@Suite struct StallingTests {
  private static let link = DeclaredPlace(chain: [97], name: [98])

  /// Lets time pass until `end`; each try passes the link, and does not count, unless all are `handled`. `each` is asked at
  /// every step. Returns when tries began.
  private func tries(
    _ keeper: inout Keeper, until end: UInt64, step: UInt64, counts: (Int) -> Bool = { _ in false },
    isOffered: Bool = false, areHandled: Bool = false,
    each: (inout Keeper, UInt64) -> Void = { _, _ in }
  ) -> [UInt64] {
    var begun: [UInt64] = []
    for now in stride(from: UInt64(2), through: end, by: Int(step)) {
      each(&keeper, now)
      var outputs = KeeperTests.turn(&keeper, at: now)
      while !outputs.isEmpty {
        for output in outputs {
          switch output {
          case .write(let write): keeper.storedUpTo(write.number)
          case .load(let row):
            keeper.loaded(
              row, .content(DurableContent(head: [1], from: [], key: nil, payload: [1]), result: nil, resent: nil))
          case .begin(let attempt):
            begun.append(now)
            let isCounted = areHandled || counts(begun.count)
            var end = TryEnd(
              areHandled ? .handled : .unhandled, result: [1], counts: isCounted, passed: isCounted ? [] : [Self.link])
            end.wasOffered = isCounted || isOffered
            keeper.tryEnded(attempt.stored, end)
          default: break
          }
        }
        outputs = KeeperTests.turn(&keeper, at: now)
      }
    }
    return begun
  }

  private func send(_ ticket: UInt64, retry: UInt32) -> DurableMessage {
    var send = KeeperTests.send(ticket, tries: 100)
    send.rules = TryRules(
      tries: 100, retryMilliseconds: retry, timeoutMilliseconds: 100, expiresMilliseconds: 604_800_000)
    return send
  }

  @Test func theTimeBetweenThemGrowsToTenMinutes() {
    var keeper = KeeperTests.keeper()
    keeper.takeIn(send(1, retry: 1))
    // Two hours: about twenty times twice as long, and then one in ten minutes.
    let begun = tries(&keeper, until: 7_200_000, step: 500)
    #expect((20...40).contains(begun.count))
    let last = begun[begun.count - 1] - begun[begun.count - 2]
    #expect((600_000...660_200).contains(last))
  }

  @Test func itBeginsAnewAfterATryThatCounts() {
    var keeper = KeeperTests.keeper()
    keeper.takeIn(send(1, retry: 1000))
    let begun = tries(&keeper, until: 40_000, step: 10, counts: { $0 == 5 })
    // 0, 1, 3, 7, 15 s; that one counts: then 1 s, and 1, 2, 4 s again.
    let gaps = zip(begun.dropFirst(), begun).map { ($0 - $1 + 90) / 1000 }
    #expect(gaps.prefix(4) == [1, 2, 4, 8])
    #expect(gaps.dropFirst(4).prefix(4) == [1, 1, 2, 4])
  }

  @Test func aLinkThatComesAndGoesCausesFewTries() {
    var keeper = KeeperTests.keeper()
    keeper.takeIn(send(1, retry: 600_000))
    // It comes twenty times a second, for half an hour.
    let begun = tries(&keeper, until: 1_800_000, step: 50, each: { keeper, _ in keeper.linkServed(Self.link) })
    #expect((10...20).contains(begun.count))
    #expect(begun[1] - begun[0] <= 50)
  }

  @Test func whatWaitsForLongDoesNotLetOthersWait() {
    var keeper = KeeperTests.keeper()
    keeper.takeIn(send(1, retry: 600_000))
    _ = tries(&keeper, until: 50, step: 10)
    keeper.takeIn(send(2, retry: 20))
    // Each step begins at the time 2 again, which does not go back for the keeper.
    #expect(tries(&keeper, until: 1000, step: 10).count >= 4)
  }

  @Test func manyAreTriedOneAfterTheOther() {
    var keeper = KeeperTests.keeper()
    for ticket in UInt64(1)...40 { keeper.takeIn(send(ticket, retry: 100)) }
    // Within a second each is tried at once, and then a hundred of all.
    let begun = tries(&keeper, until: 1002, step: 1)
    #expect((100...145).contains(begun.count))
  }

  /// A link that is away and not needed does not keep others from what is theirs.
  @Test func whatAHandlerHadIsTriedAtItsOwnTime() {
    var keeper = KeeperTests.keeper()
    keeper.changed(DurableWindow(chain: [97], window: 64))
    for ticket in UInt64(1)...40 { keeper.takeIn(send(ticket, retry: 100)) }
    let begun = tries(&keeper, until: 1002, step: 1, isOffered: true)
    // At once, and about 100, 300 and 700 ms later.
    #expect(begun.count == 160)
    #expect(begun[40..<80].allSatisfy { (100...120).contains($0) })
  }

  /// A handler that comes and goes at once takes few messages with it; what is left is tried when it stays.
  @Test func aLinkThatGoesAtOnceHasCausedFewTries() {
    var keeper = KeeperTests.keeper()
    for ticket in UInt64(1)...400 { keeper.takeIn(send(ticket, retry: 600_000)) }
    let once = tries(&keeper, until: 100, step: 2)
    #expect(once.count == 400)
    // It comes twenty times within a second, and is gone before the first try.
    let vain = tries(&keeper, until: 1100, step: 2, each: { if $1 % 50 == 0 { $0.linkServed(Self.link) } })
    #expect((20...200).contains(vain.count))
    keeper.linkServed(Self.link)
    let ended = tries(&keeper, until: 1600, step: 2, areHandled: true)
    #expect(ended.count >= 400 - vain.count)
  }

  /// A handler comes, goes, and is back within a second: what it has caused waits a second, and is not put off after that.
  @Test func whatALinkCausesLaterIsNotPutOff() {
    var keeper = KeeperTests.keeper()
    keeper.changed(DurableWindow(chain: [97], window: 64))
    for ticket in UInt64(1)...40 { keeper.takeIn(send(ticket, retry: 600_000)) }
    let begun = tries(
      &keeper, until: 1600, step: 2, each: { if $1 == 100 || $1 == 300 { $0.linkServed(Self.link) } })
    #expect(begun.count == 120)
    #expect(begun[40...].prefix(40).allSatisfy { $0 <= 104 })
    #expect(begun[80...].allSatisfy { (1100...1104).contains($0) })
  }

  /// Its own time comes before that of the link: it is tried then, and the others of its chain with it.
  @Test func whatComesByItselfAfterALinkIsNotPutOff() {
    var keeper = KeeperTests.keeper()
    keeper.changed(DurableWindow(chain: [97], window: 64))
    for ticket in UInt64(1)...40 { keeper.takeIn(send(ticket, retry: 200)) }
    let begun = tries(
      &keeper, until: 700, step: 2, each: { if $1 == 100 || $1 == 140 { $0.linkServed(Self.link) } })
    // At once, by the link, and between 500 and 540 ms, which is twice the time after the first.
    #expect(begun.count == 120)
    #expect(begun[80...].allSatisfy { (500...545).contains($0) })
  }
}
