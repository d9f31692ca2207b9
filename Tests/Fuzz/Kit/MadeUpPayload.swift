/// Payloads as they come in messages, made up: those of one kind and length all differ, as no reader of a benchmark should
/// know what comes next.
package enum PayloadKind: String, CaseIterable, Sendable {
  /// Objects of numbers, texts and lists, as a service writes them.
  case records
  /// The same with blanks, as Python writes them, and in lines that became one.
  case spaced, pretty
  case numbers, integers, coordinates
  /// `true`, `false`, `null` and what is empty.
  case words
  case umlauts, chinese, emoji
  /// Texts in which all beyond ASCII is escaped, and texts with many quotes.
  case escaped, quotes
  /// One text.
  case text, chineseText = "chinese text"
  case deep
}

/// Makes payloads. The same seed makes the same ones.
package struct PayloadMaker {
  private var generator: SeededGenerator

  package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// A payload of about so many bytes, and not more.
  package mutating func payload(_ kind: PayloadKind, bytes: Int) -> [UInt8] {
    switch kind {
    case .text: return text(bytes, Self.words, " ")
    case .chineseText: return text(bytes, Self.chinese, "")
    default: break
    }
    let (comma, colon) = kind == .spaced || kind == .pretty ? (", ", ": ") : (",", ":")
    var made: [UInt8] = [UInt8(ascii: "[")]
    while true {
      let spelled = kind == .pretty ? "   \(entry(kind, comma + "      ", colon))   " : entry(kind, comma, colon)
      let entry = Array((spelled + comma).utf8)
      if made.count + entry.count + 3 > bytes { break }
      made += entry
    }
    let rest = String(repeating: "x", count: max(0, bytes - made.count - 3))
    return made + Array("\"\(rest)\"]".utf8)
  }

  private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
  private mutating func pick(_ words: [String]) -> String { words[number(0..<words.count)] }
  private mutating func phrase(_ words: [String], _ count: Range<Int>, _ separator: String) -> String {
    (0..<number(count)).map { _ in pick(words) }.joined(separator: separator)
  }

  private mutating func text(_ bytes: Int, _ words: [String], _ separator: String) -> [UInt8] {
    var made = "{\"text\":\""
    while true {
      let word = pick(words) + separator
      if made.utf8.count + word.utf8.count + 2 > bytes { break }
      made += word
    }
    return Array((made + "\"}").utf8)
  }

  private mutating func decimal() -> String { "\(number(-180..<180)).\(number(1..<1_000_000))" }

  private mutating func entry(_ kind: PayloadKind, _ comma: String, _ colon: String) -> String {
    func object(_ members: [(String, String)]) -> String {
      "{" + members.map { "\"\($0.0)\"\(colon)\($0.1)" }.joined(separator: comma) + "}"
    }
    switch kind {
    case .records, .spaced, .pretty: return record(object, comma)
    case .numbers:
      let exponent = "\(number(1..<10)).\(number(0..<1000))e\(pick(["-", "+", ""]))\(number(0..<20))"
      let integers = [0..<10, -1000..<100_000, 0..<1_000_000_000].map { "\(number($0))" }
      return pick(integers + [decimal(), exponent])
    case .integers: return "\(number(0..<20_000))"
    case .coordinates: return "[\(decimal())\(comma)\(decimal())]"
    case .words: return pick(["true", "false", "null", "0", "\"\"", "[]", "{}"])
    case .umlauts: return object([("name", quoted(phrase(Self.umlauts, 1..<6, " "))), ("n", "\(number(0..<99))")])
    case .chinese: return object([("名前", quoted(phrase(Self.chinese, 3..<20, ""))), ("n", "\(number(0..<99))")])
    case .emoji:
      return object([("text", quoted(phrase(Self.words + Self.emoji, 1..<6, " "))), ("n", "\(number(0..<99))")])
    case .escaped: return object([("text", quoted(Self.escaped(phrase(Self.umlauts + Self.chinese, 1..<6, " "))))])
    case .quotes: return object([("t", quoted(phrase(Self.words, 1..<6, "\\\"") + "\\n"))])
    case .deep: return nested(number(3..<40))
    case .text, .chineseText: return quoted(pick(Self.words))
    }
  }

  private mutating func record(_ object: ([(String, String)]) -> String, _ comma: String) -> String {
    let tags = (0..<number(0..<4)).map { _ in quoted(pick(Self.words)) }.joined(separator: comma)
    return object([
      ("id", "\(number(1..<1_000_000))"), ("door", "\(number(1..<300))"), ("open", pick(["true", "false"])),
      ("who", quoted(phrase(Self.words, 1..<3, " "))), ("level", decimal()), ("tags", "[\(tags)]"),
      ("note", quoted(phrase(Self.words, 1..<8, pick([" ", "\\n", "\\\""])))), ("floor", pick(["null", "1", "-1"])),
      ("place", object([("lat", decimal()), ("lon", decimal())])),
    ])
  }

  /// Objects and arrays within each other.
  private mutating func nested(_ levels: Int) -> String {
    var (opening, closing) = ("", "")
    for level in 0..<levels {
      let isObject = number(0..<2) == 0
      opening += isObject ? "{\"k\(level)\":" : "["
      closing = (isObject ? "}" : number(0..<3) == 0 ? ",1]" : "]") + closing
    }
    return opening + pick(["1", "null", "\"a\"", "[]", "{}"]) + closing
  }

  private static func split(_ words: String) -> [String] { words.split(separator: " ").map(String.init) }

  private func quoted(_ text: String) -> String { "\"\(text)\"" }

  private static func escaped(_ text: String) -> String {
    text.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return unit < 128
        ? String(decoding: [unit], as: UTF16.self) : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }

  private static let words = split(
    "the gate was open when we came and nobody had told the porter so he went home again")
  private static let umlauts = split("die Straße über Brücken öffnet für große Wärter älterer Türen grün gemäß müde")
  private static let chinese = "京都東京大阪門番開閉扉鍵夜朝雨雪山川森空海道橋城町村人名日月火水木金土".map(String.init)
  private static let emoji = "😀😂🚪🔑🏠🚲🎉🔥".map(String.init)
}
