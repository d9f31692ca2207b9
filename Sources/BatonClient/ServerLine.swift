internal import BatonCore

/// One line of the server's, or an object in one, taken apart. Members that nobody asks for are ignored, so that the
/// server can grow.
struct ServerLine: Sendable {
  private let bytes: [UInt8]
  private let members: [(name: MemberValue, value: MemberValue)]

  /// Takes a line apart, its line feed aside; nil where it is no JSON object, which no server sends.
  init?(_ line: UnsafeRawBufferPointer, by scanner: inout LineScanner) {
    guard scanner.scan(line) == nil else { return nil }
    self.init(valid: Array(line))
  }

  private init(valid bytes: [UInt8]) {
    self.bytes = bytes
    members = bytes.withUnsafeBytes { line in
      LineScanner.membersAsTheyStand(in: line).map { ($0.name, $0.value) }
    }
  }

  private func value(_ name: StaticString) -> MemberValue? {
    bytes.withUnsafeBytes { line in members.first { $0.name.isText(name, in: line) }?.value }
  }

  var op: String { text("op") ?? "" }
  var whole: Payload { Payload(checked: bytes) }

  /// A string's text.
  func text(_ name: StaticString) -> String? { value(name).flatMap(text) }

  private func text(_ value: MemberValue) -> String? {
    guard value.kind.isText else { return nil }
    return bytes.withUnsafeBytes { line in
      String(unsafeUninitializedCapacity: value.count) { target in
        value.copyText(in: line, into: UnsafeMutableRawBufferPointer(target))
      }
    }
  }

  func integer(_ name: StaticString) -> Int? {
    guard let value = value(name) else { return nil }
    return Int(String(decoding: bytes[value.range], as: UTF8.self))
  }

  func flag(_ name: StaticString) -> Bool { value(name)?.kind == .true }

  /// A value's bytes as they came.
  func payload(_ name: StaticString) -> Payload? { value(name).map { Payload(checked: Array(bytes[$0.range])) } }

  /// The objects in a list.
  func objects(_ name: StaticString) -> [ServerLine] {
    guard let value = value(name) else { return [] }
    let ranges = bytes.withUnsafeBytes { line in
      ArrayElements(of: value, in: line).filter { $0.kind == .object }.map(\.range)
    }
    return ranges.map { ServerLine(valid: Array(bytes[$0])) }
  }
}
