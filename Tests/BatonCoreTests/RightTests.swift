import Testing

@testable import BatonCore

/// Rights: how they are spelled, and what each covers (contract, section 11).
@Suite struct RightTests {
  @Test(arguments: [
    "send to main", "send to main on door.*", "send to mod*", "broadcast chat.>", "broadcast chat.> via moderation",
    "subscribe chat.>", "subscribe $baton.>", "serve moderation/words on chat.>", "serve main", "serve */guard",
    "see main", "see server", "see *", "manage main", "manage server", "everything",
  ])
  func isSpelledAsItWasRead(_ text: String) throws {
    #expect(try Right(parsing: text).spelling == text)
  }

  @Test func defaultsAreLeftOut() throws {
    #expect(try Right(parsing: "  send   to main on > ").spelling == "send to main")
    #expect(try Right(parsing: "serve main/*").spelling == "serve main")
  }

  @Test(arguments: [
    ("", 0, "empty"), ("sned to main", 0, "did you mean \"send\""), ("send main", 5, "\"to\" must follow"),
    ("send to", 7, "needs the name of a chain"), ("send to main at door", 13, "only \"on\""),
    ("send to main on", 15, "needs a pattern"), ("send to main on a..b", 16, "empty word"),
    ("send to ma*in", 8, "name of the chain"), ("serve main/wo rds", 14, "only \"on\""),
    ("serve main/", 11, "is empty"), ("send to server", 8, "serve*"), ("serve server/a", 6, "serve*"),
    ("broadcast", 9, "needs a pattern"), ("broadcast a via server", 16, "serve*"),
    ("everything else", 11, "ends before"),
    ("see server main", 11, "ends before"),
  ])
  func aMistakeHasItsPlace(_ text: String, _ offset: Int, _ words: String) {
    #expect {
      try Right(parsing: text)
    } throws: { error in
      let error = error as? RightError
      return error?.offset == offset && error?.message.contains(words) == true
    }
  }

  @Test(arguments: [
    ("send to main", "send to main on door.open", true), ("send to main on door.*", "send to main on door.open", true),
    ("send to main on door.*", "send to main", false), ("send to main on door.*", "send to main on door.a.b", false),
    ("send to mod*", "send to moderation", true), ("send to mod*", "send to mod*", true),
    ("send to moderation", "send to mod*", false), ("send to *", "send to x on a", true),
    ("subscribe >", "subscribe $baton.trace", false), ("subscribe *.trace", "subscribe $baton.trace", false),
    ("subscribe $baton.>", "subscribe $baton.trace", true), ("subscribe a.>", "subscribe a", false),
    ("subscribe a.*", "subscribe a.>", false), ("subscribe a.>", "subscribe a.*", true),
    ("subscribe a.>", "subscribe a.*.>", true), ("subscribe >", "subscribe *.>", true),
    ("subscribe *.>", "subscribe >", false), ("subscribe *", "subscribe *", true),
    ("subscribe a.b", "subscribe a.*", false),
    ("broadcast a.> via m", "broadcast a.b", false), ("broadcast a.>", "broadcast a.b via m", false),
    ("broadcast a.> via m", "broadcast a.b via m", true), ("serve m/words on chat.>", "serve m/words on chat.x", true),
    ("serve m/words on chat.>", "serve m/words", false), ("serve m/words", "serve m/other", false),
    ("serve m", "serve m/words", true), ("serve m/words", "serve m", false), ("see *", "see server", false),
    ("see server", "see *", false), ("see ser*", "see server", false), ("everything", "manage server", true),
    ("manage main", "serve main/x", false),
  ])
  func coversWhatLiesWithin(_ mine: String, _ asked: String, _ isCovered: Bool) throws {
    #expect(try Right(parsing: mine).covers(Right(parsing: asked)) == isCovered)
  }

  @Test func aBroadcastThroughAChainMayNeedTwoRights() throws {
    let rights = try ["send to m", "broadcast a.>"].map { try Right(parsing: $0) }
    #expect(rights.allowing(try Right(parsing: "broadcast a.b via m")) == [1, 0])
    #expect(rights.allowing(try Right(parsing: "broadcast a.b via n")) == nil)
  }

  @Test func topicsOfTheServerNeedTheRightToSeeIt() throws {
    let asked = try Right(parsing: "subscribe $baton.trace")
    let topics = try Right(parsing: "subscribe $baton.>")
    #expect([topics].allowing(asked) == nil)
    #expect([topics, Right(.see, isServer: true)].allowing(asked) == [0, 1])
  }

  /// `covers` against what it means, over all patterns and topics of up to three words out of few.
  @Test func aPatternCoversWhatEveryTopicShows() {
    let patterns = all(of: ["a", "b", "*"]).flatMap { words in [words, words.dropLast() + [">"]] }
      .filter { !$0.isEmpty }
    let topics = all(of: ["a", "b", "c"]) + all(of: ["a", "b", "c"]).map { $0 + ["c", "c"] }
    for outer in patterns {
      for inner in patterns {
        let outer = OwnedBytes(outer.joined(separator: "."))
        let inner = OwnedBytes(inner.joined(separator: "."))
        let says = Pattern.covers(inner.bytes, within: outer.bytes)
        let shows = topics.allSatisfy { words in
          let topic = OwnedBytes(words.joined(separator: "."))
          defer { extendLifetime(topic) }
          return !Pattern.matches(topic.bytes, pattern: inner.bytes)
            || Pattern.matches(topic.bytes, pattern: outer.bytes)
        }
        #expect(says == shows, "\(inner.string) within \(outer.string)")
      }
    }
  }

  private func all(of words: [String]) -> [[String]] {
    var found: [[String]] = [[]]
    var all: [[String]] = []
    for _ in 0..<3 {
      found = found.flatMap { begun in words.map { begun + [$0] } }
      all += found
    }
    return all
  }
}
