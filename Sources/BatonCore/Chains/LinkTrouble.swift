/// The last failure of a link, and what was told of its failures. It knows times and words only.
final class LinkTrouble {
  var cause = Cause.failed
  /// What the handler said, as a JSON string; empty if it said nothing.
  var message = OwnedBytes()
  /// The number of the message that failed.
  var walk = 0
  var at = Instant(microseconds: 0)
  /// When a failure was announced last; nil before the first time.
  private var toldAt: Instant?
  /// The failures since then.
  private var untold = 0

  /// How many failures may be told now, this one included; nil if it is too early.
  func takeUntold(at now: Instant) -> Int? {
    untold += 1
    if let toldAt, now < toldAt.advanced(milliseconds: 1000) { return nil }
    toldAt = now
    defer { untold = 0 }
    return untold
  }
}
