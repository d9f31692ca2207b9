/// A member's name of at most 15 bytes as two words, so that names are compared without a loop.
///
/// The bytes are in order from the lowest. The highest byte of `high` is the length, so that a name followed by a NUL
/// has another key than the name alone.
struct MemberKey: Equatable {
  /// The most bytes that a member's name has.
  static let maximumCount = 15

  var low: UInt64
  var high: UInt64

  /// The key of `bytes`; nil if they are empty or too long to be a member's name.
  init?(_ bytes: some Sequence<UInt8>) {
    low = 0
    high = 0
    var count: UInt64 = 0
    for byte in bytes {
      if count < 8 {
        low |= UInt64(byte) &<< (count &* 8)
      } else if count < Self.maximumCount {
        high |= UInt64(byte) &<< ((count &- 8) &* 8)
      } else {
        return nil
      }
      count &+= 1
    }
    guard count > 0 else { return nil }
    high |= count &<< 56
  }

  /// The key of a name of 1 to 8 bytes. They are the lowest bytes of `word`; the others are ignored.
  @inline(__always)
  init(word: UInt64, count: Int) {
    low = word & (~0 &>> UInt64(truncatingIfNeeded: 64 &- count &* 8))
    high = UInt64(truncatingIfNeeded: count) &<< 56
  }
}
