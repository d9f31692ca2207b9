/// What kind of JSON value stands in a range of a line.
package enum ValueKind: UInt8, Sendable {
  /// There is no such value.
  case absent
  /// A string without escapes: its bytes are its text.
  case text
  /// A string with at least one escape.
  case escapedText
  /// A number without fraction and exponent, of whatever length.
  case integer
  /// A number with a fraction or an exponent.
  case number
  case `true`, `false`, null
  case array, object

  /// True for both kinds of strings.
  package var isText: Bool { self == .text || self == .escapedText }
}

/// Where a value stands in its line, and what it is. It means nothing without the line that it was found in.
package struct MemberValue: Equatable, Sendable {
  /// The offset of the value's first byte; a string's opening quote.
  package var start: UInt32
  /// The offset behind the value's last byte; behind a string's closing quote.
  package var end: UInt32
  /// What stands there.
  package var kind: ValueKind

  /// A value that is not there.
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

  /// The value's bytes in the line as offsets.
  package var range: Range<Int> { Int(start)..<Int(end) }

  /// How many bytes the value takes in the line.
  package var count: Int { Int(end &- start) }

  /// The value's bytes, a string's quotes included. Traps where `line` cannot be the line of this value.
  @inline(__always)
  package func bytes(in line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    precondition(start <= end && Int(end) <= line.count)
    return UnsafeRawBufferPointer(rebasing: line[range])
  }
}
