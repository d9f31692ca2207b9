import WorldKit

/// The few words that all peers share, so that they meet often.
enum Vocabulary {
  private static let words = ["door", "open", "é", "a", "b"]
  static let chains = ["main", "kitchen", "house"]
  static let names = ["porter", "cook", "spam", "n_5", "n-6", "N8"]
  private static let ownPatterns = [
    "$baton.>", "$baton.link.*", "$baton.message.*", "$baton.trace", "$baton.*.missed", "$baton.link.removed",
  ]

  static func topic(using luck: inout Generator) -> String {
    (0..<luck.between(1...3)).map { _ in luck.pick(words) }.joined(separator: ".")
  }

  private static func pattern(using luck: inout Generator) -> String {
    if luck.chance(40) { return ">" }
    var tokens = (0..<luck.between(1...3)).map { _ in luck.chance(30) ? "*" : luck.pick(words) }
    if luck.chance(50) { tokens[tokens.count - 1] = ">" }
    return tokens.joined(separator: ".")
  }

  static func patterns(using luck: inout Generator) -> [String] {
    (0..<(luck.chance(70) ? 1 : luck.between(2...4))).map { _ in pattern(using: &luck) }
  }

  static func ownPattern(using luck: inout Generator) -> String { luck.pick(ownPatterns) }
}
