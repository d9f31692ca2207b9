/// What stands before a member's value: the brace or comma, the name, the colon, and white space if any.
///
/// The lines of a peer are much alike. So the scanner expects each member to be introduced by the bytes that introduced
/// the last one in its place, and only where it is not looks where the name ends and what it is. The same bytes behind a value, or at the beginning of an object, are as right as they were then.
///
/// It is here for its cost: names took two thirds of what it took to scan a short `send`. Where the next value begins is
/// known, too, before the bytes have been compared, so that the processor need not wait for them.
struct Introduction {
  /// More bytes than this are not expected, but read.
  static let maximumCount = 16

  private let low: UInt64
  private let high: UInt64
  private let lowMask: UInt64
  private let highMask: UInt64
  let count: Int
  let member: Member

  /// What no line holds in such a place.
  static let impossible = Introduction((0, 0), count: maximumCount, of: .op)

  /// What stands in `start..<end` of a line; nil where that is too long to be expected, or too close to the line's end.
  init?(in source: some ByteSource, from start: Int, to end: Int, of member: Member) {
    guard end &- start <= Introduction.maximumCount, let words = source.words(at: start) else { return nil }
    self.init(words, count: end &- start, of: member)
  }

  /// The first `count` (1…16) of sixteen bytes, the first of them lowest.
  private init(_ words: (low: UInt64, high: UInt64), count: Int, of member: Member) {
    lowMask = ~0 >> UInt64(64 - min(count, 8) * 8)
    highMask = count > 8 ? ~0 >> UInt64(128 - count * 8) : 0
    low = words.low & lowMask
    high = words.high & highMask
    self.count = count
    self.member = member
  }

  /// Whether it stands at `start`.
  @inline(__always)
  func stands(in source: some ByteSource, at start: Int) -> Bool {
    guard let words = source.words(at: start) else { return false }
    return ((words.low ^ low) & lowMask) | ((words.high ^ high) & highMask) == 0
  }
}
