/// The rules of patterns for the lists in `accepts`, pattern by pattern. A pattern that begins with `$` matches no message.
extension Pattern {
  /// How many patterns are compared before the rest counts as not covered: a file may have many.
  private static let mostComparisons = 100_000

  /// Those of the patterns that no other one covers.
  static func uncovered(_ patterns: [String], by others: [String]) -> [String] {
    let same = Set(others)
    let rest = patterns.filter { !same.contains($0) && !$0.hasPrefix("$") }
    guard !rest.isEmpty else { return [] }
    let wild = others.filter { $0.contains("*") || $0.hasSuffix(">") }.map { Array($0.utf8) }
    var left = mostComparisons
    return rest.filter { text in
      left -= wild.count
      guard left >= 0 else { return true }
      return Array(text.utf8).withUnsafeBytes { pattern in
        !wild.contains { outer in outer.withUnsafeBytes { covers(pattern, within: $0) } }
      }
    }
  }

  /// Whether a topic of a message matches one of the patterns and one of the others.
  static func overlap(_ patterns: [[UInt8]], _ others: [[UInt8]]) -> Bool {
    patterns.contains { one in
      one.withUnsafeBytes { mine in others.contains { $0.withUnsafeBytes { overlap(mine, $0) } } }
    }
  }

  /// Whether a topic of a message matches both patterns.
  static func overlap(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard !Words.isServers(one), !Words.isServers(other) else { return false }
    var (at, from) = (0, 0)
    while at <= one.count, from <= other.count {
      let (end, otherEnd) = (tokenEnd(one, from: at), tokenEnd(other, from: from))
      let (word, otherWord) = (one.part(at, end), other.part(from, otherEnd))
      if isOnly(word, UInt8(ascii: ">")) || isOnly(otherWord, UInt8(ascii: ">")) { return true }
      if !isOnly(word, star), !isOnly(otherWord, star), !word.equals(otherWord) { return false }
      at = end + 1
      from = otherEnd + 1
    }
    return at > one.count && from > other.count
  }

  private static func isOnly(_ word: UnsafeRawBufferPointer, _ byte: UInt8) -> Bool {
    word.count == 1 && word[0] == byte
  }
}
