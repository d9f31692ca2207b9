internal import CScan

/// A position in an object or array of a line that the scanner found valid. It does not look for faults again, so it is
/// small. Each read is checked all the same.
struct EntryCursor {
  private let bytes: CheckedBytes
  private var offset: Int
  private let end: Int

  init(of value: MemberValue, of kind: ValueKind, in line: UnsafeRawBufferPointer) {
    bytes = CheckedBytes(line)
    offset = Int(value.start)
    end = value.kind == kind ? Int(value.end) : offset
    if offset < end {
      skipSpace()
      offset += 1
    }
  }

  /// Goes to the first byte of the next entry. Returns false if there is no more entry.
  mutating func beginEntry() -> Bool {
    skipPunctuation()
    guard offset < end else { return false }
    let byte = bytes[offset]
    return byte != UInt8(ascii: "]") && byte != UInt8(ascii: "}")
  }

  /// The next name and value of an object; nil at the end.
  @inline(__always)
  mutating func nextMember() -> (name: MemberValue, value: MemberValue)? {
    guard beginEntry() else { return nil }
    let name = readValue()
    skipPunctuation()
    return (name, readValue())
  }

  /// The next member whose name may begin so; nil at the end. The others are skipped at once.
  mutating func nextMember(beginning first: FirstBytes) -> (name: MemberValue, value: MemberValue)? {
    offset = bytes.skip(to: end) { cscan_next_name($0, offset, $1, first.low, first.high) }
    return nextMember()
  }

  /// The next element of an array, or behind arrays in it that were entered; nil at the end.
  mutating func nextElement() -> MemberValue? {
    skipPunctuation()
    while offset < end, bytes[offset] == UInt8(ascii: "]") {
      offset += 1
      skipPunctuation()
    }
    return offset < end ? readValue() : nil
  }

  /// Goes back into an array that was read last: its elements come next.
  mutating func enter(_ array: MemberValue) { offset = Int(array.start) + 1 }

  /// Skips white space, commas and colons. They are known to be in the right places.
  mutating func skipPunctuation() {
    while offset < end {
      switch bytes[offset] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: ","), UInt8(ascii: ":"): offset += 1
      default: return
      }
    }
  }

  /// Reads the value that begins at the current offset.
  mutating func readValue() -> MemberValue {
    let start = offset
    let kind: ValueKind
    switch bytes[start] {
    case UInt8(ascii: "\""): kind = skipText() ? .escapedText : .text
    case UInt8(ascii: "{"):
      kind = .object
      skipNested()
    case UInt8(ascii: "["):
      kind = .array
      skipNested()
    case UInt8(ascii: "t"):
      kind = .true
      offset += 4
    case UInt8(ascii: "f"):
      kind = .false
      offset += 5
    case UInt8(ascii: "n"):
      kind = .null
      offset += 4
    default: kind = skipNumber() ? .integer : .number
    }
    return MemberValue(from: start, to: offset, kind: kind)
  }

  private mutating func skipSpace() {
    while offset < end, bytes[offset] <= UInt8(ascii: " ") { offset += 1 }
  }

  /// Skips a string. Returns whether it has escapes.
  private mutating func skipText() -> Bool {
    var escaped = false
    offset = bytes.skip(to: end) { cscan_quote($0, offset + 1, $1, &escaped) } + 1
    return escaped
  }

  /// Skips an object or array.
  private mutating func skipNested() {
    offset = bytes.skip(to: end) { cscan_nested_end($0, offset, $1) }
  }

  /// Skips a number. Returns whether it is an integer literal.
  private mutating func skipNumber() -> Bool {
    var isInteger = true
    while true {
      switch bytes[offset] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
      case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isInteger = false
      default: return isInteger
      }
      offset += 1
    }
  }
}
