/// What identities were refused, and have not been told about: the first refusal of a right at once, then one a second
/// (contract, section 11). It knows no connection.
struct Denials: ~Copyable {
  /// One right that was refused to one identity.
  private struct Denial {
    var toldAt: Instant
    var untold = 0
  }

  private var byRight: [String: Denial] = [:]
  /// The same rights, in a ring: the one that was refused first stands at `oldest` when the ring is full.
  private var order: [String] = []
  private var oldest = 0
  /// The rights that are remembered. For one more, the oldest is forgotten.
  static let most = 1000

  /// Counts a refusal. Returns how many are to be told now; nil if it is told later, with the next one.
  mutating func count(_ right: String, of identity: String, at now: Instant) -> Int? {
    let key = "\(identity)\n\(right)"
    guard let denial = byRight[key] else {
      byRight[key] = Denial(toldAt: now)
      if order.count < Denials.most {
        order.append(key)
      } else {
        byRight[order[oldest]] = nil
        order[oldest] = key
        oldest = (oldest + 1) % Denials.most
      }
      return 1
    }
    let untold = denial.untold + 1
    let isDue = now >= denial.toldAt.advanced(milliseconds: 1000)
    byRight[key] = isDue ? Denial(toldAt: now) : Denial(toldAt: denial.toldAt, untold: untold)
    return isDue ? untold : nil
  }
}
