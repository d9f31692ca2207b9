internal import BatonCore

/// What went wrong with peers that could not speak yet, of one kind; and what of it is told, and when.
///
/// One line a second at most is written. What comes within that second is counted in the next line, which names the first
/// few. The same reason of the same address is news once a minute: until then it is counted, and has no line for its own
/// sake before the minute after the last line is over. So a flood does not flood the log, and nothing gets lost. The memory
/// is bounded: with more addresses and reasons than are kept, each failure is news.
struct PeerFailures {
  /// Why, and where the peer is, as the log names both.
  struct Failure: Equatable {
    let reason: String
    let peer: String

    /// In a list of several.
    var subject: String { "\(peer) (\(reason))" }
  }

  /// What is told.
  enum Line: Equatable {
    case one(Failure)
    /// So many since the last line, at least two; the first of them; the milliseconds in which they came.
    case many(Int, first: String, within: Int)
  }

  private struct Key: Hashable {
    let reason: String
    /// What counts as one address (`UV.Address.group`).
    let address: UInt64
  }

  /// What was news, and when.
  private var known: [Key: Instant] = [:]
  private var emptiedAt: Instant?
  private var toldAt: Instant?
  /// How many came since the last line.
  private var count = 0
  /// The first of them that are news.
  private var news: [Failure] = []
  /// The first of them that is none.
  private var again: Failure?

  private static let mostKnown = 1000
  private static let named = 8
  private static let pause = 1000
  private static let longPause = 60_000

  /// Counts a failure.
  mutating func count(_ failure: Failure, of address: UInt64, at now: Instant) {
    count += 1
    if !isNews(Key(reason: failure.reason, address: address), at: now) {
      if again == nil { again = failure }
    } else if news.count < PeerFailures.named {
      news.append(failure)
    }
  }

  /// When the next line may be written; nil if there is nothing to tell.
  var dueAt: Instant? {
    guard count > 0 else { return nil }
    guard let toldAt else { return Instant(microseconds: 0) }
    return toldAt.advanced(milliseconds: news.isEmpty ? PeerFailures.longPause : PeerFailures.pause)
  }

  /// The line that is due; nil if there is none. `isLast`: whatever was counted is due.
  mutating func takeLine(at now: Instant, isLast: Bool) -> Line? {
    guard let dueAt, dueAt <= now || isLast else { return nil }
    let first = news.isEmpty ? again.map { [$0] } ?? [] : news
    let (all, since) = (count, toldAt ?? now)
    (count, news, again, toldAt) = (0, [], nil, now)
    if all == 1, let one = first.first { return .one(one) }
    let names = first.map(\.subject).joined(separator: ", ") + (all > first.count ? ", …" : "")
    return .many(all, first: names, within: max(0, now.milliseconds(since: since)))
  }

  private mutating func isNews(_ key: Key, at now: Instant) -> Bool {
    if let since = known[key] {
      guard now >= since.advanced(milliseconds: PeerFailures.longPause) else { return false }
    } else if known.count >= PeerFailures.mostKnown {
      // All are forgotten once a minute at most.
      if let emptiedAt, now < emptiedAt.advanced(milliseconds: PeerFailures.longPause) { return true }
      emptiedAt = now
      known.removeAll(keepingCapacity: true)
    }
    known[key] = now
    return true
  }
}
