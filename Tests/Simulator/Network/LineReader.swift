/// Reads a line of the server strictly: RFC 8259, UTF-8, one object, no member twice. It is the peers' own reader. It
/// knows nothing of the core's scanner, so that the two do not share mistakes.
struct LineReader {
  /// What is wrong with a line, and where.
  struct Fault: Error {
    let what: String
    let offset: Int
  }

  private static let ops: [String: ServerLine.Op] = Dictionary(
    uniqueKeysWithValues: ServerLine.Op.allCases.map { ($0.rawValue, $0) })
  private static let members: [String: ServerLine.Member] = Dictionary(
    uniqueKeysWithValues: ServerLine.Member.allCases.map { ($0.rawValue, $0) })

  private var line: ServerLine
  private var at = 0

  static func read(_ bytes: [UInt8]) throws(Fault) -> ServerLine {
    var reader = LineReader(line: ServerLine(bytes: bytes))
    try reader.readLine()
    return reader.line
  }

  /// The objects of an array. It has been read as a part of a line.
  static func elements(_ bytes: some Sequence<UInt8>) throws(Fault) -> [ServerLine] {
    var array = LineReader(line: ServerLine(bytes: Array(bytes)))
    var elements: [ServerLine] = []
    try array.expect("[")
    if array.take("]") { return [] }
    repeat {
      array.skipSpace()
      let start = array.at
      try array.skipValue(depth: 1)
      var element = LineReader(line: ServerLine(bytes: Array(array.line.bytes[start..<array.at])))
      try element.readMembers()
      elements.append(element.line)
    } while array.take(",")
    return elements
  }

  private init(line: ServerLine) { self.line = line }

  private var byte: UInt8 { at < line.bytes.count ? line.bytes[at] : 0 }

  private mutating func readLine() throws(Fault) {
    if line.bytes.contains(where: { $0 >= 0x80 }), String(validating: line.bytes, as: UTF8.self) == nil {
      throw Fault(what: "invalid UTF-8", offset: 0)
    }
    try readMembers()
    if at != line.bytes.count { throw Fault(what: "something follows the object", offset: at) }
    guard let name = line.text(.op), let op = Self.ops[String(decoding: name, as: UTF8.self)] else {
      throw Fault(what: "no known op", offset: 0)
    }
    line.op = op
  }

  private mutating func readMembers() throws(Fault) {
    try expect("{")
    skipSpace()
    if byte != UInt8(ascii: "}") {
      repeat { try readMember() } while take(",")
    }
    try expect("}")
    skipSpace()
  }

  private mutating func readMember() throws(Fault) {
    skipSpace()
    let start = at
    try skipString()
    let name = String(decoding: line.bytes[(start + 1)..<(at - 1)], as: UTF8.self)
    try expect(":")
    skipSpace()
    let value = at
    try skipValue(depth: 1)
    guard let member = Self.members[name] else { return }
    if line[member] != nil { throw Fault(what: "member \(name) twice", offset: start) }
    line[member] = value..<at
  }

  private mutating func skipValue(depth: Int) throws(Fault) {
    skipSpace()
    switch byte {
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "{"): try skipObject(depth: depth)
    case UInt8(ascii: "["): try skipArray(depth: depth)
    case UInt8(ascii: "t"): try skipWord("true")
    case UInt8(ascii: "f"): try skipWord("false")
    case UInt8(ascii: "n"): try skipWord("null")
    default: try skipNumber()
    }
  }

  private mutating func skipObject(depth: Int) throws(Fault) {
    if depth > 200 { throw Fault(what: "too deep", offset: at) }
    at += 1
    skipSpace()
    if take("}") { return }
    repeat {
      skipSpace()
      try skipString()
      try expect(":")
      try skipValue(depth: depth + 1)
    } while take(",")
    try expect("}")
  }

  private mutating func skipArray(depth: Int) throws(Fault) {
    if depth > 200 { throw Fault(what: "too deep", offset: at) }
    at += 1
    skipSpace()
    if take("]") { return }
    repeat { try skipValue(depth: depth + 1) } while take(",")
    try expect("]")
  }

  private mutating func skipString() throws(Fault) {
    let start = at
    guard byte == UInt8(ascii: "\"") else { throw Fault(what: "no string", offset: at) }
    at += 1
    while at < line.bytes.count {
      switch line.bytes[at] {
      case UInt8(ascii: "\""):
        at += 1
        return
      case UInt8(ascii: "\\"):
        let escape = at + 1 < line.bytes.count ? line.bytes[at + 1] : 0
        guard "\"\\/bfnrtu".utf8.contains(escape) else { throw Fault(what: "bad escape", offset: at) }
        at += 2
      case 0..<0x20: throw Fault(what: "control character", offset: at)
      default: at += 1
      }
    }
    throw Fault(what: "string without end", offset: start)
  }

  private mutating func skipNumber() throws(Fault) {
    let start = at
    if byte == UInt8(ascii: "-") { at += 1 }
    let firstDigit = at
    guard skipDigits() > 0 else { throw Fault(what: "no value", offset: start) }
    if line.bytes[firstDigit] == UInt8(ascii: "0"), at > firstDigit + 1 {
      throw Fault(what: "leading zero", offset: start)
    }
    if byte == UInt8(ascii: ".") {
      at += 1
      guard skipDigits() > 0 else { throw Fault(what: "no digits after the point", offset: start) }
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      at += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { at += 1 }
      guard skipDigits() > 0 else { throw Fault(what: "no digits in the exponent", offset: start) }
    }
  }

  private mutating func skipDigits() -> Int {
    let start = at
    while (48...57).contains(byte) { at += 1 }
    return at - start
  }

  private mutating func skipWord(_ word: StaticString) throws(Fault) {
    let end = at + word.utf8CodeUnitCount
    guard end <= line.bytes.count,
      line.bytes[at..<end].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    else { throw Fault(what: "no value", offset: at) }
    at = end
  }

  /// A line of the server has no CR (contract, section 2).
  private mutating func skipSpace() {
    while byte == 0x20 || byte == 0x09 { at += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard byte == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Fault) {
    if !take(character) { throw Fault(what: "no \(character)", offset: at) }
  }
}
