internal import BatonCore

/// A JSON value that can be compared: by what it means, not by how it is spelled.
package indirect enum JSONValue: Sendable {
  case null
  case flag(Bool)
  /// A number as it is spelled.
  case number(String)
  case text(String)
  case list([JSONValue])
  case object([(name: String, value: JSONValue)])

  /// A line of the server; nil if it is no JSON object.
  init?(line: [UInt8]) {
    var scanner = LineScanner(maximumDepth: 1000)
    var value: JSONValue?
    (line + [0x0A]).withUnsafeBytes { bytes in
      let bytes = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
      guard scanner.scan(bytes) == nil else { return }
      value = .object(JSONValue.members(LineScanner.membersAsTheyStand(in: bytes), in: bytes))
    }
    guard let value else { return nil }
    self = value
  }

  /// One value; nil if the text is not one JSON value.
  package init?(spelled text: String) {
    guard let bytes = JSONText.value(text.utf8),
      let line = JSONValue(line: Array(#"{"payload":"#.utf8) + bytes + [0x7D]),
      let value = line["payload"]
    else { return nil }
    self = value
  }

  private init(_ value: MemberValue, in line: UnsafeRawBufferPointer) {
    switch value.kind {
    case .absent, .null: self = .null
    case .true: self = .flag(true)
    case .false: self = .flag(false)
    case .integer, .number: self = .number(String(decoding: value.bytes(in: line), as: UTF8.self))
    case .text, .escapedText: self = .text(JSONValue.text(value, in: line))
    case .array: self = .list(ArrayElements(of: value, in: line).map { JSONValue($0, in: line) })
    case .object: self = .object(JSONValue.members(ObjectMembers(of: value, in: line), in: line))
    }
  }

  private static func members(
    _ members: ObjectMembers, in line: UnsafeRawBufferPointer
  ) -> [(name: String, value: JSONValue)] {
    members.map { (JSONValue.text($0.name, in: line), JSONValue($0.value, in: line)) }
  }

  private static func text(_ value: MemberValue, in line: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: value.textCount(in: line)) {
      value.copyText(in: line, into: UnsafeMutableRawBufferPointer($0))
    }
  }

  // MARK: What is in it

  /// The member of an object, the last one of that name; nil if there is none.
  package subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// The text of a string.
  package var string: String? { if case .text(let text) = self { text } else { nil } }

  /// A whole number.
  package var integer: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }

  /// The elements of a list.
  package var elements: [JSONValue]? { if case .list(let elements) = self { elements } else { nil } }

  // MARK: How it is written

  /// The value in one line of JSON, without spaces, its members in their order.
  package var spelling: String {
    switch self {
    case .null: "null"
    case .flag(let flag): "\(flag)"
    case .number(let digits): digits
    case .text(let text): String(decoding: JSONText.quoted(text), as: UTF8.self)
    case .list(let elements): "[\(elements.map(\.spelling).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(JSONValue.text($0.name).spelling):\($0.value.spelling)" }.joined(separator: ","))}"
    }
  }
}

extension JSONValue: Equatable {
  /// Whether both mean the same. The order of members does not count, and `1.0` is `1`.
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.flag(let left), .flag(let right)): left == right
    case (.number(let left), .number(let right)): left == right || Decimal(left) == Decimal(right)
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.list(let left), .list(let right)): left == right
    case (.object(let left), .object(let right)):
      left.count == right.count
        && sorted(left).elementsEqual(sorted(right)) { $0.name == $1.name && $0.value == $1.value }
    default: false
    }
  }

  private static func sorted(
    _ members: [(name: String, value: JSONValue)]
  ) -> [(name: String, value: JSONValue)] {
    members.enumerated().sorted {
      $0.element.name == $1.element.name ? $0.offset < $1.offset : $0.element.name < $1.element.name
    }.map(\.element)
  }

  /// A number of JSON without what may be spelled in several ways: its digits without zeroes at both ends, and the
  /// power of ten behind them.
  private struct Decimal: Equatable {
    var isNegative: Bool
    var digits: [UInt8]
    var power: Int

    init(_ spelled: String) {
      let zero = UInt8(ascii: "0")
      isNegative = spelled.hasPrefix("-")
      let parts = spelled.utf8.drop { $0 == UInt8(ascii: "-") }
        .split(maxSplits: 1) { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
      let mantissa = Array(parts.first ?? "".utf8[...])
      // An exponent that no number needs is told apart well enough by its limit.
      power = parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) ?? .max / 2 : 0
      digits = mantissa.filter { $0 != UInt8(ascii: ".") }
      if let point = mantissa.firstIndex(of: UInt8(ascii: ".")) {
        power -= mantissa.distance(from: point, to: mantissa.endIndex) - 1
      }
      while digits.last == zero {
        digits.removeLast()
        power += 1
      }
      digits = Array(digits.drop { $0 == zero })
      if digits.isEmpty { (isNegative, power) = (false, 0) }
    }
  }
}

extension JSONValue {
  /// The bytes of a member on the top level of a server's line, as they stand there; nil if there is none.
  static func bytes(ofMember name: String, inLine line: [UInt8]) -> String? {
    line.withUnsafeBytes { line in
      LineScanner.membersAsTheyStand(in: line).first { text($0.name, in: line) == name }
        .map { String(decoding: $0.value.bytes(in: line), as: UTF8.self) }
    }
  }
}
