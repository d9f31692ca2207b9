/// Stops the offers of a link to one connection after several consecutive offers timed out. Later it lets one message
/// through to try the handler again (contract, section 6, `breaker`). It has no clock and no settings: the caller
/// passes them in.
struct Breaker {
  /// Consecutive timed-out offers that count, while the breaker is closed.
  private var timeouts = 0
  /// When one message may try the handler; nil while the breaker is closed.
  private var until: Instant?
  /// When the breaker opened; nil while it is closed.
  private(set) var openedAt: Instant?
  /// Whether the message that tries the handler is on offer. Only an open breaker has one.
  private var isProbing = false

  /// Whether an offer may be made now.
  @inline(__always)
  func lets(at now: Instant) -> Bool {
    guard let until else { return true }
    return !isProbing && until <= now
  }

  /// An offer was made. If the breaker is open, this offer tries the handler.
  @inline(__always)
  mutating func offered() {
    if until != nil { isProbing = true }
  }

  /// A verdict has come: the breaker closes. Returns true if it was open.
  @inline(__always)
  mutating func answered() -> Bool {
    let wasOpen = until != nil
    self = Breaker()
    return wasOpen
  }

  /// An offer was taken back before it was answered, which says nothing of the handler. If it was the one that tries the
  /// handler, the next one does.
  @inline(__always)
  mutating func withdrawn() { isProbing = false }

  /// An offer timed out. It `counts` if it had the link's own full time, or long enough. The breaker opens after `most`
  /// consecutive offers that count. If the handler was being tried, the breaker stays open until `later`. Returns true
  /// if the breaker opens now and was closed before.
  mutating func timedOut(counts: Bool, most: Int, at now: Instant, until later: Instant) -> Bool {
    let wasOpen = until != nil
    if isProbing {
      isProbing = false
      until = later
    } else if counts, until == nil {
      timeouts += 1
      if timeouts >= most {
        until = later
        openedAt = now
      }
    }
    return !wasOpen && until != nil
  }
}
