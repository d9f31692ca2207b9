/// A point on the caller's monotonic clock.
///
/// The core has no clock of its own. Every call through the door says what time it is. Only differences between
/// instants matter.
public struct Instant: BitwiseCopyable, Comparable, Hashable, Sendable {
  /// Microseconds since a start that the caller chose.
  public var microseconds: Int64

  /// The instant that is `microseconds` after the start of the clock.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// The instant `milliseconds` later than this one.
  public func advanced(milliseconds: Int) -> Instant {
    Instant(microseconds: microseconds &+ Int64(milliseconds) &* 1000)
  }

  /// The instant `microseconds` later than this one.
  public func advanced(microseconds more: Int) -> Instant { Instant(microseconds: microseconds &+ Int64(more)) }

  /// Whole milliseconds from `earlier` to this instant, rounded down. The result is negative if `earlier` is the later
  /// one.
  public func milliseconds(since earlier: Instant) -> Int {
    let difference = microseconds &- earlier.microseconds
    return Int(difference >= 0 ? difference / 1000 : (difference - 999) / 1000)
  }

  /// Orders instants by time.
  public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }
}
