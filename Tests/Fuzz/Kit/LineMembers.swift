internal import WorldKit

/// The members of a line's outer object, as text. That is enough to change one and put the line together again, and to
/// read a line that was found valid. It checks nothing. For a line that is no object it gives nil or what looks like
/// members.
package struct LineMembers: Sendable {
  /// One member, both parts as they are spelled.
  package struct Entry: Sendable {
    package var name: [UInt8]
    package var value: [UInt8]
  }

  package var entries: [Entry] = []

  /// Splits `line`, and stops after this many members.
  package init?(_ line: [UInt8], atMost most: Int = .max) {
    var rest = line[...]
    func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
    func take(_ expected: Unicode.Scalar) -> Bool {
      skipSpace()
      guard rest.first == UInt8(ascii: expected) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard take("{") else { return nil }
    if take("}") { return }
    repeat {
      skipSpace()
      let name = Self.value(at: rest)
      rest = rest.dropFirst(name.count)
      guard name.first == UInt8(ascii: "\""), take(":") else { return nil }
      skipSpace()
      let value = Self.value(at: rest)
      rest = rest.dropFirst(value.count)
      entries.append(Entry(name: name, value: value))
    } while entries.count < most && take(",")
  }

  /// The line that the members make.
  package var line: [UInt8] {
    var line: [UInt8] = [UInt8(ascii: "{")]
    for (number, entry) in entries.enumerated() {
      if number > 0 { line.append(UInt8(ascii: ",")) }
      line += entry.name
      line.append(UInt8(ascii: ":"))
      line += entry.value
    }
    line.append(UInt8(ascii: "}"))
    return line
  }

  /// The value of the first member of this name, however the name is spelled.
  package func value(of name: String) -> [UInt8]? {
    entries.first { Self.text($0.name) == name }?.value
  }

  /// Gives the first member of this name this value, or adds one behind the others.
  package mutating func set(_ name: String, to value: String) {
    if let place = entries.firstIndex(where: { Self.text($0.name) == name }) {
      entries[place].value = Array(value.utf8)
    } else {
      entries.append(Entry(name: Array("\"\(name)\"".utf8), value: Array(value.utf8)))
    }
  }

  /// The line's `op`, if that is a text.
  package var op: String? { value(of: "op").flatMap(Self.text) }

  /// The value of a text; nil if `spelled` is none.
  package static func text(_ spelled: [UInt8]) -> String? { SaidLine.text(spelled[...]) }

  /// The value with which `rest` begins, up to the comma, colon or bracket behind it.
  private static func value(at rest: ArraySlice<UInt8>) -> [UInt8] {
    var depth = 0
    var isText = false
    var isEscaped = false
    var length = 0
    for byte in rest {
      if isText {
        if byte == UInt8(ascii: "\""), !isEscaped { isText = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { return Array(rest.prefix(length)) }
          depth -= 1
        case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0D:
          if depth == 0 { return Array(rest.prefix(length)) }
        default: break
        }
      }
      length += 1
    }
    return Array(rest)
  }
}
