/// A JSON value as peers read it, for the few lines whose inside the ledger looks at: traces, `inspect`, `explain` and
/// the server's own events. The line was checked to be JSON before.
indirect enum Value {
  case object([String: Value])
  case array([Value])
  case text(String)
  /// A number, `true`, `false` or `null`, as it stands.
  case word(String)

  subscript(name: String) -> Value? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  var elements: [Value] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  var integer: Int? {
    guard case .word(let word) = self else { return nil }
    return Int(word)
  }

  var isTrue: Bool {
    guard case .word("true") = self else { return false }
    return true
  }
}

extension ServerLine {
  /// The line as an object.
  var wholeValue: Value {
    var reader = ValueReader(bytes: bytes, at: 0)
    return reader.value()
  }

  /// The member's value, read to its leaves.
  func value(_ member: Member) -> Value? {
    guard let range = self[member] else { return nil }
    var reader = ValueReader(bytes: bytes, at: range.lowerBound)
    return reader.value()
  }
}

/// Reads a value that is known to be valid. Escapes in texts are left as they stand: names have none.
private struct ValueReader {
  let bytes: [UInt8]
  var at: Int

  mutating func value() -> Value {
    skipSpace()
    switch bytes[at] {
    case UInt8(ascii: "{"): return object()
    case UInt8(ascii: "["): return array()
    case UInt8(ascii: "\""): return .text(text())
    default: return .word(word())
    }
  }

  private mutating func object() -> Value {
    var members: [String: Value] = [:]
    at += 1
    skipSpace()
    while bytes[at] != UInt8(ascii: "}") {
      if bytes[at] == UInt8(ascii: ",") { at += 1 }
      skipSpace()
      let name = text()
      skipSpace()
      at += 1
      members[name] = value()
      skipSpace()
    }
    at += 1
    return .object(members)
  }

  private mutating func array() -> Value {
    var elements: [Value] = []
    at += 1
    skipSpace()
    while bytes[at] != UInt8(ascii: "]") {
      if bytes[at] == UInt8(ascii: ",") { at += 1 }
      elements.append(value())
      skipSpace()
    }
    at += 1
    return .array(elements)
  }

  private mutating func text() -> String {
    let start = at + 1
    at += 1
    while bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1 }
    at += 1
    return String(decoding: bytes[start..<(at - 1)], as: UTF8.self)
  }

  private mutating func word() -> String {
    let start = at
    while at < bytes.count, !" \t\r,]}".utf8.contains(bytes[at]) { at += 1 }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func skipSpace() {
    while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x09 || bytes[at] == 0x0D { at += 1 }
  }
}
