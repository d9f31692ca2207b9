import WorldKit

/// A topic as peers write it, with its tokens as numbers so that matching needs no text.
struct Topic {
  let tokens: [Int]
  let bytes: [UInt8]

  /// A topic of the vocabulary's words; `mark` adds a last token of its own, which names one message among all.
  init(words: [Int], mark: Int? = nil) {
    var text = words.map { Vocabulary.words[$0] }.joined(separator: ".")
    if let mark { text += ".m\(mark)" }
    tokens = mark.map { words + [Vocabulary.words.count + $0] } ?? words
    bytes = Array(text.utf8)
  }
}

/// A pattern as peers write it: the numbers of words, or one of the two wildcards.
struct Pattern: Equatable {
  static let one = -1
  static let rest = -2

  let tokens: [Int]
  let text: String

  init(tokens: [Int]) {
    self.tokens = tokens
    text = tokens.map { $0 == Self.one ? "*" : $0 == Self.rest ? ">" : Vocabulary.words[$0] }.joined(separator: ".")
  }

  /// The contract's matching, written a second time: `*` is one token, a last `>` one or more.
  func matches(_ topic: Topic) -> Bool {
    for (index, token) in tokens.enumerated() {
      guard index < topic.tokens.count else { return false }
      if token == Self.rest { return true }
      if token != Self.one, token != topic.tokens[index] { return false }
    }
    return tokens.count == topic.tokens.count
  }
}

/// The few words that all peers share, so that they meet often.
enum Vocabulary {
  static let words = ["door", "open", "é", "a", "b"]
  static let chains = ["main", "kitchen", "house"]
  static let names = ["porter", "cook", "spam", "log", "audit", "n_5", "n-6", "n.7", "N8", "n9"]

  static func topic(using luck: inout Generator, mark: Int?) -> Topic {
    let chosen = (0..<luck.between(1...3)).map { _ in luck.below(words.count) }
    return Topic(words: chosen, mark: mark)
  }

  static func pattern(using luck: inout Generator) -> Pattern {
    if luck.chance(40) { return Pattern(tokens: [Pattern.rest]) }
    var tokens = (0..<luck.between(1...3)).map { _ in luck.chance(30) ? Pattern.one : luck.below(words.count) }
    if luck.chance(50) { tokens[tokens.count - 1] = Pattern.rest }
    return Pattern(tokens: tokens)
  }

  static func patterns(using luck: inout Generator) -> [Pattern] {
    (0..<(luck.chance(70) ? 1 : luck.between(2...4))).map { _ in pattern(using: &luck) }
  }
}
