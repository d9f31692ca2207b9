/// How long to wait before the next attempt to connect: full jitter, so that the clients of a server that comes back do
/// not come all at once.
package struct Backoff {
  /// The ceiling of the first wait; each following one doubles it.
  var first: Duration = .milliseconds(50)
  /// What no wait exceeds.
  var most: Duration = .seconds(5)
  private var attempts = 0

  package init() {}

  /// The next wait: anything between nothing and the ceiling.
  package mutating func next() -> Duration {
    let ceiling = min(first.milliseconds << min(attempts, 20), most.milliseconds)
    attempts += 1
    return .milliseconds(Int.random(in: 0...ceiling))
  }

  /// A connection stands: the next loss begins anew.
  package mutating func succeeded() { attempts = 0 }
}
