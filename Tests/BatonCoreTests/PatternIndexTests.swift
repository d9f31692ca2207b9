import FuzzKit
import Testing

@testable import BatonCore

/// Which patterns match which topics (contract, section 3).
@Suite struct PatternIndexTests {
  /// The rule as the contract says it, on lists of tokens.
  private func matches(_ topic: [String], _ pattern: [String]) -> Bool {
    for (at, token) in pattern.enumerated() {
      guard at < topic.count else { return false }
      if token == ">" || token == "*", at == 0, topic[0].hasPrefix("$") { return false }
      if token == ">" { return true }
      if token != "*", token != topic[at] { return false }
    }
    return topic.count == pattern.count
  }

  private func tokens(_ text: String) -> [String] {
    text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  private func bytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Array(text.utf8).withUnsafeBytes { body($0) }
  }

  private func plain(_ topic: String, _ pattern: String) -> Bool {
    bytes(topic) { topic in bytes(pattern) { Pattern.matches(topic, pattern: $0) } }
  }

  private func found(_ topic: String, in index: borrowing PatternIndex<Link>, under root: Slot<PatternNode>) -> [UInt32]
  {
    var found = FoundOwners<Link>()
    let bytes = Array(topic.utf8)
    bytes.withUnsafeBytes { index.match($0, under: root, into: &found) }
    return (0..<found.count).map { found[$0].index }.sorted()
  }

  private func insert(
    _ pattern: String, _ value: UInt32, into index: inout PatternIndex<Link>, under root: Slot<PatternNode>
  )
    -> Ref<PatternEntry>
  {
    let bytes = Array(pattern.utf8)
    return bytes.withUnsafeBytes { index.insert($0, for: Slot(value), under: root) }
  }

  static let rules: [(topic: String, pattern: String, isMatch: Bool)] = [
    ("a", "a", true), ("a", "b", false), ("a", "a.b", false), ("a.b", "a", false), ("ab", "a", false),
    ("a.b", "a.b", true), ("a.b", "a.*", true), ("a.b", "*.b", true), ("a.b", "*.*", true), ("a.b", "*", false),
    ("a", "*", true), ("a.b.c", "a.*", false), ("a.b.c", "a.*.c", true), ("a.b.c", "*.b.*", true),
    ("a", ">", true), ("a.b.c", ">", true), ("a", "a.>", false), ("a.b", "a.>", true), ("a.b.c", "a.>", true),
    ("a.b.c", "*.>", true), ("a", "*.>", false), ("b.a", "a.>", false), ("a.b.c", "a.*.>", true),
    ("a.b", "a.*.>", false),
    ("$sys", ">", false), ("$sys", "*", false), ("$sys.a", "*.a", false), ("$sys.a", "*.>", false),
    ("$sys", "$sys", true), ("$sys.a", "$sys.*", true), ("$sys.a.b", "$sys.>", true), ("a.$sys", "a.*", true),
    ("a.$sys", "a.>", true), ("a.$sys", ">", true), ("$", ">", false), ("$", "$", true),
    ("ä.京", "ä.*", true), ("A", "a", false),
  ]

  @Test(arguments: rules)
  func followsTheRule(_ rule: (topic: String, pattern: String, isMatch: Bool)) {
    var index = PatternIndex<Link>(seed: 3)
    let root = index.makeRoot()
    _ = insert(rule.pattern, 1, into: &index, under: root)
    let inIndex = found(rule.topic, in: index, under: root)
    let prepared = PreparedPatterns(["x.y", rule.pattern, "$x"].map { Array($0.utf8) }, seed: 5)
    var cost = 0
    #expect(bytes(rule.topic) { prepared.matches($0, &cost) } == rule.isMatch)
    #expect(cost > 0)
    #expect(matches(tokens(rule.topic), tokens(rule.pattern)) == rule.isMatch)
    #expect(plain(rule.topic, rule.pattern) == rule.isMatch)
    #expect(inIndex == (rule.isMatch ? [1] : []))
  }

  @Test func treesKnowNothingOfEachOther() {
    var index = PatternIndex<Link>(seed: 3)
    let (left, right) = (index.makeRoot(), index.makeRoot())
    _ = insert("a.*", 1, into: &index, under: left)
    _ = insert("a.*", 2, into: &index, under: right)
    let (inLeft, inRight) = (found("a.b", in: index, under: left), found("a.b", in: index, under: right))
    #expect(inLeft == [1] && inRight == [2])
  }

  private struct Patterns {
    var generator: SeededGenerator

    mutating func topic() -> String {
      let tokens = ["a", "b", "c", "$s", "aa"]
      return (0..<Int.random(in: 1...5, using: &generator))
        .map { _ in tokens.randomElement(using: &generator) ?? "a" }.joined(separator: ".")
    }

    mutating func pattern() -> String {
      var tokens = topic().split(separator: ".").map(String.init)
      for at in tokens.indices where Bool.random(using: &generator) { tokens[at] = "*" }
      if Int.random(in: 0..<4, using: &generator) == 0 { tokens[tokens.count - 1] = ">" }
      return tokens.joined(separator: ".")
    }
  }

  /// The index, the plain comparison and the contract's rule agree while patterns come and go. Once all patterns are
  /// gone, nothing is left, and the tree can be ended.
  @Test(arguments: [UInt64(1), 2, 3])
  func agreesWithTheRule(seed: UInt64) {
    var words = Patterns(generator: SeededGenerator(seed: seed))
    var index = PatternIndex<Link>(seed: seed)
    let root = index.makeRoot()
    var there: [UInt32: (pattern: String, entry: Ref<PatternEntry>)] = [:]
    for value in UInt32(0)..<600 {
      let pattern = words.pattern()
      there[value] = (pattern, insert(pattern, value, into: &index, under: root))
      if value % 2 == 1, let gone = there.keys.sorted().randomElement(using: &words.generator), let entry = there[gone]
      {
        index.remove(entry.entry)
        index.remove(entry.entry)
        there[gone] = nil
      }
      let topic = words.topic()
      let expected = there.filter { matches(tokens(topic), tokens($0.value.pattern)) }.keys.sorted()
      let plainly = there.filter { plain(topic, $0.value.pattern) }.keys.sorted()
      let inIndex = found(topic, in: index, under: root)
      #expect(inIndex == expected && plainly == expected, "seed \(seed), topic \(topic)")
    }
    let count = index.count
    #expect(count == there.count)
    for (_, entry) in there { index.remove(entry.entry) }
    let (left, any) = (index.count, found("a.b", in: index, under: root))
    #expect(left == 0 && any.isEmpty)
    index.removeRoot(root)
  }
}
