/// What stands before a member's value: the brace or comma, the name, the colon, and white space if any.
///
/// Peers introduce the same members with the same bytes again and again, each in its own spelling. So the scanner looks
/// among the introductions that it knows first, and only where it finds none reads the name and finds out what it is. The
/// same bytes behind a value, or at the beginning of an object, are as right as they were then.
///
/// With mixed peers: 12,468 instead of 12,812 instructions a request; chain of three: 6,207 instead of 6,482 a message
/// (`Benchmarks/compare --instructions`).
struct Introduction {
  /// More bytes than this are not kept, but read each time.
  static let maximumCount = 16
  /// Known introductions at most; a later one takes the place of an earlier one.
  static let slots = 32

  private let low: UInt64
  private let high: UInt64
  private let lowMask: UInt64
  private let highMask: UInt64
  let count: Int
  let member: Member

  /// What no line holds in such a place.
  static let impossible = Introduction((0, 0), count: maximumCount, of: .op)

  /// The first `count` (6…16) of sixteen bytes, the first of them lowest; nil where they are too many to be known.
  init?(_ words: (low: UInt64, high: UInt64), first count: Int, of member: Member) {
    guard count <= Introduction.maximumCount else { return nil }
    self.init(words, count: count, of: member)
  }

  private init(_ words: (low: UInt64, high: UInt64), count: Int, of member: Member) {
    lowMask = ~0 >> UInt64(64 - min(count, 8) * 8)
    highMask = count > 8 ? ~0 >> UInt64(128 - count * 8) : 0
    low = words.low & lowMask
    high = words.high & highMask
    self.count = count
    self.member = member
  }

  /// Where an introduction that begins with these bytes is kept. Only the first five count: no introduction is shorter,
  /// and what stands behind it differs from line to line.
  @inline(__always)
  static func slot(of words: (low: UInt64, high: UInt64)) -> Int {
    Int(truncatingIfNeeded: ((words.low &<< 24) &* 0x9E37_79B9_7F4A_7C15) &>> 59)
  }

  /// Whether the bytes begin with it.
  @inline(__always)
  func begins(_ words: (low: UInt64, high: UInt64)) -> Bool {
    ((words.low ^ low) & lowMask) | ((words.high ^ high) & highMask) == 0
  }
}
