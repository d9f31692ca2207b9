internal import UV

/// Pings a server that has been silent for two heartbeats, and calls `lost` after four, unless a reply is awaited: the
/// deadlines of calls end them, and a server may be slow. It lives on the thread of the loop.
final class Heartbeat {
  private let interval: Duration
  private let connection: Connection
  private let lost: (String) -> Void
  private let isAwaited: () -> Bool
  /// Whether a reply was awaited when it looked last: what was said at its end still has to be written.
  private var wasAwaited = false
  private var timer: Timer?

  init(
    _ interval: Duration, on loop: Loop, of connection: Connection, isAwaited: @escaping () -> Bool,
    lost: @escaping (String) -> Void
  ) throws(UVError) {
    self.interval = interval
    self.connection = connection
    self.lost = lost
    self.isAwaited = isAwaited
    timer = try Timer(on: loop) { [weak self] in self?.look() }
    set()
  }

  /// The connection is gone.
  func stop() { timer?.close() }

  private func set() {
    timer?.set(microseconds: MonotonicClock.microseconds + Int64(interval.milliseconds) * 1000)
  }

  private func look() {
    let silence = ContinuousClock.now - connection.lastHeard
    let isAwaited = isAwaited()
    defer { wasAwaited = isAwaited }
    if silence >= interval * 4, !isAwaited, !wasAwaited {
      return lost("the server has been silent for \((silence.milliseconds + 500) / 1000) s")
    }
    if silence >= interval * 2 { connection.tell(RequestLine("ping")) }
    set()
  }
}
