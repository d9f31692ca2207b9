import Testing

@testable import baton

/// The quantiles of `baton bench` beside those of the sorted latencies.
@Suite struct LatencyCountsTests {
  @Test func areRightToAThousandth() {
    var counts = LatencyCounts()
    var latencies: [Int] = []
    for power in 0..<41 {
      for latency in [1 << power, (1 << power) + (1 << power) / 3, (2 << power) - 1] {
        counts.record(Int64(latency), times: 2)
        latencies += [latency, latency]
      }
    }
    latencies.sort()
    #expect(counts.count == latencies.count)
    for index in latencies.indices {
      let told = counts.quantile((Double(index) + 0.5) / Double(latencies.count))
      #expect(told >= latencies[index] && told - latencies[index] <= latencies[index] / 1000, "\(latencies[index])")
    }
  }

  @Test func haveAnEndOnBothSides() {
    var counts = LatencyCounts()
    #expect(counts.quantile(0.5) == 0)
    counts.record(-1, times: 1)
    #expect(counts.quantile(1) == 0)
    counts.record(.max, times: 1)
    #expect(abs(counts.quantile(1) - 3_600_000_000_000) < 4_000_000_000)
  }
}
