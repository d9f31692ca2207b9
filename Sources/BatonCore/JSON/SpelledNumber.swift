/// A whole number together with its digits. It is for numbers that are written with every message and mostly stay the
/// same or go up by one: an offer's id, a walk's number, a link's time. Division costs five times as much as copying
/// the digits.
///
/// `count`, `low` and `high` always spell `number`.
///
/// All three save together with mixed peers: 13,503 instead of 13,679 instructions a request; chain of three: 6,228
/// instead of 6,504 a message (`Benchmarks/compare --instructions`).
struct SpelledNumber {
  /// The largest number whose digits are kept. A longer number is spelled each time.
  private static let most = 9_999_999_999_999_999

  private var number = 0
  private var count = 1
  /// The digits, the first one in the lowest byte of `low`.
  private var low = UInt64(UInt8(ascii: "0"))
  private var high: UInt64 = 0

  /// Writes the number. It overwrites 16 bytes from the writer's cursor on, even if the number is shorter.
  @inline(__always)
  mutating func write(_ number: Int, to writer: inout LineWriter) {
    if number != self.number {
      guard number == self.number &+ 1, countUp() else { return spell(number, to: &writer) }
      self.number = number
    }
    writer.sixteen(low, high, advance: count)
  }

  /// Changes the digits to those of the next number. Returns false, and changes nothing, if all digits in the last word
  /// are nines.
  @inline(__always)
  private mutating func countUp() -> Bool {
    var word = count <= 8 ? low : high
    var shift = UInt64(truncatingIfNeeded: (count &- 1) & 7) &* 8
    while (word &>> shift) & 0xFF == UInt64(UInt8(ascii: "9")) {
      if shift == 0 { return false }
      word &-= 9 &<< shift
      shift &-= 8
    }
    word &+= 1 &<< shift
    if count <= 8 { low = word } else { high = word }
    return true
  }

  @inline(never)
  private mutating func spell(_ number: Int, to writer: inout LineWriter) {
    let start = writer.cursor
    writer.integer(number)
    guard number >= 0, number <= SpelledNumber.most else { return }
    self.number = number
    count = writer.cursor - start
    low = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    high = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }
}
