// JSON: bytes, tokens, values, escapes, nesting, and the writing of lines. This room knows nothing of Baton. Its only
// state is the members that it expects in the next line. It calls Tables.

/// Reads the tokens of JSON from a line. Each function takes the offset at which its token begins, and returns the
/// offset after the token. Nothing is kept between the calls. The caller knows which tokens are allowed at which place.
struct TokenReader<Source: ByteSource> {
  let source: Source

  @inline(__always)
  init(_ source: Source) {
    self.source = source
  }

  /// The offset of the first byte at or after `start` that is not white space. The line feed at the end of the line is
  /// not white space.
  @inline(__always)
  func skipSpace(from start: Int) -> Int {
    if source[start] > UInt8(ascii: " ") { return start }
    return skipSpaces(from: start)
  }

  private func skipSpaces(from start: Int) -> Int {
    var offset = start
    while true {
      switch source[offset] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"): offset &+= 1
      case UInt8(ascii: "\r"):
        source.noteReturn()
        offset &+= 1
      default: return offset
      }
    }
  }

  /// A fault of the JSON at `offset`. If the line ends there, the fault is that the line is unfinished.
  @inline(never)
  func fault(_ reason: ScanFault.Reason, at offset: Int) -> ScanFault {
    ScanFault(kind: .badJSON(offset == source.count ? .unfinished : reason), offset: offset)
  }

  /// Reads a member's name at `start`, and its colon. Returns the offset after the name, whether the name has escapes,
  /// and the offset of the value.
  @inline(__always)
  func name(from start: Int) throws(ScanFault) -> (end: Int, escaped: Bool, value: Int) {
    guard source[start] == UInt8(ascii: "\"") else { throw fault(.missingName, at: start) }
    let name = try text(from: start)
    let colon = skipSpace(from: name.end)
    guard source[colon] == UInt8(ascii: ":") else { throw fault(.missingColon, at: colon) }
    return (name.end, name.escaped, skipSpace(from: colon &+ 1))
  }

  /// Reads a value that is neither an object nor an array. `first` is the byte at `start`.
  @inline(__always)
  func scalar(_ first: UInt8, from start: Int) throws(ScanFault) -> (end: Int, kind: ValueKind) {
    if first == UInt8(ascii: "\"") {
      let text = try text(from: start)
      return (text.end, text.escaped ? .escapedText : .text)
    }
    return try numberOrWord(first, from: start)
  }

  @inline(__always)
  private func numberOrWord(_ first: UInt8, from start: Int) throws(ScanFault) -> (end: Int, kind: ValueKind) {
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      return try number(first, from: start)
    case UInt8(ascii: "t"):
      if source.hasWord(0x6575_7274, at: start) { return (start &+ 4, .true) }
    case UInt8(ascii: "n"):
      if source.hasWord(0x6C6C_756E, at: start) { return (start &+ 4, .null) }
    case UInt8(ascii: "f"):
      if source.hasWord(0x6573_6C61, at: start &+ 1) { return (start &+ 5, .false) }
    default:
      throw fault(.missingValue, at: start)
    }
    throw fault(.badLiteral, at: start)
  }

  @inline(__always)
  private func number(_ first: UInt8, from start: Int) throws(ScanFault) -> (end: Int, kind: ValueKind) {
    let digits = first == UInt8(ascii: "-") ? start &+ 1 : start
    var offset = try skipDigits(from: digits)
    if source[digits] == UInt8(ascii: "0"), offset &- digits > 1 { throw fault(.leadingZero, at: digits) }
    var kind = ValueKind.integer
    if source[offset] == UInt8(ascii: ".") {
      offset = try skipDigits(from: offset &+ 1)
      kind = .number
    }
    if source[offset] | 0x20 == UInt8(ascii: "e") {
      offset &+= 1
      if source[offset] == UInt8(ascii: "+") || source[offset] == UInt8(ascii: "-") { offset &+= 1 }
      offset = try skipDigits(from: offset)
      kind = .number
    }
    return (offset, kind)
  }

  /// Skips one or more digits.
  @inline(__always)
  private func skipDigits(from start: Int) throws(ScanFault) -> Int {
    var offset = start
    while source[offset] &- UInt8(ascii: "0") < 10 { offset &+= 1 }
    guard offset > start else { throw fault(.badNumber, at: start) }
    return offset
  }
}
