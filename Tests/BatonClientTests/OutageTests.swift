import Synchronization
import Testing

@testable import BatonClient

/// What people are told of the time without a connection (Docs/build-a-client.md, duty 43).
@Suite struct OutageTests {
  /// The time at which the outages of these tests begin.
  private static let began = "2026-11-30T03:12:07Z"

  /// How much time the tests have let pass.
  private final class Passed: Sendable {
    private let time = Mutex(Duration.zero)
    var value: Duration { time.withLock { $0 } }
    func pass(_ more: Duration) { time.withLock { $0 += more } }
  }

  private static func outage(_ passed: Passed) -> Outage {
    let start = ContinuousClock.now
    var outage = Outage("h:1")
    outage.now = { start + passed.value }
    outage.clock = { 1_796_008_327 + Int(passed.value.components.seconds) }
    return outage
  }

  @Test func attemptsAreCountedAndNotTold() {
    let passed = Passed()
    var outage = Self.outage(passed)
    #expect(outage.opened() == "connected to h:1")
    #expect(outage.stood() == nil)
    #expect(outage.lost("gone") == "not connected to h:1: gone; trying again since \(Self.began)")
    var told: [String] = []
    for _ in 0..<15_000 {
      passed.pass(.seconds(2))
      if let line = outage.lost("refused") { told.append(line) }
    }
    #expect(told == ["not connected to h:1: refused; trying again since \(Self.began)"])
    #expect(outage.opened() == "connected to h:1 after 8 h 20 min and 15001 attempts")
    #expect(outage.stood() == nil)
  }

  @Test func eachReasonIsToldOnceAsLongAsThereAreFew() {
    var outage = Self.outage(Passed())
    let reasons = ["refused", "no answer", "refused", "no answer"] + (0..<100).map { "full (\($0))" }
    let told = reasons.compactMap { outage.lost($0) }
    #expect(told.count == Outage.mostReasons)
    #expect(told[1] == "not connected to h:1: no answer; trying again since \(Self.began) (2 attempts)")
    _ = outage.opened()
    _ = outage.stood()
    #expect(outage.lost("refused")?.contains(": refused; ") == true)
  }

  @Test func aServerThatWelcomesAndClosesIsToldOfUntilAConnectionStands() {
    let passed = Passed()
    var outage = Self.outage(passed)
    var told: [String] = []
    for _ in 0..<10_000 {
      told += [outage.opened(), outage.lost("closed")].compactMap { $0 }
      passed.pass(.seconds(2))
    }
    let lost = "not connected to h:1: closed; trying again since \(Self.began)"
    #expect(
      told == [
        "connected to h:1", lost, "connected to h:1 after 2 s and 1 attempt",
        lost + "; it comes and goes: a connection is told once it has stood for 5 s",
      ])
    #expect(outage.opened() == nil)
    #expect(outage.stood() == "connected to h:1 after 5 h 33 min and 10000 attempts")
    #expect(outage.lost("closed")?.contains("comes and goes") == false)
  }

  @Test(arguments: [
    (410, "410 ms"), (1000, "1 s"), (59_900, "59 s"), (60_000, "1 min 0 s"), (3_599_000, "59 min 59 s"),
    (3_600_000, "1 h 0 min"), (29_520_000, "8 h 12 min"), (90_000_000, "1 d 1 h"),
  ])
  func timesForPeople(milliseconds: Int, words: String) {
    #expect(span(.milliseconds(milliseconds)) == words)
  }
}
