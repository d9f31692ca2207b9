import Histogram
import UV

/// Counts what comes back while the measurement runs, how long it took, and what it cost both processes.
final class LoadMeter {
  private var latencies = Histogram<UInt64>(highestTrackableValue: 3_600_000_000_000)
  private let server: ProcessorClock?
  private var isRunning = false
  private var started = Reading()
  private var stopped = Reading()
  // What came back in one read was often sent in one write: such latencies are recorded together.
  private var latency: Int64 = 0
  private var repeats: UInt64 = 0
  private var recorded = 0

  /// What the clocks say, in nanoseconds.
  private struct Reading {
    var time: Int64 = 0
    var load: Int64 = 0
    var server: Int64?
  }

  init(server: ProcessorClock?) { self.server = server }

  /// What has come back since `start`.
  var count: Int { recorded + Int(repeats) }

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
    if repeats > 0 { latencies.record(UInt64(clamping: latency), count: repeats) }
    recorded += Int(repeats)
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
    func quantile(_ percent: Double) -> Double { Double(latencies.valueAtPercentile(percent)) / 1000 }
    return BenchRun(
      count: Double(recorded), seconds: seconds, perSecond: Double(recorded) / seconds,
      p50: quantile(50), p99: quantile(99), p999: quantile(99.9),
      serverMicroseconds: serverSeconds.map { $0 * 1e6 / Double(max(recorded, 1)) },
      serverShare: serverSeconds.map { $0 / seconds },
      loadShare: Double(stopped.load - started.load) / 1e9 / seconds)
  }
}
