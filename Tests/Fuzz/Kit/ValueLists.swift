/// Lists of short values, all of a kind: what can stand in a row, at the end of a block of 64 bytes, and in a text.
///
/// Each list is counted, and each of its values can be made alone: a test of some seconds takes every so many, and
/// `baton-fuzz lists` takes all.
package struct ValueList: Sendable {
  package let name: String
  private let tokens: [[UInt8]]
  private let length: Int
  /// Bytes of text before the row, in an array around both; nil if the row stands alone.
  private let padding: Int?
  private let isText: Bool

  private init(
    _ name: String, _ tokens: [[UInt8]], length: Int, padding: Int? = nil, isText: Bool = false
  ) {
    self.name = name
    self.tokens = tokens
    self.length = length
    self.padding = padding
    self.isText = isText
  }

  /// As many values as the list has.
  package var count: Int { (0..<length).reduce(1) { count, _ in count * tokens.count } }

  /// The value of a number below `count`. It may be no value at all.
  package func value(_ number: Int) -> [UInt8] {
    var row: [UInt8] = []
    var left = number
    for _ in 0..<length {
      row += tokens[left % tokens.count]
      left /= tokens.count
    }
    if isText { row = [UInt8(ascii: "\"")] + row + [UInt8(ascii: "\"")] }
    guard let padding else { return row }
    let text = padding < 3 ? "" : "\"" + String(repeating: "x", count: padding - 3) + "\","
    return Array(("[" + text).utf8) + row + [UInt8(ascii: "]")]
  }

  private static func lists(
    _ name: String, _ tokens: [[UInt8]], lengths: ClosedRange<Int>, padding: [Int?] = [nil], isText: Bool = false
  ) -> [ValueList] {
    padding.flatMap { padding in
      lengths.map { ValueList(name, tokens, length: $0, padding: padding, isText: isText) }
    }
  }

  private static func bytes(_ tokens: [String]) -> [[UInt8]] { tokens.map { Array($0.utf8) } }

  /// All lists.
  package static let all: [ValueList] = {
    let tokens = bytes(["{", "}", "[", "]", ",", ":", "\"a\"", "1"])
    let numbers = bytes(["0", "1", "-", "+", ".", "e"])
    let words = bytes(["true", "false", "null", "tru", "fals", "nul", "nulll", "True", ",", " ", "1", "e", ":", "\""])
    let escapes = bytes(["\\", "\"", "u", "0", "d", "8", "c", "x"])
    let units = bytes([
      "\\ud83d", "\\ude00", "\\u0041", "\\uD7FF", "\\uDBFF\\uDFFF", "\\\\", "\\n", "x", "\\uE000", "\\uzzzz", "ud83d",
      "\\udc00", "\\\"", "\\/",
    ])
    let anyByte = (UInt8.min...UInt8.max).filter { $0 != UInt8(ascii: "\n") }.map { [$0] }
    // Those at the borders of what UTF-8 allows.
    let border: [[UInt8]] = [
      0x22, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
      0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ].map { [$0] }
    return lists("tokens", tokens, lengths: 1...7)
      + lists("tokens over the end of a block", tokens, lengths: 1...5, padding: Array(54..<70))
      + lists("numbers", numbers, lengths: 1...8, padding: [0])
      + lists("numbers over the end of a block", numbers, lengths: 1...6, padding: Array(56..<68))
      + lists("words over the end of a block", words, lengths: 1...4, padding: Array(52..<68))
      + lists("escapes", escapes, lengths: 1...7, padding: [0], isText: true)
      + lists("escapes over the end of a block", escapes, lengths: 1...5, padding: Array(54..<66), isText: true)
      + lists("units over the end of a block", units, lengths: 1...4, padding: Array(40..<66), isText: true)
      + lists("any two bytes in a text", anyByte, lengths: 2...2, padding: Array(56..<66), isText: true)
      + lists("any two bytes", anyByte, lengths: 2...2, padding: Array(56..<66))
      + lists("UTF-8", border, lengths: 4...4, padding: Array(56..<66), isText: true)
  }()
}
