/// The patterns of one request, prepared to be held against many topics: words are compared as numbers.
struct PreparedPatterns {
  private let seed: UInt64
  private(set) var patterns: [[UInt8]]
  /// The words of all patterns, one pattern behind the other.
  private var words: [Int64] = []
  /// Where the words of each pattern end.
  private var ends: [Int] = []

  private static let star: Int64 = -1
  private static let tail: Int64 = -2
  /// The most words of a topic.
  private static let mostWords = 128

  init(_ patterns: [[UInt8]], seed: UInt64) {
    self.seed = seed
    self.patterns = patterns
    prepare()
  }

  private mutating func prepare() {
    (words, ends) = ([], [])
    for pattern in patterns {
      pattern.withUnsafeBytes { bytes in
        eachWord(of: bytes) { word in
          words.append(
            word.count == 1 && word[0] == Pattern.star
              ? Self.star : word.count == 1 && word[0] == UInt8(ascii: ">") ? Self.tail : number(of: word))
        }
      }
      ends.append(words.count)
    }
  }

  private func number(of word: UnsafeRawBufferPointer) -> Int64 { Int64(word.hash(seed: seed)) }

  private func eachWord(of bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var start = 0
    while start <= bytes.count {
      let end = Pattern.tokenEnd(bytes, from: start)
      body(bytes.part(start, end))
      start = end + 1
    }
  }

  /// Whether one of them matches every topic.
  var haveAll: Bool { patterns.contains([UInt8(ascii: ">")]) }

  mutating func remove(_ pattern: [UInt8]) {
    patterns.removeAll { $0 == pattern }
    prepare()
  }

  /// Whether a topic matches one of the patterns. What that costs is added to `cost`: most of it are the words that are
  /// compared.
  func matches(_ topic: UnsafeRawBufferPointer, _ cost: inout Int) -> Bool {
    withUnsafeTemporaryAllocation(of: Int64.self, capacity: Self.mostWords + 1) { numbers in
      var count = 0
      eachWord(of: topic) { word in
        guard count <= Self.mostWords else { return }
        numbers[count] = number(of: word)
        count += 1
      }
      cost &+= Cost.look &+ topic.count >> 2
      return isMatch(topic, UnsafeMutableBufferPointer(rebasing: numbers[..<count]), &cost)
    }
  }

  private func isMatch(
    _ topic: UnsafeRawBufferPointer, _ numbers: UnsafeMutableBufferPointer<Int64>, _ cost: inout Int
  ) -> Bool {
    var start = 0
    var looks = 0
    defer { cost &+= looks >> 2 }
    for index in ends.indices {
      let end = ends[index]
      defer { start = end }
      var at = 0
      while start + at < end, at < numbers.count, words[start + at] == numbers[at] || words[start + at] == Self.star {
        at += 1
      }
      looks &+= at &+ 4
      let isTail = start + at < end && at < numbers.count && words[start + at] == Self.tail
      guard isTail || start + at == end && at == numbers.count else { continue }
      // Two words may have one number; and what matches the server's own topics is for `Pattern` to say.
      looks &+= topic.count
      if patterns[index].withUnsafeBytes({ Pattern.matches(topic, pattern: $0) }) { return true }
    }
    return false
  }
}
