/// How far an identity is ahead of the messages a second that it may send (contract, section 11, `Limits of an identity`).
/// It is the generic cell rate algorithm (ITU-T I.371, virtual scheduling): one number, and no look at a clock between.
struct SendingRate: BitwiseCopyable {
  /// When all that was sent is paid, in nanoseconds of the server's clock.
  private var paidAt = Int64.min

  /// Takes one message. Returns nil, or how many microseconds are left until it may be taken.
  mutating func take(_ perSecond: Int, burst: Int, at now: Instant) -> Int? {
    let step = 1_000_000_000 / Int64(perSecond)
    let time = now.microseconds * 1000
    let start = max(paidAt, time)
    let early = start - time - step * Int64(burst - 1)
    if early > 0 { return Int((early + 999) / 1000) }
    paidAt = start + step
    return nil
  }

  /// When all that was sent is paid, if that is later than `now`.
  func debtEnds(after now: Instant) -> Instant? {
    paidAt > now.microseconds * 1000 ? Instant(microseconds: (paidAt + 999) / 1000) : nil
  }
}
