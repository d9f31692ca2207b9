/// What stands before a member's value: the brace or comma, the name, the colon, and white space if any.
///
/// The lines of a peer are much alike. So the scanner expects each member to be introduced by the bytes that introduced
/// the one in its place in the line before, and only where it is not looks for the name and what it is called. The same
/// bytes behind a value, or at the beginning of a line, are as right as they were then.
///
/// It is here for its cost: names took two thirds of what it took to scan a short `send`.
struct Introduction {
  /// More bytes than this are not expected, but read.
  static let maximumCount = 16

  private let low: UInt64
  private let high: UInt64
  private let lowMask: UInt64
  private let highMask: UInt64
  let count: Int
  let member: Member

  /// The first `count` (1…16) of sixteen bytes, the first of them lowest.
  init(_ words: (low: UInt64, high: UInt64), count: Int, of member: Member) {
    lowMask = ~0 >> UInt64(64 - min(count, 8) * 8)
    highMask = count > 8 ? ~0 >> UInt64(128 - count * 8) : 0
    low = words.low & lowMask
    high = words.high & highMask
    self.count = count
    self.member = member
  }

  /// Whether sixteen bytes begin with it.
  @inline(__always)
  func begins(_ words: (low: UInt64, high: UInt64)) -> Bool {
    ((words.low ^ low) & lowMask) | ((words.high ^ high) & highMask) == 0
  }
}
