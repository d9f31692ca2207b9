import FuzzKit

/// Makes up conditions and messages that have to do with each other: few names and few values, in all their spellings.
struct ConditionMaker {
  private var generator: SeededGenerator
  /// Whether lists may be long: comparing them takes time.
  private var mayBeLong = false

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
  private mutating func isLucky(_ outOf: Int) -> Bool { number(1...outOf) == 1 }
  private mutating func pick(_ words: [String]) -> String { words[number(0...words.count - 1)] }

  /// Members of an object of a condition. Those whose name was there are left out, mostly.
  private mutating func members(_ make: (inout ConditionMaker) -> (name: String, value: String)) -> String {
    var names: Set<String> = []
    var members: [String] = []
    for _ in 0..<number(1...3) {
      let (name, value) = make(&self)
      if names.insert(name.lowercased()).inserted || isLucky(40) {
        members.append("\(name)\(pick([":", " : "]))\(value)")
      }
    }
    return "{" + pick(["", "", " "]) + members.joined(separator: pick([",", ", "])) + "}"
  }

  private mutating func many(_ most: Int, _ make: (inout ConditionMaker) -> String) -> String {
    (0..<number(1...most)).map { _ in make(&self) }.joined(separator: pick([",", ",", ", ", " ,\t"]))
  }

  // MARK: Conditions

  mutating func condition() -> String {
    if isLucky(60) { return pick(["{}", "{ }", "[]", "1", "{\"payload\":{}}", "{\"payload\":[]}"]) }
    return members { maker in
      if maker.isLucky(100) { return ("\"topics\"", maker.alternatives()) }
      let part = maker.pick(["payload", "payload", "payload", "payload", "meta", "topic", "key", "identity", "$or"])
      switch part {
      case "$or": return ("\"$or\"", maker.either { $0.whole() })
      case "topic", "key", "identity": return ("\"\(part)\"", maker.texts())
      default: return ("\"\(part)\"", maker.below(3))
      }
    }
  }

  private mutating func whole() -> String {
    members { ("\"\($0.pick(["payload", "payload", "meta"]))\"", $0.below(2)) }
  }

  private mutating func either(_ branch: (inout ConditionMaker) -> String) -> String { "[" + many(3, branch) + "]" }

  private mutating func below(_ depth: Int) -> String {
    depth == 0 || isLucky(3) ? alternatives() : level(depth)
  }

  private mutating func level(_ depth: Int) -> String {
    members { maker in
      if maker.isLucky(5) { return ("\"$or\"", maker.either { $0.level(depth) }) }
      return (maker.wanted(), maker.below(depth - 1))
    }
  }

  private mutating func wanted() -> String {
    if isLucky(400) {
      return pick(["\"ä\"", "\"$a\"", "\"a\\u0000\"", "\"\(String(repeating: "n", count: number(255...257)))\""])
    }
    return "\"" + pick(["a", "a", "b", "st", "kiss", "I", "A", ";", "\\u0061", "\\n", "`", ""]) + "\""
  }

  private mutating func alternatives() -> String { isLucky(400) ? "[]" : "[" + many(3) { $0.alternative() } + "]" }

  /// Alternatives for what is always a text.
  private mutating func texts() -> String {
    "["
      + many(3) { maker in
        switch maker.number(1...6) {
        case 1...3: maker.said()
        case 4: "{\"prefix\":\(maker.said())}"
        case 5: "{\"exists\":\(maker.pick(["true", "false"]))}"
        default: "{\"anything-but\":\(maker.isLucky(20) ? maker.figure() : maker.said())}"
        }
      } + "]"
  }

  /// A text for a condition, which is seldom one that is refused.
  private mutating func said() -> String {
    if isLucky(60) { return text() }
    return "\""
      + pick([
        "a", "a", "b", "ab", "A", "1", "true", "300", "\\u0061", "ä", "Ä", "aä", "ſ", "{", "\\n", "\\/", "😀", "á",
      ]) + "\""
  }

  /// A number for a condition.
  private mutating func wantedFigure() -> String {
    if isLucky(60) { return figure() }
    return pick([
      "0", "1", "1", "2", "5", "-1", "300", "300.0", "3e2", "0.1", "9007199254740992", "9007199254740993", "1e22",
      "1e23", "1e308",
      "5e-324", "0.30000000000000004", "0e99999", "12345678901234567890123456789012", "-2.5",
    ])
  }

  private mutating func alternative() -> String {
    switch number(1...14) {
    case 1...3: return said()
    case 4, 5: return wantedFigure()
    case 6: return pick(["true", "false", "null"])
    case 7: return "{\"exists\":\(isLucky(50) ? "1" : pick(["true", "false"]))}"
    case 8: return "{\"prefix\":\(said())}"
    case 9: return "{\"suffix\":\(said())}"
    case 10: return "{\"equals-ignore-case\":\(said())}"
    case 11: return "{\"numeric\":\(comparison())}"
    case 12, 13: return "{\"anything-but\":\(excluded())}"
    default: return isLucky(12) ? pick(["{}", "[\"a\"]", "{\"wildcard\":\"*\"}", "{\"a\":1,\"b\":2}"]) : wantedFigure()
    }
  }

