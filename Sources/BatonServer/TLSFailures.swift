internal import BatonCore

/// Counts what went wrong with encryption, by reason and address: each is told once a minute. It is bounded: a flood from
/// many addresses is told as one.
struct TLSFailures {
  private var toldAt: [String: Instant] = [:]
  private var untold: [String: Int] = [:]
  private var emptiedAt: Instant?
  private static let most = 1000
  private static let pauseMilliseconds = 60_000

  /// Counts a failure. Returns how many there were since they were told last; nil if they are told later.
  mutating func count(_ reason: String, of peer: String, at now: Instant) -> Int? {
    // The port differs from one connection to the next.
    let host = peer.lastIndex(of: ":").map { String(peer[..<$0]) } ?? peer
    var key = "\(host) \(reason)"
    if toldAt[key] == nil, toldAt.count >= TLSFailures.most, !isEmptied(at: now) { key = "" }
    untold[key, default: 0] += 1
    if let told = toldAt[key], now < told.advanced(milliseconds: TLSFailures.pauseMilliseconds) { return nil }
    toldAt[key] = now
    return untold.removeValue(forKey: key)
  }

  /// Forgets all, once a minute at most: after a flood, reasons and addresses are told apart again.
  private mutating func isEmptied(at now: Instant) -> Bool {
    if let emptiedAt, now < emptiedAt.advanced(milliseconds: TLSFailures.pauseMilliseconds) { return false }
    emptiedAt = now
    toldAt = [:]
    untold = [:]
    return true
  }
}
