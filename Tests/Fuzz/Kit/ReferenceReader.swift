/// A second opinion on what valid JSON is, written from RFC 8259. It has nothing in common with the scanner: it is
/// recursive, works on UTF-16, and leaves encodings and surrogates to the standard library. It is slow, and simple
/// enough to be trusted.
package struct ReferenceReader {
  /// What the reader says of a valid line.
  package struct Object: Equatable {
    /// The levels of nesting, with the object's own.
    package var depth = 1
    /// The names on the top level in order, with escapes resolved.
    package var names: [String] = []
    /// The kinds of their values: the first character, or `0` for all numbers.
    package var kinds: [Character] = []
  }

  private struct Invalid: Error {}

  private let units: [UInt16]
  private var place = 0
  private var depth = 0
  private var deepest = 0
  private var object = Object()

  /// The object that `line` is, or nil if it is not a valid JSON object.
  package static func read(_ line: [UInt8]) -> Object? {
    guard let text = String(validating: line, as: UTF8.self) else { return nil }
    var reader = ReferenceReader(units: Array(text.utf16))
    return try? reader.line()
  }

  private init(units: [UInt16]) {
    self.units = units
  }

  private var current: Character? {
    guard place < units.count, let scalar = Unicode.Scalar(units[place]) else { return nil }
    return Character(scalar)
  }

  private mutating func line() throws -> Object {
    skipSpace()
    guard current == "{" else { throw Invalid() }
    try value()
    skipSpace()
    guard place == units.count else { throw Invalid() }
    object.depth = deepest
    return object
  }

  private mutating func skipSpace() {
    while let here = current, " \t\r".unicodeScalars.contains(where: { Character($0) == here }) { place += 1 }
  }

  private mutating func take(_ expected: Character) -> Bool {
    guard current == expected else { return false }
    place += 1
    return true
  }

  private mutating func value() throws {
    switch current {
    case "{": try entries(until: "}")
    case "[": try entries(until: "]")
    case "\"": _ = try text()
    case "t": try word("true")
    case "f": try word("false")
    case "n": try word("null")
    default: try number()
    }
  }

  private mutating func entries(until closing: Character) throws {
    place += 1
    depth += 1
    deepest = max(deepest, depth)
    defer { depth -= 1 }
    skipSpace()
    if take(closing) { return }
    repeat {
      skipSpace()
      if closing == "}" {
        let name = try text()
        skipSpace()
        guard take(":") else { throw Invalid() }
        skipSpace()
        if depth == 1 {
          object.names.append(name)
          let first = current ?? " "
          object.kinds.append("-0123456789".contains(first) ? "0" : first)
        }
      }
      try value()
      skipSpace()
    } while take(",")
    guard take(closing) else { throw Invalid() }
  }

  private mutating func word(_ word: String) throws {
    for character in word {
      guard take(character) else { throw Invalid() }
    }
  }

  private mutating func number() throws {
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
  }

  private mutating func digits() throws {
    let start = place
    while let here = current, ("0"..."9").contains(here), here.isASCII { place += 1 }
    guard place > start else { throw Invalid() }
  }

  private mutating func text() throws -> String {
    guard take("\"") else { throw Invalid() }
    var content: [UInt16] = []
    while !take("\"") {
      guard place < units.count, units[place] >= 0x20 else { throw Invalid() }
      if take("\\") {
        content.append(try escape())
      } else {
        content.append(units[place])
        place += 1
      }
    }
    guard let text = String(validating: content, as: UTF16.self) else { throw Invalid() }
    return text
  }

  private mutating func escape() throws -> UInt16 {
    let meanings: [Character: UInt16] = [
      "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
    ]
    guard let letter = current else { throw Invalid() }
    place += 1
    if let meaning = meanings[letter] { return meaning }
    guard letter == "u", place + 4 <= units.count else { throw Invalid() }
    let digits = units[place..<place + 4].map { Unicode.Scalar($0).map(Character.init) ?? " " }
    guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { throw Invalid() }
    place += 4
    return digits.reduce(0) { $0 << 4 | UInt16($1.hexDigitValue ?? 0) }
  }
}
