/// Reads JSON strictly (RFC 8259), from the first byte to the last.
struct JSONTreeReader {
  private let bytes: [UInt8]
  private let most: Int
  private var at = 0
  private var level = 0

  init(bytes: [UInt8], most: Int) { (self.bytes, self.most) = (bytes, most) }

  /// The only value of the text.
  mutating func whole() throws(JSONTree.Fault) -> JSONTree {
    let tree = try value()
    skipSpaces()
    guard at == bytes.count else { throw wrong("there is something behind its end") }
    return tree
  }

  private mutating func value() throws(JSONTree.Fault) -> JSONTree {
    skipSpaces()
    let start = at
    let value: JSONTree.Value
    switch peek {
    case UInt8(ascii: "{"): value = try object()
    case UInt8(ascii: "["): value = try list()
    case UInt8(ascii: "\""): value = .text(try text())
    case UInt8(ascii: "t"): value = try word("true", .flag(true))
    case UInt8(ascii: "f"): value = try word("false", .flag(false))
    case UInt8(ascii: "n"): value = try word("null", .null)
    default: value = try number()
    }
    return JSONTree(value, start..<at)
  }

  private mutating func object() throws(JSONTree.Fault) -> JSONTree.Value {
    try enter()
    var members: [JSONTree.Member] = []
    var names: Set<[UInt8]> = []
    skipSpaces()
    if take("}") { return leave(.object(members)) }
    while true {
      skipSpaces()
      let start = at
      guard peek == UInt8(ascii: "\"") else { throw wrong("a member has no name") }
      let name = try text()
      guard names.insert(Array(name.utf8)).inserted else {
        throw JSONTree.Fault(words: "the member \"\(name.prefix(60))\" stands twice", isJSON: true)
      }
      skipSpaces()
      guard take(":") else { throw wrong("a member has no value") }
      members.append(JSONTree.Member(name: name, start: start, value: try value()))
      skipSpaces()
      if take("}") { return leave(.object(members)) }
      guard take(",") else { throw wrong("an object has no end") }
    }
  }

  private mutating func list() throws(JSONTree.Fault) -> JSONTree.Value {
    try enter()
    var elements: [JSONTree] = []
    skipSpaces()
    if take("]") { return leave(.list(elements)) }
    while true {
      elements.append(try value())
      skipSpaces()
      if take("]") { return leave(.list(elements)) }
      guard take(",") else { throw wrong("a list has no end") }
    }
  }

  private mutating func enter() throws(JSONTree.Fault) {
    at += 1
    level += 1
    guard level <= most else { throw JSONTree.Fault(words: "it has more than \(most) levels", isJSON: true) }
  }

  private mutating func leave(_ value: JSONTree.Value) -> JSONTree.Value {
    level -= 1
    return value
  }

  /// A text with its quotes.
  private mutating func text() throws(JSONTree.Fault) -> String {
    at += 1
    var text: [UInt8] = []
    var start = at
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        text += bytes[start..<at]
        at += 1
        // What came is UTF-8, and an escape is a whole character.
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        text += bytes[start..<at]
        text += String(try escape()).utf8
        start = at
      case ..<0x20: throw wrong("a text has a control character")
      default: at += 1
      }
    }
    throw wrong("a text has no end")
  }

  private static let plain: [UInt8: Unicode.Scalar] = [
    UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
    UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
  ]

  private mutating func escape() throws(JSONTree.Fault) -> Unicode.Scalar {
    at += 1
    let sign = peek ?? 0
    at += 1
    if let scalar = Self.plain[sign] { return scalar }
    guard sign == UInt8(ascii: "u") else { throw wrong("a text has an escape that is none") }
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if (0xD800..<0xDC00).contains(first), take("\\"), take("u") {
      let second = try unit()
      if (0xDC00..<0xE000).contains(second),
        let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
      {
        return scalar
      }
    }
    throw JSONTree.Fault(words: "a text has a half of a surrogate pair", isJSON: true)
  }

  /// Four hex digits.
  private mutating func unit() throws(JSONTree.Fault) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw wrong("a text has an escape that is none")
      }
      unit = unit << 4 | UInt32(digit)
      at += 1
    }
    return unit
  }

  private mutating func number() throws(JSONTree.Fault) -> JSONTree.Value {
    let start = at
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      try digits()
    }
    guard let number = Double(String(decoding: bytes[start..<at], as: UTF8.self)), number.isFinite else {
      throw JSONTree.Fault(words: "it has a number that is too large", isJSON: true)
    }
    return .number
  }

  private mutating func digits() throws(JSONTree.Fault) {
    let start = at
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
    if at == start { throw wrong("a value is none of JSON") }
  }

  private mutating func word(_ word: StaticString, _ value: JSONTree.Value) throws(JSONTree.Fault) -> JSONTree.Value {
    let end = at + word.utf8CodeUnitCount
    let isIt = word.withUTF8Buffer { end <= bytes.count && bytes[at..<end].elementsEqual($0) }
    guard isIt else { throw wrong("a value is none of JSON") }
    at = end
    return value
  }

  private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: sign) else { return false }
    at += 1
    return true
  }

  private mutating func skipSpaces() {
    while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
  }

  private func wrong(_ words: String) -> JSONTree.Fault {
    JSONTree.Fault(words: "\(words) (at byte \(at))", isJSON: false)
  }
}
