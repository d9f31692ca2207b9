import Testing

@testable import BatonCore

/// The rules for topics, patterns and names (contract, section 3).
@Suite struct WordsTests {
  private static let long = String(repeating: "x", count: 255)

  static let goodTopics = [
    "a", "door.open", "$baton", "a.$b", "京.é.😀", "-", "a_b.C-9", "\u{21}", "\u{A0}", "\u{7E}", "\"", "\\", "a/b", long,
    String(repeating: "a.", count: 127) + "a",
  ]
  static let badTopics = [
    "", ".", "a.", ".a", "a..b", "*", ">", "a.*", "a.>", "a*", "*a", "a>b", " ", "a b", "a\tb", "\u{0}", "a\u{1F}",
    "\u{7F}", "\u{80}", "a.\u{85}", "\u{9F}", long + "x", String(repeating: "é", count: 128),
  ]
  static let goodPatterns = goodTopics + ["*", ">", "a.*", "*.a", "*.*", "a.>", "*.>", "a.*.b.>", "$baton.>"]
  static let badPatterns = [
    "", ".", "a.", "..", "a..>", ">.a", "a.>.b", ">.>", "**", ">>", "*>", "a*", "*a", "a.b*", "a.*b", "a.>b", "b>",
    "a b", "\u{7F}", "*.", ">.", ".*", long + "x",
  ]
  static let goodNames = ["a", "A-Z_0.9", "main", "-", ".", "..", String(repeating: "n", count: 64)]
  static let badNames = ["", " ", "a b", "a/b", "é", "a\u{0}", "*", "$a", "a\"", String(repeating: "n", count: 65)]

  private func with<Result>(_ text: String, _ rule: (UnsafeRawBufferPointer) -> Result) -> Result {
    Array(text.utf8).withUnsafeBytes { rule($0) }
  }

  @Test func topics() {
    for topic in Self.goodTopics { #expect(with(topic, Words.complaint(topic:)) == nil, "\(topic)") }
    for topic in Self.badTopics { #expect(with(topic, Words.complaint(topic:)) != nil, "\(topic.debugDescription)") }
  }

  @Test func patterns() {
    for pattern in Self.goodPatterns { #expect(with(pattern, Words.complaint(pattern:)) == nil, "\(pattern)") }
    for pattern in Self.badPatterns {
      #expect(with(pattern, Words.complaint(pattern:)) != nil, "\(pattern.debugDescription)")
    }
  }

  @Test func names() {
    for name in Self.goodNames { #expect(with(name, Words.complaint(name:)) == nil, "\(name)") }
    for name in Self.badNames { #expect(with(name, Words.complaint(name:)) != nil, "\(name.debugDescription)") }
  }

  @Test func theServersOwnTopicsBeginWithADollar() {
    let all =
      ["$", "$baton.link"].map { with($0, Words.isServers) } + ["a.$", "", "a$"].map { with($0, Words.isServers) }
    #expect(all == [true, true, false, false, false])
  }

  @Test func complaintsSayWhere() {
    #expect(with("a..b", Words.complaint(topic:))?.contains("byte 2") == true)
    #expect(with("a.b*", Words.complaint(pattern:))?.contains("byte 3") == true)
    #expect(with("a.>.b", Words.complaint(pattern:))?.contains("byte 2") == true)
    #expect(with("ab cd", Words.complaint(name:))?.contains("byte 2") == true)
  }
}
