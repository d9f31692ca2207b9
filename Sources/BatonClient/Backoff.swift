/// How long to wait before the next attempt to connect. The wait is random (full jitter), so that the clients of a
/// server that comes back do not all come at once.
package struct Backoff {
  /// The ceiling of the first wait. Each next wait doubles it.
  var first: Duration = .milliseconds(50)
  /// The highest ceiling.
  var most: Duration = .seconds(5)
  /// The wait after another peer has closed the connection: somebody wanted this client to be gone for a while.
  private static let afterClosing: Duration = .seconds(5)
  private var attempts = 0

  package init() {}

  /// The next wait: a random time between zero and the ceiling.
  package mutating func next() -> Duration {
    let ceiling = min(first.milliseconds << min(attempts, 20), most.milliseconds)
    attempts += 1
    return .milliseconds(Int.random(in: 0...ceiling))
  }

  /// The next wait after the server has said with this code why it closes.
  mutating func next(after code: String?) -> Duration {
    if code == "closed_by_peer" { return Backoff.afterClosing }
    let wait = next()
    // The client is somebody else now, and welcome. If that goes on and on, it waits.
    return code == "identity_changed" && attempts == 1 ? .zero : wait
  }

  /// The client is open: the next wait is a first one again.
  package mutating func succeeded() { attempts = 0 }
}
