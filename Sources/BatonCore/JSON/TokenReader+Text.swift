extension TokenReader {
  /// Reads the string whose opening quote is at `start`. It must be valid UTF-8 without raw control characters. Each
  /// escape must be well-formed, and no half of a surrogate pair may be alone.
  ///
  /// - Returns: the offset after the closing quote, and whether the string has escapes.
  @inline(__always)
  func text(from start: Int) throws(ScanFault) -> (end: Int, escaped: Bool) {
    let stop = source.endOfPlainText(from: start &+ 1)
    if source[stop] == UInt8(ascii: "\"") { return (stop &+ 1, false) }
    return try restOfText(from: stop)
  }

  /// Continues in a string at `start`, where a byte stands that is not plain text.
  ///
  /// Most texts end soon. What does not is skipped in blocks: 1 KB of Chinese takes a third.
  @inline(never)
  private func restOfText(from start: Int) throws(ScanFault) -> (end: Int, escaped: Bool) {
    var offset = start
    var escaped = false
    while true {
      let byte = source[offset]
      if byte == UInt8(ascii: "\"") { return (offset &+ 1, escaped) }
      if byte >= 0x80 {
        let isLong = offset &- start > Self.few
        if isLong {
          let end = source.endOfText(from: offset)
          if end > offset {
            offset = source.endOfPlainText(from: end)
            continue
          }
        }
        repeat {
          offset = try character(from: offset)
        } while source[offset] >= 0x80 && (isLong || offset &- start <= Self.few)
        if source[offset] >= 0x80 { continue }
      } else if byte == UInt8(ascii: "\\") {
        // Where escapes follow each other, there is nothing to skip between them: a megabyte of them takes a sixth.
        repeat { offset = try escape(from: offset) } while source[offset] == UInt8(ascii: "\\")
        escaped = true
      } else {
        throw fault(.controlCharacter, at: offset)
      }
      offset = source.endOfPlainText(from: offset)
    }
  }

  /// Bytes that are read one by one before blocks are.
  private static var few: Int { 32 }

  /// Skips one character beyond ASCII. It must follow the table of well-formed UTF-8: not longer than necessary, not a
  /// surrogate, not beyond U+10FFFF. The line feed is no part of a character, so a character that is cut off ends
  /// there.
  @inline(__always)
  private func character(from start: Int) throws(ScanFault) -> Int {
    let first = source[start]
    let second = source[start &+ 1]
    switch first {
    case 0xC2...0xDF:
      if isContinuation(second) { return start &+ 2 }
    case 0xE0...0xEF:
      let low: UInt8 = first == 0xE0 ? 0xA0 : 0x80
      let high: UInt8 = first == 0xED ? 0x9F : 0xBF
      if second >= low, second <= high, isContinuation(source[start &+ 2]) { return start &+ 3 }
    case 0xF0...0xF4:
      let low: UInt8 = first == 0xF0 ? 0x90 : 0x80
      let high: UInt8 = first == 0xF4 ? 0x8F : 0xBF
      if second >= low, second <= high, isContinuation(source[start &+ 2]), isContinuation(source[start &+ 3]) {
        return start &+ 4
      }
    default:
      break
    }
    throw fault(.badUTF8, at: start)
  }

  @inline(__always)
  private func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// Skips one escape, or two escapes that make a surrogate pair.
  private func escape(from start: Int) throws(ScanFault) -> Int {
    switch source[start &+ 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start &+ 2
    case UInt8(ascii: "u"):
      let unit = try codeUnit(from: start)
      guard unit & 0xF800 == 0xD800 else { return start &+ 6 }
      let next = start &+ 6
      guard unit < 0xDC00, source[next] == UInt8(ascii: "\\"), source[next &+ 1] == UInt8(ascii: "u"),
        try codeUnit(from: next) & 0xFC00 == 0xDC00
      else { throw ScanFault(kind: .badJSON(.loneSurrogate), offset: start) }
      return start &+ 12
    default:
      throw fault(.badEscape, at: start)
    }
  }

  /// The UTF-16 code unit of the `\u` escape at `start`.
  private func codeUnit(from start: Int) throws(ScanFault) -> UInt32 {
    var unit: UInt32 = 0
    for offset in (start &+ 2)..<(start &+ 6) {
      guard let digit = HexDigit.value(of: source[offset]) else { throw fault(.badUnicodeEscape, at: start) }
      unit = unit &<< 4 | digit
    }
    return unit
  }
}
