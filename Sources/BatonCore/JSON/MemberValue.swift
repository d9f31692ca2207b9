/// The kind of a JSON value.
package enum ValueKind: UInt8, Sendable {
  /// There is no such value.
  case absent
  /// A string without escapes. Its bytes are its text.
  case text
  /// A string with at least one escape.
  case escapedText
  /// A number without fraction and exponent, of any length.
  case integer
  /// A number with a fraction or an exponent.
  case number
  case `true`, `false`, null
  case array, object

  /// Whether this is one of the two kinds of strings.
  package var isText: Bool { self == .text || self == .escapedText }
}

/// The range of a value in its line, and its kind. It has no meaning without the line in which it was found.
package struct MemberValue: Equatable, Sendable {
  /// The offset of the value's first byte. For a string this is the opening quote.
  package var start: UInt32
  /// The offset after the value's last byte. For a string this is after the closing quote.
  package var end: UInt32
  /// The kind of the value.
  package var kind: ValueKind

  /// The value of a member that the line does not have.
  package static let absent = MemberValue(start: 0, end: 0, kind: .absent)

  @inline(__always)
  init(start: UInt32, end: UInt32, kind: ValueKind) {
    self.start = start
    self.end = end
    self.kind = kind
  }

  @inline(__always)
  init(from start: Int, to end: Int, kind: ValueKind) {
    self.init(start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end), kind: kind)
  }

  /// A value that is all of `part`: JSON that was found to be right, without white space around it, or nothing.
  init(whole part: UnsafeRawBufferPointer) {
    let kind: ValueKind =
      switch part.first {
      case nil: .absent
      case UInt8(ascii: "\""): part.contains(UInt8(ascii: "\\")) ? .escapedText : .text
      case UInt8(ascii: "{"): .object
      case UInt8(ascii: "["): .array
      case UInt8(ascii: "t"): .true
      case UInt8(ascii: "f"): .false
      case UInt8(ascii: "n"): .null
      default: .number
      }
    self.init(from: 0, to: part.count, kind: kind)
  }

  /// The offsets of the value's bytes in the line.
  package var range: Range<Int> { Int(start)..<Int(end) }

  /// The number of bytes that the value takes in the line.
  package var count: Int { Int(end &- start) }

  /// The value's bytes, with a string's quotes. Traps if the value's range is not within `line`.
  @inline(__always)
  package func bytes(in line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    precondition(start <= end && Int(end) <= line.count)
    return UnsafeRawBufferPointer(rebasing: line[range])
  }
}
