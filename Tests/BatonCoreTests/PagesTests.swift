import FuzzKit
import Testing

@testable import BatonCore

/// Pages of `explain` and `inspect`, and what bounds them (contract, section 8).
@Suite struct PagesTests {
  /// The links of all pages in their order, and the number of pages. `request` is without its last brace.
  private func pages(_ stage: Stage, _ request: String) throws -> (links: [String], count: Int) {
    var links: [String] = []
    var count = 0
    var after = ""
    while true {
      stage.say("seer", request + after + "}")
      let line = try #require(stage.hear("seer").first)
      #expect(line.utf8.count <= 512 << 10)
      links += line.matches(of: /"(?:handler|mount)":"([^"]+)"(?:,"would":"[a-z]+")?/).map { String($0.0) }
      count += 1
      guard line.member("more") == "true" else { return (links, count) }
      after = ",\"after\":\"\(try #require(line.member("after")))\""
    }
  }

  @Test(arguments: [(1, 300), (7, 43), (100, 3), (299, 2), (300, 1), (1000, 1)])
  func inspectTellsEachLinkOnce(limit: Int, expected: Int) throws {
    let stage = Stage()
    stage.open("handler", "seer")
    for number in 0..<300 {
      let place = number % 3 == 0 ? #","at":"front""# : ""
      stage.say("handler", #"{"op":"insert","chain":"c\#(number % 7)","handler":"h\#(number)","reply":false\#(place)}"#)
    }
    let whole = try pages(stage, #"{"op":"inspect""#)
    let (links, count) = try pages(stage, #"{"op":"inspect","limit":\#(limit)"#)
    #expect(links == whole.links && count == expected)
    #expect(Set(links).count == 300)
  }

  /// Random chains that are mounted in others, some of them several times.
  @Test(arguments: [UInt64(1), 2, 3, 4], [1, 2, 5])
  func explainTellsTheSameInPages(seed: UInt64, limit: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let stage = Stage()
    stage.open("handler", "seer")
    for number in 0..<60 {
      let chain = Int.random(in: 0..<8, using: &generator)
      if number % 2 == 0 {
        let other = Int.random(in: 0..<8, using: &generator)
        stage.say("handler", #"{"op":"mount","chain":"c\#(min(chain, other))","on":"c\#(max(chain, other))"}"#)
      } else {
        stage.say("handler", #"{"op":"insert","chain":"c\#(chain)","handler":"h\#(number)"}"#)
      }
    }
    let request = #"{"op":"explain","topic":"t","chain":"c0""#
    let whole = try pages(stage, request)
    let (links, _) = try pages(stage, request + ",\"limit\":\(limit)")
    #expect(links == whole.links && whole.count == 1)
    #expect(links.count > 8)
  }

  @Test func linksWithManyPatternsMakeShorterPages() throws {
    let stage = Stage()
    stage.open("handler", "seer")
    let pattern = String(repeating: "x", count: 240)
    let patterns = (0..<64).map { "\"\(pattern)\($0)\"" }.joined(separator: ",")
    for number in 0..<200 {
      stage.say("handler", #"{"op":"insert","handler":"h\#(number)","accepts":[\#(patterns)],"reply":false}"#)
    }
    let inspected = try pages(stage, #"{"op":"inspect""#)
    #expect(inspected.links.count == 200 && inspected.count >= 7)
    let explained = try pages(stage, #"{"op":"explain","topic":"t""#)
    #expect(explained.links.count == 200 && explained.count == 3)
  }

  @Test func anExplanationEntersAThousandChains() throws {
    let stage = Stage()
    stage.open("handler", "seer")
    for number in 0..<1100 {
      stage.say("handler", #"{"op":"mount","chain":"main","on":"c\#(number)","reply":false}"#)
    }
    for limit in [300, 1000] {
      let (links, _) = try pages(stage, #"{"op":"explain","topic":"t","limit":\#(limit)"#)
      #expect(links.count == 1000, "main and 999 others are entered")
    }
    stage.say("seer", #"{"op":"explain","topic":"t"}"#)
    let line = try #require(stage.hear("seer").first)
    #expect(line.member("truncated") == "true" && line.member("more") == nil)
  }

  /// The `after` has to come back in a line.
  @Test func aWayThatIsTooLongForALineEndsTheExplanation() throws {
    let stage = Stage(Stage.settings { $0.maxLine = 8192 })
    stage.open("handler", "seer")
    func name(_ number: Int) -> String { String(repeating: "n", count: 60) + "\(number)" }
    for number in 0..<20 {
      stage.say("handler", #"{"op":"mount","chain":"\#(name(number))","on":"\#(name(number + 1))","reply":false}"#)
      stage.say("handler", #"{"op":"insert","chain":"\#(name(number))","handler":"h","reply":false}"#)
    }
    stage.say("seer", #"{"op":"explain","topic":"t","chain":"\#(name(0))","limit":19}"#)
    let line = try #require(stage.hear("seer").first)
    #expect(line.member("truncated") == "true" && line.member("more") == nil)
    stage.say("seer", #"{"op":"explain","topic":"t","chain":"\#(name(0))","limit":2}"#)
    let short = try #require(stage.hear("seer").first)
    #expect(short.member("more") == "true")
  }

  @Test func aTraceHasAThousandEntries() throws {
    let stage = Stage()
    stage.open("handler", "seer")
    for number in 0..<1500 {
      stage.say("handler", #"{"op":"insert","handler":"h\#(number)","accepts":["other"],"reply":false}"#)
    }
    stage.say("seer", #"{"op":"send","topic":"t","trace":true}"#)
    let line = try #require(stage.hear("seer").first)
    #expect(line.matches(of: /"skipped":"topic"/).count == 1000)
    #expect(line.member("truncated") == "true")
  }
}
