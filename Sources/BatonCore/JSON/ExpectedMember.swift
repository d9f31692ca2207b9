/// The bytes that are expected before a member's value: the brace or comma, the name, the colon, and white space if
/// there is any.
///
/// The lines of a peer are much alike, and so are the objects in a list. So the scanner remembers for each position the
/// bytes that came before the last value there, and expects them again. If other bytes come, it reads the name. Bytes
/// that were valid after a value, or at the beginning of an object, are valid there again.
///
/// The reason is speed: names took two thirds of the time to scan a short `send`. Also, the offset of the value is
/// known before the bytes have been compared, so the processor does not wait for the comparison.
struct ExpectedMember {
  /// The largest number of bytes that are expected. Longer ones are read each time.
  static let maximumCount = 16

  private let low: UInt64
  private let high: UInt64
  private let lowMask: UInt64
  private let highMask: UInt64
  let count: Int
  /// The number of the name, as the reader of names counts them. It is 255 in nested objects, because names have no
  /// meaning there.
  let name: UInt8

  /// A value that no line matches.
  static let impossible = ExpectedMember((0, 0), count: maximumCount)

  /// The bytes in `start..<end` of a line; nil if they are too many to be expected, or if fewer than 16 bytes follow
  /// `start` in the line.
  init?(in source: some ByteSource, from start: Int, to end: Int, name: UInt8 = .max) {
    guard end &- start <= ExpectedMember.maximumCount, let words = source.words(at: start) else { return nil }
    self.init(words, count: end &- start, name: name)
  }

  /// The first `count` (1 to 16) of 16 bytes, the first byte lowest.
  private init(_ words: (low: UInt64, high: UInt64), count: Int, name: UInt8 = .max) {
    lowMask = ~0 >> UInt64(64 - min(count, 8) * 8)
    highMask = count > 8 ? ~0 >> UInt64(128 - count * 8) : 0
    low = words.low & lowMask
    high = words.high & highMask
    self.count = count
    self.name = name
  }

  /// Whether the expected bytes are at `start`.
  @inline(__always)
  func stands(in source: some ByteSource, at start: Int) -> Bool {
    guard let words = source.words(at: start) else { return false }
    return ((words.low ^ low) & lowMask) | ((words.high ^ high) & highMask) == 0
  }
}
