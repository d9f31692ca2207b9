import BatonCore
import Testing

@testable import BatonConfig

/// `topics`: what they become, what is shown of them, and what a reload tells.
@Suite struct TopicsFileTests {
  private static let page = """
    topics:
      - { pattern: chat.>, keep: 1000, keep_ms: 3600000 }
      - { pattern: '*.state', keep: 1 }
    """

  private static func configuration(_ text: String) throws -> Configuration {
    try Configuration(file: readOpen(text), flags: Configuration.Flags())
  }

  @Test func whatTheyBecome() throws {
    #expect(
      try Self.configuration(Self.page).coreSettings().keptTopics == [
        KeptTopics(pattern: Array("chat.>".utf8), keep: 1000, keepMilliseconds: 3_600_000),
        KeptTopics(pattern: Array("*.state".utf8), keep: 1),
      ])
    #expect(try Self.configuration("topics: []").coreSettings().keptTopics == [])
    #expect(try Self.configuration("settings: { window: 1 }").coreSettings().keptTopics == [])
  }

  @Test func whatIsShown() throws {
    let shown = try Self.configuration(Self.page).shown.filter { $0.name == "topics" }
    #expect(shown.map { "\($0.value)" } == ["chat.>, keep 1000, keep_ms 3600000", "*.state, keep 1"])
    #expect(shown.map { "\($0.origin)" } == ["baton.yaml:2:5", "baton.yaml:3:5"])
  }

  @Test func theEndsOfTheRanges() {
    let least = "topics: [{ pattern: a, keep: 1, keep_ms: 1 }]"
    let most = "topics: [{ pattern: a, keep: 1000000, keep_ms: 604800000 }]"
    #expect(mistakes(in: least).isEmpty && mistakes(in: most).isEmpty)
    let entries = (0..<KeptTopics.most).map { "  - { pattern: t\($0), keep: 1 }\n" }
    #expect(mistakes(in: "topics:\n\(entries.joined())").isEmpty)
    let more = mistakes(in: "topics:\n\(entries.joined())  - { pattern: x, keep: 1 }\n")
    #expect(isOnly(more, "102:5", "more than 100 entries"))
  }
}
