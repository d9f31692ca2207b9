/// How long to wait before the next attempt to connect. The wait is random (full jitter), so that the clients of a
/// server that comes back do not all come at once. It begins anew once a connection has stood for a while: a server that
/// welcomes and closes is not asked again and again.
package struct Backoff: Sendable {
  /// The ceiling of the first wait. Each next wait doubles it.
  var first: Duration = .milliseconds(50)
  /// The highest ceiling.
  var most: Duration = .seconds(5)
  /// The wait after another peer has closed the connection: somebody wanted this client to be gone for a while.
  private static let afterClosing: Duration = .seconds(5)
  /// Chance, from 0 to a ceiling; and the clock.
  var chance: @Sendable (Int) -> Int = { .random(in: 0...$0) }
  var now: @Sendable () -> ContinuousClock.Instant = { .now }
  private var attempts = 0
  /// Since when the client is open.
  private var opened: ContinuousClock.Instant?

  package init() {}

  /// The next wait: a random time between zero and the ceiling.
  package mutating func next() -> Duration {
    let ceiling = min(first.milliseconds << min(attempts, 20), most.milliseconds)
    attempts += 1
    return .milliseconds(chance(ceiling))
  }

  /// The next wait after the connection is lost, and the server has said with this code why. There is none while there are
  /// others (`hasMore`).
  mutating func next(after code: String?, hasMore: Bool = false) -> Duration {
    if let opened, now() - opened >= most { succeeded() }
    opened = nil
    if code == "closed_by_peer" { return Backoff.afterClosing }
    if hasMore { return .zero }
    let wait = next()
    // The client is somebody else now, and welcome. If that goes on and on, it waits.
    return code == "identity_changed" && attempts == 1 ? .zero : wait
  }

  /// The client is open.
  mutating func open() { opened = now() }

  /// What was waited for goes: the next wait is a first one again.
  package mutating func succeeded() { attempts = 0 }
}
