/// Counts how often something happens: in total and in the last full second.
struct Rate {
  private(set) var total = 0
  /// The count of the current second, and the count of the second before it.
  private var current = 0
  private var previous = 0
  /// The end of the current second, in microseconds of the caller's clock.
  private var end = Int64.min

  /// Counts one more at `now`.
  @inline(__always)
  mutating func count(at now: Instant) {
    if now.microseconds >= end { turn(to: now) }
    total += 1
    current += 1
  }

  /// The count of the last full second.
  mutating func perSecond(at now: Instant) -> Int {
    if now.microseconds >= end { turn(to: now) }
    return previous
  }

  /// Begins the second that contains `now`.
  @inline(never)
  private mutating func turn(to now: Instant) {
    let second: Int64 = 1_000_000
    previous = end != .min && now.microseconds - end < second ? current : 0
    current = 0
    end = now.microseconds - now.microseconds % second + second
  }
}
