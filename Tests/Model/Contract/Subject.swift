/// Topics and patterns (contract, section 3).
package enum Subject {
  /// `*` stands for one token, a last `>` for one or more. Neither stands for the first token of the server's own
  /// topics.
  package static func matches(_ topic: String, _ pattern: String, sparing: Bool = true) -> Bool {
    let tokens = topic.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if topic.utf8.first == UInt8(ascii: "$"), pattern.utf8.first != UInt8(ascii: "$"), sparing { return false }
    let wanted = pattern.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    for (index, token) in wanted.enumerated() {
      guard index < tokens.count else { return false }
      if token.elementsEqual(">".utf8) { return true }
      if !token.elementsEqual("*".utf8), !token.elementsEqual(tokens[index]) { return false }
    }
    return wanted.count == tokens.count
  }

  package static func matches(_ topic: String, anyOf patterns: [String]) -> Bool {
    patterns.contains { matches(topic, $0) }
  }
}
