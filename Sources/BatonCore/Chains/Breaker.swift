/// Leaves a handler alone that lets offer after offer run out, and tries it again with one message (contract,
/// section 6, `breaker`).
struct Breaker {
  private var timeouts = 0
  private var until: Instant?
  /// Whether the one message that tries it is on offer.
  private var isProbing = false

  /// Whether an offer may be made now.
  @inline(__always)
  func lets(at now: Instant) -> Bool {
    guard let until else { return true }
    return !isProbing && until <= now
  }

  /// An offer is made.
  @inline(__always)
  mutating func offered() {
    if until != nil { isProbing = true }
  }

  /// A verdict has come: all is well. True where it was not so before.
  @inline(__always)
  mutating func answered() -> Bool {
    let wasOpen = until != nil
    self = Breaker()
    return wasOpen
  }

  /// An offer has run out; it `counts` where it had its fair time. The one that probed opens the breaker anew, as do
  /// `most` running that count. True where it opens now and was closed.
  mutating func timedOut(counts: Bool, most: Int, until later: Instant) -> Bool {
    let wasOpen = until != nil
    if isProbing {
      isProbing = false
      until = later
    } else if counts, until == nil {
      timeouts += 1
      if timeouts >= most { until = later }
    }
    return !wasOpen && until != nil
  }
}
