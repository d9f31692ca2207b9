internal import BatonKeeper
internal import BatonLasting

/// Dead letters that peers ask for, and that the store reads: so many bytes at once, in the order in which they were asked
/// for. What is written meanwhile waits for one page, and not for all.
struct LetterReads {
  /// What a peer waits for.
  struct Page {
    var ticket: UInt64
    var rows: [UInt64]
    var bytes: Int
    var hasMore: Bool
    /// The last one that the pages come to.
    var until: StoredID?
    /// Whether payload and meta are told.
    var isWhole: Bool
  }

  /// Bytes that the store reads at once, and one page of any size.
  private static let mostBytes = 1 << 20

  private var wanted = Line<Page>()
  private var asked: [UInt64: Page] = [:]
  private var askedBytes = 0

  /// Whether the store can be asked for another page.
  var areDue: Bool { !wanted.isEmpty && askedBytes < Self.mostBytes }

  mutating func want(_ page: Page) { wanted.append(page) }

  /// The next page that the store is to read; nil if none is, or it has enough to read.
  mutating func next() -> Page? {
    guard areDue, let page = wanted.removeFirst() else { return nil }
    asked[page.ticket] = page
    askedBytes += page.bytes
    return page
  }

  /// The store has answered. Nil if it was not asked for this.
  mutating func answered(_ ticket: UInt64) -> Page? {
    guard let page = asked.removeValue(forKey: ticket) else { return nil }
    askedBytes -= page.bytes
    return page
  }
}
