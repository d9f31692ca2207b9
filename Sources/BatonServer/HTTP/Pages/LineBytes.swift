/// How lines of JSON, and heads of answers, are put together.
extension [UInt8] {
  /// Adds the program's own words as they are.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Adds a whole number.
  mutating func append(_ number: Int) {
    if number < 0 { append(UInt8(ascii: "-")) }
    appendDigits(number.magnitude)
  }

  private mutating func appendDigits(_ number: UInt) {
    if number >= 10 { appendDigits(number / 10) }
    append(UInt8(truncatingIfNeeded: number % 10) + UInt8(ascii: "0"))
  }

  /// Adds bytes of UTF-8 as a JSON string in the server's spelling: `"`, `\` and control characters are escaped. So
  /// nothing in them can end the string or the line.
  mutating func appendQuoted(_ text: some Collection<UInt8>) {
    let done: Void? = text.withContiguousStorageIfAvailable { appendQuoted(UnsafeRawBufferPointer($0)) }
    if done == nil { Array(text).withUnsafeBytes { appendQuoted($0) } }
  }

  /// The same for a text.
  mutating func appendQuoted(_ text: String) {
    var text = text
    text.withUTF8 { appendQuoted(UnsafeRawBufferPointer($0)) }
  }

  /// The same. Bytes that need no escape are copied together.
  ///
  /// - Parameter most: no more is written once the string has so many bytes.
  mutating func appendQuoted(_ text: UnsafeRawBufferPointer, atMost most: Int = .max) {
    let begun = count
    append(UInt8(ascii: "\""))
    var (plain, at) = (0, 0)
    while at < text.count, count - begun + at - plain <= most {
      let byte = text[at]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        append(contentsOf: UnsafeRawBufferPointer(rebasing: text[plain..<at]))
        appendEscape(byte)
        plain = at + 1
      }
      at += 1
    }
    append(contentsOf: UnsafeRawBufferPointer(rebasing: text[plain..<at]))
    append(UInt8(ascii: "\""))
  }

  private mutating func appendEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x0A: append("\\n")
    case 0x0D: append("\\r")
    case 0x09: append("\\t")
    case 0x08: append("\\b")
    case 0x0C: append("\\f")
    default:
      append("\\u00")
      append(byte >> 4 + UInt8(ascii: "0"))
      let low = byte & 15
      append(low < 10 ? low + UInt8(ascii: "0") : low - 10 + UInt8(ascii: "a"))
    }
  }

  /// The bytes that `appendQuoted` writes for one byte.
  static func quotedCount(of byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x0A, 0x0D, 0x09, 0x08, 0x0C: 2
    case 0..<0x20: 6
    default: 1
    }
  }
}
