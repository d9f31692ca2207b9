import FuzzKit
import Testing

@testable import BatonCore

/// The last minutes of links (contract, section 8, `History`).
@Suite struct HistoryTests {
  /// Random counts in random samples: what is told is what was counted in each sample of the last ten minutes.
  @Test(arguments: [UInt64(1), 2, 3, 4])
  func samplesAreWhatWasCountedInThem(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var counts = Link.Counts()
    var times = ServiceTimes()
    var history = History(of: .nobody, in: 0, counts, times)
    var known: [Int: (offers: Int, handled: Int, times: [Int64])] = [:]
    var now = 0
    for _ in 0..<400 {
      now += Int.random(in: 0...20, using: &generator) == 0 ? 30 : Int.random(in: 0...2, using: &generator)
      history.begin(now, counts, &times)
      var sample = known[now] ?? (0, 0, [])
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let microseconds = Int64.random(in: 0...1_000_000, using: &generator)
        times.record(microseconds: microseconds)
        counts.offers += 1
        counts.count(.handled)
        sample = (sample.offers + 1, sample.handled + 1, sample.times + [microseconds])
      }
      known[now] = sample
      let later = now + Int.random(in: 0...8, using: &generator)
      let told = history.told(in: later, counts, times)
      let right = known.keys.filter { $0 < later && $0 >= later - 60 }.sorted()
      #expect(told.map(\.number) == right)
      for one in told {
        let high = Self.quantile(0.99, known[one.number]?.times ?? [])
        let handled = known[one.number]?.handled ?? 0
        #expect(one.tallies[.handled] == UInt32(handled) && one.high == high, "sample \(one.number)")
      }
      let minute = history.lastMinute(in: later, times)
      let recent = known.filter { $0.key >= later - 6 }.flatMap(\.value.times)
      #expect(minute?.median == Self.quantile(0.5, recent) && minute?.high == Self.quantile(0.99, recent))
    }
  }

  private static func quantile(_ share: Double, _ microseconds: [Int64]) -> Int? {
    var times = ServiceTimes()
    for one in microseconds { times.record(microseconds: one) }
    return times.quantile(share)
  }

  private func inspect(_ stage: Stage) -> String {
    stage.say("sender", #"{"op":"inspect","server":true,"history":true}"#)
    return stage.hear("sender").joined()
  }

  private func pass(_ topic: String, _ stage: Stage) {
    stage.say("sender", #"{"op":"send","topic":"\#(topic)","reply":false}"#)
    stage.say("handler", #"{"op":"handled"}"#)
    stage.hear("handler")
  }

  /// A sample ends exactly after ten seconds of the server's life, whenever it began at the link.
  @Test func samplesBeginAtWholeMultiplesOfTenSeconds() {
    let stage = Stage()
    stage.open("handler", "sender")
    stage.say("handler", #"{"op":"insert","handler":"h","reply":false}"#)
    stage.advance(milliseconds: 9_999)
    pass("t", stage)
    #expect(!inspect(stage).contains(#""history":"#))
    stage.advance(milliseconds: 1)
    #expect(inspect(stage).contains(#""history":[{"ago_ms":0,"messages":1,"handled":1,"p99_us":0}]"#))
    pass("t", stage)
    stage.advance(milliseconds: 10_005)
    #expect(inspect(stage).contains(#""history":[{"ago_ms":10005,"messages":1,"handled":1,"p99_us":0},{"ago_ms":5,"#))
  }

  /// With many links, no more than `max_histories` have one. Who has been counted lately keeps it. Nothing is left.
  @Test func thereAreNeverMoreHistoriesThanAllowed() {
    let stage = Stage(Stage.settings { $0.maxHistories = 5 })
    stage.open("handler", "sender")
    for number in 0..<20 {
      stage.say("handler", #"{"op":"insert","handler":"h\#(number)","accepts":["t\#(number)"],"reply":false}"#)
    }
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      pass("t0", stage)
      for _ in 0..<3 { pass("t\(Int.random(in: 1..<20, using: &generator))", stage) }
      stage.advance(milliseconds: Int.random(in: 1...9000, using: &generator))
      #expect((stage.census["histories"] ?? 0) <= 5)
    }
    stage.advance(milliseconds: 10_000)
    let line = inspect(stage)
    #expect(line.contains(/"handler":"h0"[^}]*"history":/))
    #expect(line.matches(of: /"history":/).count <= 6)
    stage.closeAll()
    #expect(stage.census.isEmpty)
  }

  /// The whole line of a link whose samples are all there and as long as they can be fits where it is written.
  @Test func sixtySamplesAreTold() throws {
    let stage = Stage()
    stage.open("handler", "sender")
    stage.say("handler", #"{"op":"insert","handler":"h","reply":false}"#)
    for _ in 0..<70 {
      pass("t", stage)
      stage.say("sender", #"{"op":"send","topic":"t","reply":false,"timeout_ms":50}"#)
      stage.advance(milliseconds: 10_000)
      stage.say("handler", #"{"op":"reject"}"#)
      stage.hear("handler")
      stage.hear("sender")
    }
    let line = inspect(stage)
    #expect(line.matches(of: /"ago_ms":\d+,"messages":/).count == 120)
    #expect(line.contains(#"{"ago_ms":590000,"messages":2,"handled":1,"timeout":1,"p99_us":0}"#))
  }
}
