/// A whole number together with its digits, for numbers that are written with every message and mostly stay as they
/// are or go up by one: an offer's id, a walk's number, a link's time. Dividing costs five times as much as copying.
struct SpelledNumber {
  /// Digits that are kept at most; longer numbers are spelled each time.
  private static let most = 9_999_999_999_999_999

  private var number = -1
  private var lastDigit: UInt8 = 9
  private var count = 0
  /// The digits, the first one lowest.
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// Writes the number. Sixteen bytes from the writer's cursor on are overwritten, however short it is.
  @inline(__always)
  mutating func write(_ number: Int, to writer: inout LineWriter) {
    if number != self.number {
      guard number == self.number &+ 1, lastDigit < 9 else { return spell(number, to: &writer) }
      self.number = number
      lastDigit &+= 1
      if count <= 8 { low &+= 1 << UInt64(count &* 8 &- 8) } else { high &+= 1 << UInt64(count &* 8 &- 72) }
    }
    writer.sixteen(low, high, advance: count)
  }

  @inline(never)
  private mutating func spell(_ number: Int, to writer: inout LineWriter) {
    let start = writer.cursor
    writer.integer(number)
    guard number >= 0, number <= SpelledNumber.most else { return }
    self.number = number
    lastDigit = UInt8(truncatingIfNeeded: number % 10)
    count = writer.cursor - start
    low = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    high = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }
}
