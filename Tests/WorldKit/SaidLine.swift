/// One line of JSON by the peers' own reader: where its members stand, in their order. It is read strictly: RFC 8259, UTF-8,
/// one object, no member twice. It knows nothing of the core's scanner, so that the two do not share mistakes.
package struct SaidLine: Sendable {
  /// What is wrong with a line, and where.
  package struct Fault: Error {
    package let what: String
    package let offset: Int
  }

  /// A member as it is spelled, the name with its quotes.
  package struct Member: Sendable {
    package let name: Range<Int>
    package let value: Range<Int>
  }

  /// The line without its LF.
  package let bytes: [UInt8]
  package private(set) var members: [Member] = []
  /// What the line is, or asks for; empty if it does not say.
  package private(set) var op = ""
  private var at = 0

  /// What is no object of JSON has no members.
  package init(_ bytes: [UInt8]) {
    let line = try? SaidLine.read(bytes)
    self.bytes = bytes
    if let line { (members, op) = (line.members, line.op) }
  }

  private init(unread bytes: [UInt8]) { self.bytes = bytes }

  /// A line `ofPeer` may have a CR between its tokens, and a member twice.
  package static func read(_ bytes: [UInt8], ofPeer: Bool = false) throws(Fault) -> SaidLine {
    var line = SaidLine(unread: bytes)
    if bytes.contains(where: { $0 >= 0x80 }), String(validating: bytes, as: UTF8.self) == nil {
      throw Fault(what: "invalid UTF-8", offset: 0)
    }
    line.skipsReturns = ofPeer
    try line.readMembers(mayRepeat: ofPeer)
    if line.at != bytes.count { throw Fault(what: "something follows the object", offset: line.at) }
    line.op = line.text("op") ?? ""
    return line
  }

  // MARK: Members

  /// Where the value of the first member of this name is.
  package subscript(name: String) -> Range<Int>? {
    members.first { SaidLine.text(bytes[$0.name], is: name) }?.value
  }

  package func has(_ name: String) -> Bool { self[name] != nil }

  /// The value as it is spelled.
  package func raw(_ name: String) -> [UInt8]? { self[name].map { Array(bytes[$0]) } }

  package func number(_ name: String) -> Int? {
    self[name].flatMap { Int(String(decoding: bytes[$0], as: UTF8.self)) }
  }

  package func text(_ name: String) -> String? { self[name].flatMap { SaidLine.text(bytes[$0]) } }

  /// The text that is spelled so; nil if it is none. Only escapes that give an ASCII character by its number are resolved:
  /// ops and names of members need no others.
  package static func text(_ spelled: ArraySlice<UInt8>) -> String? {
    guard spelled.count >= 2, spelled.first == UInt8(ascii: "\""), spelled.last == UInt8(ascii: "\"") else {
      return nil
    }
    var rest = spelled.dropFirst().dropLast()
    guard rest.contains(UInt8(ascii: "\\")) else { return String(decoding: rest, as: UTF8.self) }
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "u"), rest.count >= 5,
        let number = UInt8(String(decoding: rest.dropFirst().prefix(4), as: UTF8.self), radix: 16), number < 0x80
      {
        text.append(number)
        rest = rest.dropFirst(5)
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func text(_ spelled: ArraySlice<UInt8>, is text: String) -> Bool {
    spelled.dropFirst().dropLast().elementsEqual(text.utf8)
      || spelled.contains(UInt8(ascii: "\\")) && self.text(spelled) == text
  }

  package func isTrue(_ name: String) -> Bool { self[name].map { bytes[$0].elementsEqual("true".utf8) } ?? false }

  /// The objects of an array; none if there is no such array.
  package func objects(_ name: String) -> [SaidLine] {
    guard let range = self[name], bytes[range.lowerBound] == UInt8(ascii: "[") else { return [] }
    var objects: [SaidLine] = []
    var array = SaidLine(unread: Array(bytes[range]))
    array.at = 1
    if array.take("]") { return [] }
    repeat {
      array.skipSpace()
      let start = array.at
      guard (try? array.skipValue(depth: 1)) != nil else { break }
      objects.append(SaidLine(Array(array.bytes[start..<array.at])))
    } while array.take(",")
    return objects
  }

  /// The same line with another value.
  package func with(_ name: String, _ value: String) -> SaidLine {
    guard let range = self[name] else { return self }
    return SaidLine(Array(bytes[..<range.lowerBound]) + Array(value.utf8) + bytes[range.upperBound...])
  }

  package var spelled: String { String(decoding: bytes, as: UTF8.self) }

  // MARK: Reading

  private var skipsReturns = false
  private var byte: UInt8 { at < bytes.count ? bytes[at] : 0 }

  private mutating func readMembers(mayRepeat: Bool) throws(Fault) {
    try expect("{")
    skipSpace()
    if byte != UInt8(ascii: "}") {
      repeat { try readMember(mayRepeat: mayRepeat) } while take(",")
    }
    try expect("}")
    skipSpace()
  }

  private mutating func readMember(mayRepeat: Bool) throws(Fault) {
    skipSpace()
    let start = at
    try skipString()
    let name = start..<at
    try expect(":")
    skipSpace()
    let value = at
    try skipValue(depth: 1)
    if !mayRepeat, members.contains(where: { bytes[$0.name].elementsEqual(bytes[name]) }) {
      throw Fault(what: "member \(String(decoding: bytes[name], as: UTF8.self)) twice", offset: start)
    }
    members.append(Member(name: name, value: value..<at))
  }

  private mutating func skipValue(depth: Int) throws(Fault) {
    skipSpace()
    switch byte {
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "{"): try skipEntries(until: "}", depth: depth)
    case UInt8(ascii: "["): try skipEntries(until: "]", depth: depth)
    case UInt8(ascii: "t"): try skipWord("true")
    case UInt8(ascii: "f"): try skipWord("false")
    case UInt8(ascii: "n"): try skipWord("null")
    default: try skipNumber()
    }
  }

  private mutating func skipEntries(until closing: Unicode.Scalar, depth: Int) throws(Fault) {
    if depth > 200 { throw Fault(what: "too deep", offset: at) }
    at += 1
    if take(closing) { return }
    repeat {
      if closing == "}" {
        skipSpace()
        try skipString()
        try expect(":")
      }
      try skipValue(depth: depth + 1)
    } while take(",")
    try expect(closing)
  }

  private mutating func skipString() throws(Fault) {
    let start = at
    guard byte == UInt8(ascii: "\"") else { throw Fault(what: "no string", offset: at) }
    at += 1
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        at += 1
        return
      case UInt8(ascii: "\\"): try skipEscape()
      case 0..<0x20: throw Fault(what: "control character", offset: at)
      default: at += 1
      }
    }
    throw Fault(what: "string without end", offset: start)
  }

  private mutating func skipEscape() throws(Fault) {
    let letter = at + 1 < bytes.count ? bytes[at + 1] : 0
    let digits = letter == UInt8(ascii: "u") ? 4 : 0
    guard "\"\\/bfnrtu".utf8.contains(letter), at + 2 + digits <= bytes.count,
      bytes[(at + 2)..<(at + 2 + digits)].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { throw Fault(what: "bad escape", offset: at) }
    at += 2 + digits
  }

  private mutating func skipNumber() throws(Fault) {
    let start = at
    if byte == UInt8(ascii: "-") { at += 1 }
    let isZero = byte == UInt8(ascii: "0")
    let count = skipDigits()
    guard count > 0 else { throw Fault(what: "no value", offset: start) }
    if isZero, count > 1 { throw Fault(what: "leading zero", offset: start) }
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

  private mutating func skipWord(_ word: String) throws(Fault) {
    guard bytes[at...].starts(with: word.utf8) else { throw Fault(what: "no value", offset: at) }
    at += word.utf8.count
  }

  /// A line of the server has no CR (contract, section 2).
  private mutating func skipSpace() {
    while byte == 0x20 || byte == 0x09 || byte == 0x0D && skipsReturns { at += 1 }
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

/// Cuts what comes into lines, and keeps the beginning of the next one.
package struct LineCutter {
  private var unfinished: [UInt8] = []

  package init() {}

  /// The lines that are whole now, without their LF.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
    unfinished += bytes
    var lines = unfinished.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    unfinished = lines.popLast() ?? []
    return lines
  }
}
