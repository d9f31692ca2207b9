import FuzzKit
import Testing

@testable import BatonCore

/// How long a link's verdicts took.
@Suite struct ServiceTimesTests {
  @Test func knowsNothingBeforeTheFirst() {
    #expect(ServiceTimes().quantile(0.5) == nil)
  }

  /// The reported time is at least the true time, and at most an eighth more.
  @Test(arguments: [UInt64(1), 2, 3])
  func quantilesAreTrueToAnEighth(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var times = ServiceTimes()
    var all: [Int64] = []
    for _ in 0..<2000 {
      let microseconds = Int64.random(
        in: 0...(Int64(1) << Int64.random(in: 0...36, using: &generator)), using: &generator)
      times.record(microseconds: microseconds)
      all.append(microseconds)
    }
    all.sort()
    #expect(times.count == all.count)
    for share in [0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0] {
      let exact = Double(all[max(0, Int((Double(all.count) * share).rounded(.up)) - 1)])
      let told = times.quantile(share).map(Double.init) ?? -1
      #expect(told >= exact && told <= exact * 1.125, "\(share) of seed \(seed)")
    }
  }

  @Test func strangeTimesAreTaken() {
    var times = ServiceTimes()
    times.record(microseconds: -5)
    #expect(times.quantile(1) == 0)
    times.record(microseconds: .max)
    times.record(microseconds: .min)
    #expect(times.count == 3 && times.quantile(1) ?? 0 > 86_400_000_000)
  }
}
