/// The rules of patterns (contract, section 3), for one pattern. `PatternIndex` applies them to many patterns at once.
enum Pattern {
  static let star = UInt8(ascii: "*")

  /// Whether the topic matches the pattern.
  static func matches(_ topic: UnsafeRawBufferPointer, pattern: UnsafeRawBufferPointer) -> Bool {
    var (at, from) = (0, 0)
    while at <= pattern.count {
      let patternEnd = tokenEnd(pattern, from: at)
      let isTail = patternEnd - at == 1 && pattern[at] == UInt8(ascii: ">")
      let isStar = patternEnd - at == 1 && pattern[at] == star
      guard from <= topic.count else { return false }
      if from == 0, isTail || isStar, Words.isServers(topic) { return false }
      if isTail { return true }
      let topicEnd = tokenEnd(topic, from: from)
      if !isStar, !pattern.part(at, patternEnd).equals(topic.part(from, topicEnd)) { return false }
      at = patternEnd + 1
      from = topicEnd + 1
    }
    return from > topic.count
  }

  /// Whether every topic that the pattern matches is also matched by the other one.
  static func covers(_ pattern: UnsafeRawBufferPointer, within outer: UnsafeRawBufferPointer) -> Bool {
    var (at, from) = (0, 0)
    while at <= outer.count, from <= pattern.count {
      let (outerEnd, end) = (tokenEnd(outer, from: at), tokenEnd(pattern, from: from))
      let (mine, asked) = (outer.part(at, outerEnd), pattern.part(from, end))
      let isTail = mine.count == 1 && mine[0] == UInt8(ascii: ">")
      let isStar = mine.count == 1 && mine[0] == star
      if from == 0, isTail || isStar, Words.isServers(pattern) { return false }
      if isTail { return true }
      if asked.count == 1, asked[0] == UInt8(ascii: ">") { return false }
      if !isStar, !mine.equals(asked) { return false }
      at = outerEnd + 1
      from = end + 1
    }
    return at > outer.count && from > pattern.count
  }

  /// The offset after the token that begins at `start`.
  static func tokenEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: ".") { end += 1 }
    return end
  }

  /// The number that patterns count against their limit: 1 for each pattern, and 1 more for each token from the ninth
  /// on, because memory and time to match depend on the tokens.
  static func weight(of patterns: [[UInt8]]) -> Int { patterns.reduce(0) { $0 + weight(of: $1) } }

  /// The number that one pattern counts.
  static func weight(of pattern: some Collection<UInt8>) -> Int {
    max(1, pattern.count { $0 == UInt8(ascii: ".") } - 6)
  }
}
