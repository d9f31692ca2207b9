internal import BatonCore

/// One line of a record that was read: its members, as texts of JSON. What it says was checked only for its form.
package struct RecordLine {
  package let n: Int
  /// The SHA-256 of its bytes, as digits.
  package let hash: [UInt8]
  /// Empty for a line of the contents.
  package let previous: String
  package let at: String
  package let kind: String
  private let bytes: [UInt8]
  private let members: [(name: String, value: Range<Int>)]

  /// Nil if it is none: no object in printable ASCII that begins with the right members, or one with a member twice.
  init?(_ line: UnsafeRawBufferPointer, isChain: Bool) {
    guard let found = Self.members(of: line) else { return nil }
    let first = isChain ? ["n", "previous", "at", "kind"] : ["n"]
    guard found.count >= first.count, zip(found, first).allSatisfy({ $0.name == $1 }),
      let n = Int(String(decoding: line[found[0].value], as: UTF8.self)), 1...Self.most ~= n
    else { return nil }
    self.n = n
    hash = Digests.hex(of: line)
    bytes = Array(line)
    members = found
    func text(_ number: Int) -> String {
      String(decoding: line[found[number].value].dropFirst().dropLast(), as: UTF8.self)
    }
    (previous, at, kind) = isChain ? (text(1), text(2), text(3)) : ("", "", "")
    guard !isChain || previous.utf8.count == 64 else { return nil }
  }

  private static func members(of line: UnsafeRawBufferPointer) -> [(name: String, value: Range<Int>)]? {
    for byte in line where !(0x20..<0x7F ~= byte) { return nil }
    guard case .success(let whole) = LoneValue.read(line, maximumDepth: 10_000), whole.kind == .object,
      whole.start == 0,
      Int(whole.end) == line.count
    else { return nil }
    var found: [(name: String, value: Range<Int>)] = []
    found.reserveCapacity(32)
    for (name, value) in ObjectMembers(of: whole, in: line) {
      let text = name.text(in: line)
      guard !found.contains(where: { $0.name == text }) else { return nil }
      found.append((text, Int(value.start)..<Int(value.end)))
    }
    return found
  }

  /// A member as JSON; nil if it is not there.
  package func json(_ name: String) -> ArraySlice<UInt8>? {
    members.first { $0.name == name }.map { bytes[$0.value] }
  }

  /// A member that is a string.
  package func text(_ name: String) -> String? {
    guard let value = json(name) else { return nil }
    return value.withUnsafeBytes { bytes -> String? in
      guard case .success(let one) = LoneValue.readChecked(bytes, maximumDepth: 2),
        one.kind == .text || one.kind == .escapedText
      else { return nil }
      return one.text(in: bytes)
    }
  }

  /// A member that is a whole number from 0 to the largest that the server tells.
  package func number(_ name: String) -> Int? {
    json(name).flatMap { Int(String(decoding: $0, as: UTF8.self)) }.flatMap { 0...Self.most ~= $0 ? $0 : nil }
  }

  private static let most = 1 << 53 - 1

  package func flag(_ name: String) -> Bool { json(name).map { $0.elementsEqual("true".utf8) } ?? false }

  /// The whole line.
  package var line: [UInt8] { bytes }
}

extension MemberValue {
  /// The text of a string.
  fileprivate func text(in line: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: textCount(in: line)) { buffer in
      copyText(in: line, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}
