/// One page of links, while it is written (contract, section 8, `Pages`).
///
/// It is written here and not into the outbox, so that the answer does not count as unsent bytes of a peer that it
/// tells about. It knows nothing of what is written.
struct Page: ~Copyable {
  private(set) var bytes = OwnedBytes()
  /// The number of links that are told.
  private(set) var links = 0
  /// What was looked at: links, with their patterns, connections and histories.
  private(set) var looked: Int
  private let mostLinks: Int
  private let mostBytes: Int

  /// What may be looked at for one page. With the longest patterns this takes about a millisecond. The usual page has a
  /// thousand links, and looks at four things for each.
  private static let mostLooked = 5000

  /// An empty page for at most `limit` links. Lines may have `maxLine` bytes. `lists` bytes were written before, and
  /// come behind the links: 64 of them took as long as one thing that is looked at. `reserved` bytes more may come.
  init(limit: Int, maxLine: Int, lists: Int, reserved: Int) {
    mostLinks = limit
    mostBytes = Page.mostBytes(ofLines: maxLine) - lists - reserved
    looked = lists >> 6
  }

  /// The most bytes of a page if lines may have `maxLine` bytes.
  static func mostBytes(ofLines maxLine: Int) -> Int { min(max(maxLine, 128 << 10), 512 << 10) }

  /// Whether a link is told here that takes at most `bound` bytes, and for which `looking` things are looked at. The
  /// first one always is.
  func hasRoom(for bound: Int, looking: Int) -> Bool {
    links == 0
      || (links < mostLinks && bytes.count + bound <= mostBytes && looked + looking <= Page.mostLooked)
  }

  /// Counts one more link.
  mutating func countLink(looking: Int) {
    links += 1
    looked += looking
  }

  /// Begins a part of at most `bound` bytes. The caller must call `commit` before it begins the next.
  mutating func begin(atMost bound: Int) -> LineWriter {
    LineWriter(at: bytes.reserve(bound + LineWriter.slack), room: bound)
  }

  /// Ends what `begin` began.
  mutating func commit(_ writer: LineWriter) { bytes.extend(to: writer.cursor) }

  mutating func literal(_ text: StaticString) {
    var writer = begin(atMost: text.utf8CodeUnitCount)
    writer.literal(text)
    commit(writer)
  }
}
