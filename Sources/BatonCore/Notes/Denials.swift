/// What identities were refused, and have not been told about: the first refusal of a right at once, then one a second,
/// and at most sixteen rights of one identity a second (contract, section 11). It knows no connection.
struct Denials: ~Copyable {
  /// One right that was refused to one identity.
  private struct Denial {
    /// When it was told last; nil if it was not.
    var toldAt: Instant?
    var untold = 0
  }

  /// How many rights of one identity were told within the second that began with the first of them.
  private struct Second {
    let began: Instant
    var told = 0
  }

  private var byRight: [String: Denial] = [:]
  /// The same rights, in a ring: the one that was refused first stands at `oldest` when the ring is full.
  private var order: [String] = []
  private var oldest = 0
  /// By identity: there are as many as in the operator's files.
  private var seconds: [String: Second] = [:]
  /// The rights that are remembered. For one more, the oldest is forgotten.
  static let most = 1000
  /// The rights of one identity that are told in a second.
  static let mostASecond = 16

  /// Counts a refusal. Returns how many are to be told now; nil if it is told later, with the next one.
  mutating func count(_ right: String, of identity: String, at now: Instant) -> Int? {
    let key = "\(identity)\n\(right)"
    var denial = byRight[key] ?? remember(key)
    denial.untold += 1
    let isDue = denial.toldAt.map { now >= $0.advanced(milliseconds: 1000) } ?? true
    guard isDue, hasRoom(identity, at: now) else {
      byRight[key] = denial
      return nil
    }
    byRight[key] = Denial(toldAt: now)
    return denial.untold
  }

  /// Counts one that is told in this second, if there is room for it.
  private mutating func hasRoom(_ identity: String, at now: Instant) -> Bool {
    var second = seconds[identity] ?? Second(began: now)
    if now >= second.began.advanced(milliseconds: 1000) { second = Second(began: now) }
    guard second.told < Denials.mostASecond else { return false }
    second.told += 1
    seconds[identity] = second
    return true
  }

  private mutating func remember(_ key: String) -> Denial {
    if order.count < Denials.most {
      order.append(key)
    } else {
      byRight[order[oldest]] = nil
      order[oldest] = key
      oldest = (oldest + 1) % Denials.most
    }
    return Denial()
  }
}
