/// A member's name of at most 15 bytes as two words, so that names are compared without a loop.
///
/// The bytes stand in order from the lowest; the highest byte of `high` is the length, so that a name with a NUL behind
/// it is another key than the name alone.
struct MemberKey: Equatable {
  /// More bytes than this are no member's name.
  static let maximumCount = 15

  var low: UInt64
  var high: UInt64

  /// The key of `bytes`, or nil where it cannot be a member's: empty or too long.
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

  /// The key of 1 to 8 bytes that are the lowest ones of `word`.
  @inline(__always)
  init(word: UInt64, count: Int) {
    low = word & (~0 &>> UInt64(truncatingIfNeeded: 64 &- count &* 8))
    high = UInt64(truncatingIfNeeded: count) &<< 56
  }
}