  private mutating func comparison() -> String {
    let one = { (maker: inout ConditionMaker) in
      "\"\(maker.pick(["=", "<", "<=", ">", ">="]))\",\(maker.wantedFigure())"
    }
    if isLucky(3) { return "[\"\(pick([">", ">="]))\",\(wantedFigure()),\"\(pick(["<", "<="]))\",\(wantedFigure())]" }
    return isLucky(20) ? "[" + one(&self) + "," + one(&self) + "]" : "[" + one(&self) + "]"
  }

  private mutating func excluded() -> String {
    switch number(1...6) {
    case 1: said()
    case 2: wantedFigure()
    case 3: "[" + many(3) { $0.said() } + "]"
    case 4: "[" + many(3) { $0.wantedFigure() } + "]"
    case 5: "{\"prefix\":\(said())}"
    default: isLucky(8) ? pick(["[]", "true", "{\"suffix\":\"a\"}", "[1,\"a\"]", "{}"]) : "[1]"
    }
  }

  // MARK: Messages

  /// The parts of a message, each as JSON.
  mutating func message() -> [String: String] {
    mayBeLong = isLucky(12)
    var parts = ["topic": text()]
    if !isLucky(12) { parts["payload"] = value(4) }
    if isLucky(2) { parts["meta"] = record(2) }
    if isLucky(2) { parts["key"] = text() }
    if isLucky(2) { parts["identity"] = text() }
    return parts
  }

  private mutating func value(_ depth: Int) -> String {
    switch number(1...(depth > 0 ? 12 : 6)) {
    case 1, 2: return text()
    case 3, 4: return figure()
    case 5: return pick(["true", "false", "null", "null"])
    case 6: return pick(["{}", "[]", "[ ]", "{ }", "[[]]", "[null]"])
    case 7...9: return record(depth - 1)
    default: return list(depth - 1)
    }
  }

  private mutating func record(_ depth: Int) -> String {
    "{" + many(4) { $0.name() + $0.pick([":", ": ", " : "]) + $0.value(depth) } + "}"
  }

  private mutating func list(_ depth: Int) -> String {
    guard mayBeLong, isLucky(3) else { return "[" + many(3) { $0.value(depth) } + "]" }
    let counts = [250, 254, 255, 256, 257, 258, 128, 64, 86, 300]
    let (element, last) = (value(depth), value(depth))
    let count = counts[number(0...counts.count - 1)]
    return "[" + Array(repeating: element, count: count).joined(separator: ",") + "," + last + "]"
  }

  private mutating func name() -> String {
    let plain = ["a", "a", "a", "b", "b", "st", "kiss", "I", "A", ";", "`", "", "c", "B", "KISS", "\\n"]
    let other = [
      "\\u0061", "a\\u0000", "a\\u0000b", "\\u0000", "ſt", "s\\u0074", "ﬆ", "ﬅ", "ST", "kiß", "Kiss", "kiẞ",
      "\\u212aiſs",
      "ı", "İ", "i", "\u{37E}", "\u{1FEF}", "ä", "a ", " a", "aa", "á", "\\u0130", "\\u00df", "kis", "ſſ", "\\/",
    ]
    if isLucky(150) { return "\"a\\u0000\(String(repeating: "x", count: number(4088...4092)))\"" }
    return "\"" + (isLucky(4) ? pick(other) : pick(plain)) + "\""
  }

  // MARK: Values for both

  private mutating func text() -> String {
    let plain = ["a", "a", "b", "ab", "ba", "A", "aB", "1", "", "true", "null", "300", "a b", "B"]
    let other = [
      "\\u0061", "a\\u0000", "\\u0000a", "ä", "Ä", "aä", "aÄ", "\\u00e4", "ſ", "aſ", "{", " [", "\\n{", "\\u007b",
      "\\\"{", " \\u0022",
      "\\ta",
      "\u{FEFF}[", "a\\\"", "\\\\", "\\/", "😀", "\\ud83d\\ude00", "a\u{301}", "á", "ab\\u0063", "\u{A0}{",
    ]
    if isLucky(200) { return "\"\(String(repeating: "\\u0061", count: number(681...684)))b\"" }
    return "\"" + (isLucky(4) ? pick(other) : pick(plain)) + "\""
  }

  private mutating func figure() -> String {
    let plain = [
      "0", "1", "1", "2", "5", "-1", "300", "300.0", "3e2", "1000", "0.1", "0.10", "1e0", "-0", "0.0", "10E-1",
    ]
    let other = [
      "9007199254740992", "9007199254740993", "9007199254740994", "9007199254740991.5", "0.1000000000000000055",
      "0.3", "0.30000000000000004", "1e22", "1e23", "99999999999999991611392", "1e308", "1e309", "-1e309", "1e-400",
      "5e-324",
      "1e9999", "1e00001", "1e99999", "0e99999", "1e-99999", "3.0e+2", "30000e-2", "0.003E5",
      "300.00000000000000000000001",
      "1234567890123456789012345678901", "12345678901234567890123456789012", "123456789012345678901234567890123",
      "1\(String(repeating: "0", count: 63))", "1\(String(repeating: "0", count: 64))",
      "1.\(String(repeating: "0", count: 62))",
      "1.\(String(repeating: "0", count: 63))", "-300", "2.5", "-2.5",
    ]
    return isLucky(3) ? pick(other) : pick(plain)
  }
}
