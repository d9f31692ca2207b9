/// Changes a line member by member, so that it stays valid JSON, and the reader accepts many of the lines.
package struct MemberMutator {
  /// Numbers at the edges of what the contract allows, of 64 bits, and of what a double can hold.
  private static let numbers: [[UInt8]] = [
    "0", "-0", "1", "-1", "1.0", "0.5", "2", "128", "129", "255", "256", "1000", "65535", "65536", "65537", "86400000",
    "86400001", "1e9", "-1e9", "1e999", "-1e999", "1e-999", "9007199254740993", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "123456789012345678901234567890",
  ].map { Array($0.utf8) }

  /// Members from all parts of the contract, for lines of ops that do not take them.
  private static let strangers: [LineMembers.Entry] = [
    (#""reply""#, "false"), (#""reply""#, "true"), (#""id""#, "7"), (#""id""#, #""seven""#), (#""echo""#, "false"),
    (#""chain""#, #""main""#), (#""chain""#, #""kitchen""#), (#""at""#, #""front""#), (#""rank""#, "1.5"),
    (#""window""#, "1"), (#""timeout_ms""#, "20"), (#""accepts""#, #"[">"]"#), (#""accepts""#, #"["door.*","a"]"#),
    (#""topics""#, #"["*.b","a.>"]"#), (#""payload""#, "null"), (#""meta""#, #"{"a":[1,{"b":"\u0000"}]}"#),
    (#""message""#, #""no""#), (#""code""#, "-1"), (#""as""#, #""b""#), (#""after""#, #""a""#), (#""name""#, #""x""#),
    (#""heartbeat_ms""#, "100"), (#""shadow""#, "true"), (#""colour""#, "1"),
    (#""request""#, "7"), (#""request""#, #""seven""#), (#""durable""#, "true"), (#""once""#, #""x""#),
    (#""tries""#, "1"), (#""retry_ms""#, "10"), (#""delay_ms""#, "50"), (#""expires_ms""#, "200"), (#""key""#, #""k""#),
    (#""retain""#, "true"), (#""via""#, #""main""#), (#""mode""#, #""all""#),
  ].map { LineMembers.Entry(name: Array($0.0.utf8), value: Array($0.1.utf8)) }

  private let lines: [LineMembers]
  private var generator: SeededGenerator

  /// Members are borrowed from `lines`, each of which has some.
  package init(seed: UInt64, lines: [LineMembers]) {
    self.lines = lines
    generator = SeededGenerator(seed: seed)
  }

  /// Changes a line once. A line without members stays as it is.
  package mutating func change(_ line: inout [UInt8]) {
    guard var members = LineMembers(line), !members.entries.isEmpty else { return }
    change(&members)
    line = members.line
  }

  private mutating func change(_ members: inout LineMembers) {
    let here = Int.random(in: members.entries.indices, using: &generator)
    let there = Int.random(in: members.entries.indices, using: &generator)
    switch Int.random(in: 0..<14, using: &generator) {
    case 0: members.entries.append(members.entries[here])
    case 1: members.entries[here].name = spelledOut(members.entries[here].name)
    case 2, 3: members.entries[here].value = spelledOut(members.entries[here].value)
    case 4: if LineMembers.text(members.entries[here].value) == nil { members.entries[here].value = pick(Self.numbers) }
    case 5: members.entries[here].value = nested(members.entries[here].value)
    case 6:
      let value = members.entries[here].value
      members.entries[here].value = members.entries[there].value
      members.entries[there].value = value
    case 7: members.entries.swapAt(here, there)
    case 8: members.entries.remove(at: here)
    case 9: members.entries.insert(pick(Self.strangers), at: here)
    case 10: if let other = pick(lines).entries.randomElement(using: &generator) { members.entries.append(other) }
    case 11: pad(&members.entries[here])
    case 12: rename(&members.entries[here])
    default: load(&members)
    }
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }

  /// The same text, with some of its letters as escapes.
  private mutating func spelledOut(_ text: [UInt8]) -> [UInt8] {
    var spelled: [UInt8] = []
    var isText = false
    var previous: UInt8 = 0
    for byte in text {
      if byte == UInt8(ascii: "\""), previous != UInt8(ascii: "\\") { isText.toggle() }
      let isLetter = (UInt8(ascii: "g")...UInt8(ascii: "z")).contains(byte) && previous != UInt8(ascii: "\\")
      if isText, isLetter, Bool.random(using: &generator) {
        spelled += "\\u00\(String(byte, radix: 16, uppercase: Bool.random(using: &generator)))".utf8
      } else {
        spelled.append(byte)
      }
      previous = byte
    }
    return spelled
  }

  /// A value within a few arrays and objects, sometimes more than are allowed.
  private mutating func nested(_ value: [UInt8]) -> [UInt8] {
    let levels = Int.random(in: 1...(Int.random(in: 0..<20, using: &generator) == 0 ? 140 : 12), using: &generator)
    var opening: [UInt8] = []
    var closing: [UInt8] = []
    for _ in 0..<levels {
      if Bool.random(using: &generator) {
        opening += "[".utf8
        closing.append(UInt8(ascii: "]"))
      } else {
        opening += #"{"a":"#.utf8
        closing.append(UInt8(ascii: "}"))
      }
    }
    return opening + value + closing.reversed()
  }

  /// Adds white space in places that allow it.
  private mutating func pad(_ entry: inout LineMembers.Entry) {
    let space = [UInt8](repeating: pick([0x20, 0x09, 0x0D]), count: Int.random(in: 1...40, using: &generator))
    if Bool.random(using: &generator) { entry.name += space }
    entry.value = space + entry.value + space
  }

  /// A name that is near the one that was there: the chains get links besides those that the transcripts name.
  private mutating func rename(_ entry: inout LineMembers.Entry) {
    guard entry.value.count > 2, entry.value.last == UInt8(ascii: "\"") else { return }
    entry.value.insert(
      UInt8.random(in: UInt8(ascii: "0")...UInt8(ascii: "9"), using: &generator), at: entry.value.count - 1)
  }

  /// Another line as payload, or a long text.
  private mutating func load(_ members: inout LineMembers) {
    let length = 1 << Int.random(in: 0..<15, using: &generator)
    let isLong = Int.random(in: 0..<4, using: &generator) == 0
    let text = [UInt8(ascii: "\"")] + [UInt8](repeating: UInt8(ascii: "x"), count: length) + [UInt8(ascii: "\"")]
    let value = isLong ? text : pick(lines).line
    if let place = members.entries.firstIndex(where: { LineMembers.text($0.name) == "payload" }) {
      members.entries[place].value = value
    } else {
      members.entries.append(LineMembers.Entry(name: Array(#""payload""#.utf8), value: value))
    }
  }
}
