/// The figures of one run, or the medians of several.
struct BenchRun {
  /// Messages or deliveries.
  var count: Double
  var seconds: Double
  var perSecond: Double
  /// Latencies in microseconds.
  var p50: Double
  var p99: Double
  var p999: Double
  /// The server's CPU time for each message or delivery; nil if its process is not known.
  var serverMicroseconds: Double?
  /// How much of one core each process used, 0…1.
  var serverShare: Double?
  var loadShare: Double

  /// The medians of each figure by itself.
  static func median(of runs: [BenchRun]) -> BenchRun {
    func median(_ figure: (BenchRun) -> Double) -> Double {
      let sorted = runs.map(figure).sorted()
      return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
    let knowsServer = runs.allSatisfy { $0.serverMicroseconds != nil }
    return BenchRun(
      count: median(\.count), seconds: median(\.seconds), perSecond: median(\.perSecond), p50: median(\.p50),
      p99: median(\.p99), p999: median(\.p999),
      serverMicroseconds: knowsServer ? median { $0.serverMicroseconds ?? 0 } : nil,
      serverShare: knowsServer ? median { $0.serverShare ?? 0 } : nil, loadShare: median(\.loadShare))
  }

  /// True if the load used its whole core and the server did not: the figures then measure the load, not the server.
  var isBoundByLoad: Bool { loadShare >= 0.95 && (serverShare.map { $0 < loadShare } ?? true) }
}
