/// A line of a record that is being made: JSON in ASCII. All else is escaped, so that no reader finds an end of line in it,
/// and nothing acts on a terminal.
struct LineText {
  private(set) var bytes: [UInt8] = []

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Words of the record itself.
  mutating func literal(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func raw(_ ascii: some Collection<UInt8>) { bytes.append(contentsOf: ascii) }

  mutating func number(_ name: StaticString, _ number: Int) {
    literal(name)
    bytes.append(contentsOf: "\(number)".utf8)
  }

  /// A member with a value of JSON, of which all that is not printable ASCII is escaped. Such bytes stand in strings only.
  mutating func json(_ name: StaticString, _ value: ArraySlice<UInt8>) {
    guard !value.isEmpty else { return }
    literal(name)
    escape(value, isText: false)
  }

  /// A member with a text as a string.
  mutating func text(_ name: StaticString, _ text: some Collection<UInt8>) {
    literal(name)
    bytes.append(UInt8(ascii: "\""))
    let whole = Array(text)
    escape(whole[...], isText: true)
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func text(_ name: StaticString, _ text: String) { self.text(name, Array(text.utf8)) }

  private mutating func escape(_ text: ArraySlice<UInt8>, isText: Bool) {
    var plain = text.startIndex
    var at = plain
    while at < text.endIndex {
      let byte = text[at]
      let isPlain = 0x20..<0x7F ~= byte && !(isText && (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")))
      guard !isPlain else {
        at += 1
        continue
      }
      bytes.append(contentsOf: text[plain..<at])
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
        at += 1
      } else if byte < 0x80 {
        // Between tokens, white space is none of a string.
        if isText || byte == 0x7F { unit(UInt16(byte)) } else { bytes.append(UInt8(ascii: " ")) }
        at += 1
      } else {
        let count = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        let end = min(text.endIndex, at + count)
        for unit in String(decoding: text[at..<end], as: UTF8.self).utf16 { self.unit(unit) }
        at = end
      }
      plain = at
    }
    bytes.append(contentsOf: text[plain..<at])
  }

  private mutating func unit(_ unit: UInt16) {
    literal("\\u")
    for shift: UInt16 in [12, 8, 4, 0] { bytes.append(Digests.digit(UInt8(truncatingIfNeeded: unit >> shift & 15))) }
  }
}
