/// Reading single bytes, words and pieces of a span. These are the only places where a span is read without its type;
/// each of them checks its bounds.
extension RawSpan {
  /// The byte at an offset.
  @inline(__always)
  subscript(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

  /// Eight bytes; the first one is the lowest.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// A copy of the bytes in a range.
  @inline(__always)
  func copy(_ range: Range<Int>) -> [UInt8] { extracting(range).withUnsafeBytes { Array($0) } }

  /// The bytes in a range as text. What is not UTF-8 is replaced.
  @inline(__always)
  func string(_ range: Range<Int>) -> String {
    extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes in a range as text; nil if they are not UTF-8.
  func validString(_ range: Range<Int>) -> String? {
    extracting(range).withUnsafeBytes { String(validating: $0, as: UTF8.self) }
  }

  /// Whether a range holds a word, whatever the case of its letters. The word is in lower case.
  @inline(__always)
  func equals(_ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { word in
      for index in 0..<word.count where lowercase(self[range.lowerBound + index]) != word[index] { return false }
      return true
    }
  }

  /// Whether a range holds just these bytes.
  @inline(__always)
  func isExactly(_ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { word in word.indices.allSatisfy { self[range.lowerBound + $0] == word[$0] } }
  }

  /// A range without the spaces and tabs around it.
  @inline(__always)
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isBlank(self[start]) { start += 1 }
    while start < end, isBlank(self[end - 1]) { end -= 1 }
    return start..<end
  }

  /// The offset of the first control character from `start` on, before `end`; nil if there is none. A tab is one.
  ///
  /// Eight bytes at a time: a head of 16 KiB takes about 2 µs.
  func firstControl(from start: Int, before end: Int) -> Int? {
    var at = start
    while at + 8 <= end {
      let bytes = word(at: at)
      let deletes = bytes ^ 0x7F7F_7F7F_7F7F_7F7F
      let low = (bytes &- 0x2020_2020_2020_2020) & ~bytes
      let equal = (deletes &- 0x0101_0101_0101_0101) & ~deletes
      // A borrow can only mark bytes above one that is marked rightly: the lowest mark is true.
      let marks = (low | equal) & 0x8080_8080_8080_8080
      if marks != 0 { return at + marks.trailingZeroBitCount / 8 }
      at += 8
    }
    while at < end {
      if self[at] < 0x20 || self[at] == 0x7F { return at }
      at += 1
    }
    return nil
  }
}

/// A letter of ASCII in lower case; other bytes as they are.
@inline(__always)
func lowercase(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

/// A space or a tab.
@inline(__always)
func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// Whether a byte may stand in a token (RFC 9110, section 5.6.2).
@inline(__always)
func isTokenByte(_ byte: UInt8) -> Bool {
  // Letters and digits, and ! # $ % & ' * + - . ^ _ ` | ~, a bit for each.
  let low: UInt64 = 0x03FF_6CFA_0000_0000
  let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
  return (byte < 64 ? low >> UInt64(byte) : byte < 128 ? high >> UInt64(byte - 64) : 0) & 1 == 1
}

/// The value of a hexadecimal digit; nil if it is none.
@inline(__always)
func hexValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case 0x30...0x39: byte - 0x30
  case 0x41...0x46: byte - 0x41 + 10
  case 0x61...0x66: byte - 0x61 + 10
  default: nil
  }
}
