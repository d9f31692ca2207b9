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

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// A topic of the server's own: `$baton.` and the rest.
  static func own(_ rest: String) -> Topic { ownTopics[rest] ?? Topic(own: rest) }

  private static let ownTopics: [String: Topic] = Dictionary(
    uniqueKeysWithValues: [
      "link.inserted", "link.replaced", "link.removed", "message.unhandled", "message.timeout", "trace",
      "subscriber.missed",
    ].map { ($0, Topic(own: $0)) })

  private init(own rest: String) {
    tokens = Vocabulary.ownTokens("$baton.\(rest)")
    bytes = Array("$baton.\(rest)".utf8)
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

  /// A pattern for the server's own topics.
  init(own text: String) {
    tokens = Vocabulary.ownTokens(text)
    self.text = text
  }

  var isOwn: Bool { tokens.first == Vocabulary.ownToken }

  /// The contract's matching, written a second time: `*` is one token, a last `>` one or more.
  func matches(_ topic: Topic) -> Bool {
    for (index, token) in tokens.enumerated() {
      guard index < topic.tokens.count else { return false }
      if index == 0, token == Self.one || token == Self.rest, topic.tokens[0] == Vocabulary.ownToken { return false }
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

  /// The token `$baton`, with which the server's own topics begin.
  static let ownToken = -10
  private static let ownWords = [
    "$baton", "link", "message", "subscriber", "trace", "inserted", "replaced", "removed", "unhandled", "timeout",
    "missed",
  ]
  private static let ownPatterns = [
    "$baton.>", "$baton.link.*", "$baton.message.*", "$baton.trace", "$baton.*.missed", "$baton.link.removed",
  ].map { Pattern(own: $0) }

  /// The tokens of a topic or a pattern of the server's own: below the wildcards' numbers.
  static func ownTokens(_ text: String) -> [Int] {
    text.split(separator: ".").map { word in
      switch word {
      case "*": Pattern.one
      case ">": Pattern.rest
      default: ownToken - (ownWords.firstIndex { $0 == word } ?? ownWords.count)
      }
    }
  }

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

  static func ownPattern(using luck: inout Generator) -> Pattern { luck.pick(ownPatterns) }
}
