/// The name of a stored message: 16 random characters that are drawn at each start, a dash, a count. It is never used
/// twice, by any server or copy of a file (contract of durable messages).
package struct StoredID: BitwiseCopyable, Hashable, Sendable {
  /// The 16 characters as bytes, the first one highest.
  package var start: Start
  /// The place of the message in the order of arrival at its store.
  package var count: UInt64

  /// Nobody counts so far. What a damaged store has beyond it is no place of a message.
  package static let mostCount: UInt64 = 1 << 53

  package init(start: Start, count: UInt64) { (self.start, self.count) = (start, count) }

  /// The 16 characters of a start.
  package struct Start: BitwiseCopyable, Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    /// 16 of the characters `a` to `z` and `0` to `9`, chosen by these random bits.
    package init(random high: UInt64, _ low: UInt64) {
      self.high = Self.characters(high)
      self.low = Self.characters(low)
    }

    /// Nil if these bytes are not 16 such characters.
    package init?(high: UInt64, low: UInt64) {
      for place in UInt64(0)..<16 {
        let byte = UInt8(truncatingIfNeeded: (place < 8 ? high : low) >> (8 * (place & 7)))
        guard (48...57).contains(byte) || (97...122).contains(byte) else { return nil }
      }
      (self.high, self.low) = (high, low)
    }

    private static func characters(_ bits: UInt64) -> UInt64 {
      var rest = bits
      var word: UInt64 = 0
      for _ in 0..<8 {
        let digit = UInt8(truncatingIfNeeded: rest % 36)
        word = word << 8 | UInt64(digit < 10 ? 48 + digit : 87 + digit)
        rest /= 36
      }
      return word
    }
  }

  /// As it stands in lines.
  package var text: [UInt8] {
    var bytes: [UInt8] = []
    for word in [start.high, start.low] { withUnsafeBytes(of: word.bigEndian) { bytes += $0 } }
    return bytes + [UInt8(ascii: "-")] + Array(String(count).utf8)
  }

  /// Nil if these bytes name no stored message in the one spelling that there is.
  package init?(text: [UInt8]) {
    guard (18...37).contains(text.count), text[16] == UInt8(ascii: "-"),
      text.count == 18 || text[17] != UInt8(ascii: "0")
    else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    for index in 0..<8 { (high, low) = (high << 8 | UInt64(text[index]), low << 8 | UInt64(text[8 + index])) }
    guard let start = Start(high: high, low: low) else { return nil }
    var count: UInt64 = 0
    for byte in text[17...] {
      guard (48...57).contains(byte) else { return nil }
      let (more, isTooMuch) = count.multipliedReportingOverflow(by: 10)
      let (sum, isOver) = more.addingReportingOverflow(UInt64(byte - 48))
      guard !isTooMuch, !isOver else { return nil }
      count = sum
    }
    self.init(start: start, count: count)
  }
}
