/// Counts what happens, in all and in the last full second.
struct Rate {
  private(set) var total = 0
  private var current = 0
  private var previous = 0
  /// When the second that `current` counts is over, in microseconds.
  private var end = Int64.min

  /// Counts one.
  @inline(__always)
  mutating func count(at now: Instant) {
    if now.microseconds >= end { turn(to: now) }
    total += 1
    current += 1
  }

  /// How many there were in the last full second.
  mutating func perSecond(at now: Instant) -> Int {
    if now.microseconds >= end { turn(to: now) }
    return previous
  }

  @inline(never)
  private mutating func turn(to now: Instant) {
    let second: Int64 = 1_000_000
    previous = end != .min && now.microseconds - end < second ? current : 0
    current = 0
    end = now.microseconds - now.microseconds % second + second
  }
}
