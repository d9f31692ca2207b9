/// Makes lines that are nearly right. It begins with a right line, and changes its bytes a few times.
package struct LineMutator {
  package static let seeds: [[UInt8]] = [
    #"{"op":"send","id":1,"topic":"door.open","payload":{"door":3,"who":"somebody"},"meta":null,"timeout_ms":30000}"#,
    #"{"op":"insert","id":"a","handler":"porter","accepts":["door.*","a.>"],"at":"front","window":16,"share":false}"#,
    #"{"op":"replace","handler":"porter","as":"guard","on_failure":{"timeout":"stop","breaker":"continue"}}"#,
    #"{"op":"handled","id":7,"payload":[1,-0,2.5e-3,1E9,true,false,null,"",{},[],[[{"a":[0]}]]]}"#,
    #"{ "op" : "broadcast" , "topic":"über.straße.京都.😀","payload":"a\"\\\/\b\f\n\r\tA\u00e9\ud83d\ude00z" }"#,
    #"{"o\u0070":"reject","message":"no \"entry\" here, and a longer text to skip over in blocks","code":-42}"#,
    #"{"op":"hello","name":"cli","token":"t","heartbeat_ms":100,"unknown":0,"reply":true}"#,
    #"{"op":"cancel","id":9,"request":7}"#,
    #"{}"#,
  ].map { Array($0.utf8) }

  /// Lines of 300 to 3,000 bytes with a payload of each kind: of shorter ones, little is read in blocks.
  package static let longSeeds: [[UInt8]] = {
    var maker = PayloadMaker(seed: 1)
    return PayloadKind.allCases.flatMap { kind in
      [300, 700, 1500, 3000].map { bytes in
        Array(#"{"op":"send","id":1,"topic":"door.open","payload":"#.utf8) + maker.payload(kind, bytes: bytes - 70)
          + Array(#","meta":null}"#.utf8)
      }
    }
  }()

  /// Pieces that matter to a scanner.
  private static let pieces: [[UInt8]] =
    [
      "\"", "\\", "{", "}", "[", "]", ",", ":", " ", "\t", "\r", "\u{0}", "\u{1f}", "\u{7f}", "0", "-", "1e5", ".5",
      "01",
      "true", "false", "null", "nul", "é", "京", "😀", "\\u", "\\ud83d", "\\ude00", "\\u0000", "\\n", "\\x", "\"op\":1,",
      "\"t\\u006fpic\":2,", ",\"id\":3", "{\"a\":[", "]}", "[1,2]", "aaaaaaaaaaaaaaaaaaaaaaaa",
    ].map { Array($0.utf8) } + [
      [0x80], [0xC0, 0x80], [0xC2], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xEF, 0xBB, 0xBF], [0xF0, 0x8F],
      [0xF4, 0x90, 0x80, 0x80], [0xFF], [0x0A], Array(repeating: UInt8(ascii: "["), count: 130),
    ]

  private let lines: [[UInt8]]
  private var generator: SeededGenerator

  /// `lines` are the lines with which it begins, at least one.
  package init(seed: UInt64, lines: [[UInt8]] = seeds) {
    self.lines = lines
    generator = SeededGenerator(seed: seed)
  }

  /// The next line.
  package mutating func next() -> [UInt8] {
    var line = pick(lines)
    for _ in 0..<Int.random(in: 0...4, using: &generator) { change(&line) }
    return line
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }

  private mutating func range(in line: [UInt8]) -> Range<Int> {
    let first = Int.random(in: 0...line.count, using: &generator)
    let length = Int.random(in: 0...24, using: &generator)
    return first..<min(line.count, first + length)
  }

  /// Changes a line once: flips, cuts, splices, repeats, escapes.
  package mutating func change(_ line: inout [UInt8]) {
    let place = Int.random(in: 0...line.count, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: if place < line.count { line[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
    case 1: if place < line.count { line[place] = UInt8.random(in: 0...255, using: &generator) }
    case 2: line.insert(contentsOf: pick(Self.pieces), at: place)
    case 3: line.replaceSubrange(range(in: line), with: pick(Self.pieces))
    case 4: line.removeSubrange(range(in: line))
    case 5: line.insert(contentsOf: line[range(in: line)], at: place)
    case 6: line.removeSubrange(place...)
    case 7:
      let other = pick(lines)
      line.replaceSubrange(place..., with: other[min(place, other.count)...])
    case 8: spellAsEscape(&line, near: place)
    default: insertAtPunctuation(&line, near: place)
    }
  }

  /// Keeps a valid line valid: an ASCII letter becomes its escape.
  private mutating func spellAsEscape(_ line: inout [UInt8], near place: Int) {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard let index = line[place...].firstIndex(where: letters.contains) else { return }
    let digits = String(line[index], radix: 16, uppercase: Bool.random(using: &generator))
    line.replaceSubrange(index...index, with: Array("\\u00\(digits)".utf8))
  }

  /// Keeps a valid line valid in most places: white space, or an entry more.
  private mutating func insertAtPunctuation(_ line: inout [UInt8], near place: Int) {
    guard let index = line[place...].firstIndex(of: UInt8(ascii: ",")) else { return }
    let piece = pick([" ", "\r\t", ",\"chain\":\"b\"", ",\"key\":[]", ",1"])
    line.insert(contentsOf: Array(piece.utf8), at: index)
  }
}
