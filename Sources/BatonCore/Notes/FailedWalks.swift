/// The last messages that did not end well, that links failed, or with whose outcome a shadow disagreed, by kind (contract,
/// section 8, `Walks`). It knows bytes and times, no walks and no chains.
struct FailedWalks: ~Copyable {
  /// What is kept apart: many messages of one kind do not wash away those of another.
  enum Kind: Int, CaseIterable {
    case failed, timeout, rejected, unhandled, cancelled
    /// Links failed them on their way, and others were asked.
    case unhandledWithFailures, handledWithFailures, publishedWithFailures
    /// A shadow's verdict was not what became of them.
    case disagreed

    /// Nil if such messages are not kept. `hasFailures`: the result lists failures.
    init?(_ status: Outcome.Status, hasFailures: Bool) {
      switch status {
      case .failed: self = .failed
      case .timeout: self = .timeout
      case .rejected: self = .rejected
      case .cancelled: self = .cancelled
      case .unhandled: self = hasFailures ? .unhandledWithFailures : .unhandled
      case .handled where hasFailures: self = .handledWithFailures
      case .published where hasFailures: self = .publishedWithFailures
      case .handled, .published: return nil
      }
    }

    /// The status of such messages; nil if they have any.
    private var status: Outcome.Status? {
      switch self {
      case .disagreed: nil
      case .failed: .failed
      case .timeout: .timeout
      case .rejected: .rejected
      case .cancelled: .cancelled
      case .unhandled, .unhandledWithFailures: .unhandled
      case .handledWithFailures: .handled
      case .publishedWithFailures: .published
      }
    }

    /// Whether messages of this kind may be asked for: what shadows say is asked for alone. `status`: only such messages.
    fileprivate func isAsked(status: Outcome.Status?, disagreed: Bool) -> Bool {
      guard disagreed == (self == .disagreed) else { return false }
      return status == nil || self.status == nil || self.status == status
    }
  }

  /// One message, after its end.
  final class Entry {
    let number: Int
    let kind: Kind
    let status: Outcome.Status
    let chain: OwnedBytes
    let topic: OwnedBytes
    /// The members of its line, without `ago_ms`.
    let text: OwnedBytes
    /// The bytes of `text` that tell nothing of links; nil if it tells only of links of its own chain.
    let publicCount: Int?
    let ended: Instant
    /// The number of its end: later ends have higher numbers.
    fileprivate(set) var order = 0

    init(
      number: Int, kind: Kind, status: Outcome.Status, chain: UnsafeRawBufferPointer,
      topic: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer, publicCount: Int? = nil, at now: Instant
    ) {
      self.publicCount = publicCount
      self.number = number
      (self.kind, self.status) = (kind, status)
      self.chain = OwnedBytes(copying: chain)
      self.topic = OwnedBytes(copying: topic)
      self.text = OwnedBytes(copying: text)
      ended = now
    }

    /// What it counts: its bytes, and about what its objects take beside them.
    var bytes: Int { text.count + chain.count + topic.count + 256 }
  }

  /// The entries of one kind, the oldest first. Those before `first` were forgotten.
  private struct List {
    var entries: [Entry?] = []
    var first = 0
    var bytes = 0
    var count: Int { entries.count - first }
  }

  /// A list for each kind, in their order.
  private var lists = Kind.allCases.map { _ in List() }
  private var bytes = 0
  private var latest = 0

  /// The number of entries.
  var count: Int { lists.reduce(0) { $0 + $1.count } }

  /// Whether there is more than `most` of one kind, or more than `mostBytes` in all.
  func exceeds(most: Int, mostBytes: Int) -> Bool { bytes > mostBytes || lists.contains { $0.count > most } }

  /// Forgets the oldest entry of a kind with more than `most`; or else of the kind that takes most, if all take more than
  /// `mostBytes`. Returns false if there is no such entry.
  mutating func forgetOne(most: Int, mostBytes: Int) -> Bool {
    guard let list = lists.indices.first(where: { lists[$0].count > most }) else {
      return forgetWorst(above: mostBytes)
    }
    forgetOldest(of: list)
    return true
  }

  /// Forgets the oldest entry of the kind that takes most, if all take more than `mostBytes`. Returns whether they do.
  private mutating func forgetWorst(above mostBytes: Int) -> Bool {
    guard bytes > mostBytes, let worst = lists.indices.max(by: { lists[$0].bytes < lists[$1].bytes }) else {
      return false
    }
    forgetOldest(of: worst)
    return true
  }

  /// Keeps an entry. Forgets the oldest of its kind if there are more than `most`, and the oldest ones of the kind that
  /// takes most while all take more than `mostBytes`: at most `atOnce`. Returns how many it has forgotten.
  mutating func add(_ entry: Entry, most: Int, mostBytes: Int, atOnce: Int) -> Int {
    let list = entry.kind.rawValue
    latest += 1
    entry.order = latest
    lists[list].entries.append(entry)
    lists[list].bytes += entry.bytes
    bytes += entry.bytes
    var forgotten = 0
    if lists[list].count > most {
      forgetOldest(of: list)
      forgotten += 1
    }
    while forgotten < atOnce, forgetWorst(above: mostBytes) { forgotten += 1 }
    return forgotten
  }

  private mutating func forgetOldest(of list: Int) {
    let first = lists[list].first
    guard let oldest = lists[list].entries[first] else { return }
    lists[list].bytes -= oldest.bytes
    bytes -= oldest.bytes
    lists[list].entries[first] = nil
    lists[list].first += 1
    // Half of the places at least are free then, so each entry is moved once for one that was forgotten.
    if lists[list].first >= 16, lists[list].first * 2 >= lists[list].entries.count {
      lists[list].entries.removeFirst(lists[list].first)
      lists[list].first = 0
    }
  }

  /// Goes over the entries from the latest one before `order` on.
  struct Cursor {
    /// In each list, how many entries are still to come.
    fileprivate var left: [Int]
  }

  /// A cursor behind the entry of this number; at the latest one if it is nil. `status`: only kinds that may have it.
  /// `disagreed`: only those with which shadows disagreed; without it there are none of them.
  func cursor(behind order: Int?, status: Outcome.Status?, disagreed: Bool) -> Cursor {
    var left = lists.map(\.entries.count)
    for kind in Kind.allCases {
      let list = kind.rawValue
      if !kind.isAsked(status: status, disagreed: disagreed) { left[list] = lists[list].first }
      guard let order else { continue }
      var (low, high) = (lists[list].first, left[list])
      while low < high {
        let middle = (low + high) / 2
        if (lists[list].entries[middle]?.order ?? 0) < order { low = middle + 1 } else { high = middle }
      }
      left[list] = low
    }
    return Cursor(left: left)
  }

  /// The next entry, an older one each time; nil at the end.
  func next(_ cursor: inout Cursor) -> Entry? {
    var latest: (list: Int, entry: Entry)?
    for list in lists.indices where cursor.left[list] > lists[list].first {
      guard let entry = lists[list].entries[cursor.left[list] - 1] else { continue }
      if entry.order > latest?.entry.order ?? 0 { latest = (list, entry) }
    }
    if let latest { cursor.left[latest.list] -= 1 }
    return latest?.entry
  }
}
