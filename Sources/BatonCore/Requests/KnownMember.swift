/// The bytes before the value of a member that came lately: the brace or comma, the name, the colon, and white space if
/// there is any.
///
/// Peers write the same members with the same bytes again and again, each in its own spelling. So the scanner first looks
/// for the bytes among those that it knows. Only if it does not find them, it reads the name. The same bytes after a
/// value, or at the beginning of an object, are as valid as they were before.
///
/// With mixed peers: 12,468 instead of 12,812 instructions a request; chain of three: 6,207 instead of 6,482 a message
/// (`Benchmarks/compare --instructions`).
struct KnownMember {
  /// Longer bytes are not kept: they are read each time.
  static let maximumCount = 16
  /// The number of places. A later member takes the place of an earlier one.
  static let places = 64

  private let low: UInt64
  private let high: UInt64
  private let lowMask: UInt64
  private let highMask: UInt64
  let count: Int
  let member: Member

  /// Bytes that no line has before a value.
  static let impossible = KnownMember((0, 0), count: maximumCount, of: .op)

  /// The first `count` (6…16) of sixteen bytes, the first of them lowest; nil if they are too many.
  init?(_ words: (low: UInt64, high: UInt64), first count: Int, of member: Member) {
    guard count <= KnownMember.maximumCount else { return nil }
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

  /// The place for a member that begins with these bytes. Only the first five bytes count: no member has fewer before
  /// its value, and the bytes of the value differ from line to line. With this factor, the members of messages, answers and
  /// stored messages have a place each.
  @inline(__always)
  static func place(of words: (low: UInt64, high: UInt64)) -> Int {
    Int(truncatingIfNeeded: ((words.low &<< 24) &* 0xCBEB_0659_9A30_1111) &>> 58)
  }

  /// Whether the bytes begin with those of this member.
  @inline(__always)
  func begins(_ words: (low: UInt64, high: UInt64)) -> Bool {
    ((words.low ^ low) & lowMask) | ((words.high ^ high) & highMask) == 0
  }
}
