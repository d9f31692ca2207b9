import UV

/// Counts what comes back while the measurement runs, how long it took, and what it cost both processes.
final class LoadMeter {
  private var latencies = LatencyCounts()
  private let server: ProcessorClock?
  private var isRunning = false
  private var started = Reading()
  private var stopped = Reading()
  // What came back in one read was often sent in one write: such latencies are recorded together.
  private var latency: Int64 = 0
  private var repeats = 0

  /// What the clocks say, in nanoseconds.
  private struct Reading {
    var time: Int64 = 0
    var load: Int64 = 0
    var server: Int64?
  }

  init(server: ProcessorClock?) { self.server = server }

  /// What has come back since `start`.
  var count: Int { latencies.count + repeats }

  /// Something came back after so many nanoseconds.
  @inline(__always)
  func record(_ nanoseconds: Int64) {
    if nanoseconds == latency, isRunning {
      repeats += 1
    } else if isRunning {
      recordRepeats()
      latency = nanoseconds
      repeats = 1
    }
  }

  private func recordRepeats() {
    latencies.record(latency, times: repeats)
    repeats = 0
  }

  func start() {
    isRunning = true
    started = reading()
  }

  func stop() {
    stopped = reading()
    recordRepeats()
    isRunning = false
  }

  private func reading() -> Reading {
    Reading(
      time: MonotonicClock.nanoseconds, load: ProcessorClock.own.nanoseconds ?? 0, server: server?.nanoseconds)
  }

  /// The figures between `start` and `stop`.
  var result: BenchRun {
    let seconds = Double(stopped.time - started.time) / 1e9
    var serverSeconds: Double?
    if let first = started.server, let last = stopped.server { serverSeconds = Double(last - first) / 1e9 }
    func quantile(_ share: Double) -> Double { Double(latencies.quantile(share)) / 1000 }
    return BenchRun(
      count: Double(count), seconds: seconds, perSecond: Double(count) / seconds,
      p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999),
      serverMicroseconds: serverSeconds.map { $0 * 1e6 / Double(max(count, 1)) },
      serverShare: serverSeconds.map { $0 / seconds },
      loadShare: Double(stopped.load - started.load) / 1e9 / seconds)
  }
}
