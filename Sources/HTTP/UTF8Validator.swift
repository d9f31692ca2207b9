/// Checks text as UTF-8 (RFC 3629) while it comes, cut anywhere, also within a character.
public struct UTF8Validator: Sendable {
  /// How many bytes the character that is under way still needs.
  private var missing: UInt8 = 0
  /// What the next one of them may be: not overlong, no surrogates, nothing above U+10FFFF.
  private var low: UInt8 = 0x80
  private var high: UInt8 = 0xBF

  /// Before the first byte.
  public init() {}

  /// Whether the text so far ends with a whole character.
  public var isComplete: Bool { missing == 0 }

  /// Reads on. False as soon as it is certain that this is not UTF-8, whatever comes; it is of no use after that.
  public mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    firstBad(0..<bytes.count, in: bytes.bytes) == nil
  }

  /// Reads on. The offset of the byte that makes it certain that this is not UTF-8; nil if none does.
  mutating func firstBad(_ range: Range<Int>, in text: RawSpan) -> Int? {
    var (at, end) = (range.lowerBound, range.upperBound)
    while at < end {
      if missing == 0 {
        // Eight bytes of ASCII at a time.
        while at + 8 <= end, text.word(at: at) & 0x8080_8080_8080_8080 == 0 { at += 8 }
        if at == end { return nil }
      }
      if !take(text[at]) { return at }
      at += 1
    }
    return nil
  }

  @inline(__always)
  private mutating func take(_ byte: UInt8) -> Bool {
    if missing > 0 {
      guard low...high ~= byte else { return false }
      (missing, low, high) = (missing - 1, 0x80, 0xBF)
      return true
    }
    switch byte {
    case 0..<0x80: return true
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, low) = (2, 0xA0)
    case 0xED: (missing, high) = (2, 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, low) = (3, 0x90)
    case 0xF1...0xF3: missing = 3
    case 0xF4: (missing, high) = (3, 0x8F)
    default: return false
    }
    return true
  }
}
