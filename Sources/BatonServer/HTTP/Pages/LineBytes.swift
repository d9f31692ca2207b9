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

  /// The same.
  ///
  /// - Parameter most: no more of the text is looked at once the string has more bytes. It may have some more by then.
  mutating func appendQuoted(_ text: UnsafeRawBufferPointer, atMost most: Int = .max) {
    let begun = count
    append(UInt8(ascii: "\""))
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Escapes.most * Escapes.piece) { room in
      var at = 0
      while at < text.count, count - begun <= most {
        let piece = UnsafeRawBufferPointer(rebasing: text[at..<Swift.min(text.count, at + Escapes.piece)])
        append(contentsOf: UnsafeBufferPointer(rebasing: room[..<Escapes.copy(piece, to: room)]))
        at += piece.count
      }
    }
    append(UInt8(ascii: "\""))
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
