import FuzzKit
import Testing

@testable import BatonCore

/// Counts what is kept: it is bounded while there is traffic, and nothing is left once all peers have gone.
@Suite struct CensusTests {
  private func insert(_ name: String, _ more: String = "") -> String {
    #"{"op":"insert","handler":"\#(name)","reply":false\#(more)}"#
  }
  private func send(_ topic: String = "t", _ more: String = "") -> String {
    #"{"op":"send","topic":"\#(topic)","reply":false\#(more)}"#
  }

  @Test func aRouterAloneHoldsNothing() { #expect(Stage().census.isEmpty) }

  /// Everything that can be open is open when all peers close, in different orders.
  @Test(arguments: [["sender", "h", "g", "half"], ["half", "g", "h", "sender"], ["h", "sender", "half", "g"]])
  func nothingIsLeftBehind(order: [String]) {
    let stage = Stage(Stage.settings { $0.offersUnsentBytes = 1 << 40 })
    stage.open("sender", "h", "g", "half")
    stage.say(
      "h", insert("h", #","window":2"#), insert("h2", #","chain":"other""#), #"{"op":"hello","heartbeat_ms":100}"#)
    stage.say("g", insert("g"), insert("g", #","chain":"other""#), #"{"op":"subscribe","topics":["a.*",">"]}"#)
    stage.say("half", #"{"op":"subscribe","topics":["a.*"]}"#)
    for _ in 0..<5 { stage.say("half", #"{"op":"send","topic":"t","chain":"other"}"#) }
    for _ in 0..<5 { stage.say("sender", send(), send("u", #","timeout_ms":50"#)) }
    stage.say("h", #"{"op":"continue","id":1,"payload":{"a":1}}"#, #"{"op":"remove","handler":"h2","chain":"other"}"#)
    stage.end("half")
    stage.advance(milliseconds: 60)
    stage.say("g", #"{"op":"replace","handler":"h","accepts":["x"]}"#)
    stage.give("sender", Array("{\"op\":".utf8))
    #expect(stage.census.count > 12)
    for name in order { stage.close(name) }
    #expect(stage.census.isEmpty, "\(order)")
  }

  /// Walks of two versions: the younger one ends first, then there is one more of that version. Nothing of the chain is
  /// left.
  @Test func aChainIsForgottenHoweverItsWalksOverlap() {
    let stage = Stage()
    stage.open("sender", "h", "g")
    stage.say("h", insert("h"))
    stage.say("sender", send())
    stage.say("g", insert("g", #","accepts":["never"]"#))
    stage.say("sender", send())
    stage.say("h", #"{"op":"handled","id":2}"#, #"{"op":"handled","id":1}"#)
    stage.say("sender", send())
    stage.close("g", "h", "sender")
    #expect(stage.census.isEmpty)
  }

  /// The last message ends with the last connection: draining leaves no timer behind.
  @Test func nothingIsLeftOfADrainThatEndsWithTheLastPeer() {
    let stage = Stage()
    stage.open("sender", "h")
    stage.say("h", insert("h"))
    stage.say("sender", send())
    stage.drain()
    stage.close("sender")
    let isDrainedEarly = stage.driver.router.isDrained
    stage.close("h")
    let isDrained = stage.driver.router.isDrained
    #expect(!isDrainedEarly && isDrained && stage.census.isEmpty)
  }

  @Test func aNewConnectionMeetsNothingOfTheOld() {
    let stage = Stage()
    stage.open("sender", "h")
    stage.say("h", insert("h"), #"{"op":"subscribe","topics":[">"]}"#)
    stage.say("sender", #"{"op":"send","id":1,"topic":"t"}"#)
    let old = stage.id("sender")
    stage.close("sender")
    stage.open("new")
    #expect(stage.id("new").index == old.index, "the place is used again")
    stage.say("h", #"{"op":"handled"}"#)
    Array("{\"op\":\"ping\"}\n".utf8).withUnsafeBytes { stage.driver.router.received($0, from: old, at: stage.now) }
    #expect(stage.hear("new").isEmpty && stage.driver.router.unsentCount(of: old) == 0)
    #expect(stage.driver.router.wish(for: old).ending == .close)
  }

  /// Random peers do random things. The same seed gives the same bytes. Nothing is left when the peers have gone.
  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
  func nothingIsLeftOfARandomDay(seed: UInt64) {
    var days = [RandomDay(seed: seed), RandomDay(seed: seed)]
    let (first, second) = (days[0].play(), days[1].play())
    #expect(first.census.isEmpty && first.walks > 300, "seed \(seed): \(first.census)")
    #expect(first.heard == second.heard, "seed \(seed)")
  }

  // MARK: Scale, as counts

  @Test func aListIsKeptPerTopicUntilTheChainChanges() {
    let stage = Stage()
    stage.open("sender", "h")
    stage.say("h", insert("h"))
    for number in 0..<100 { stage.say("sender", send("t\(number % 3)")) }
    #expect(stage.census["lists"] == 3)
    stage.say("h", insert("other", #","chain":"other""#))
    #expect(stage.census["lists"] == 3, "another chain's change")
    stage.say("h", insert("g"))
    #expect(stage.census["lists"] == 3, "they are computed again when they are needed")
    stage.close("h")
    stage.close("sender")
    #expect(stage.census["lists"] == nil && stage.census["list bytes"] == nil && stage.census["topics"] == nil)
  }

  @Test func listsAreKeptForSoManyTopicsAndBytes() {
    for (topics, bytes) in [(8, 1 << 20), (1, 1 << 20), (100, 2000), (100, 1)] {
      let stage = Stage(
        Stage.settings {
          $0.maxCachedTopics = topics
          $0.maxCachedBytes = bytes
        })
      stage.open("sender", "h")
      stage.say("h", insert("h", #","window":65536"#))
      for number in 0..<300 { stage.say("sender", send("t\(number % 50)")) }
      #expect(stage.hear("h").count == 300)
      #expect(stage.census["lists"] ?? 0 <= topics && stage.census["list bytes"] ?? 0 <= max(bytes, 200))
      for id in 1...300 { stage.say("h", #"{"op":"continue","id":\#(id)}"#) }
      #expect(stage.census["walks"] == nil)
    }
  }

  /// Links that come and go while a walk stays are forgotten, except a few.
  @Test func removedLinksAreForgottenWhileAWalkStays() {
    let stage = Stage()
    stage.open("sender", "h")
    stage.say("h", insert("h"))
    stage.say("sender", send())
    for number in 0..<1000 {
      stage.say("h", insert("x\(number)"), #"{"op":"remove","handler":"x\#(number)","reply":false}"#)
    }
    #expect(stage.census["links"] ?? 0 <= 40 && stage.census["patterns"] == 1)
  }

  @Test func lostLinksAreForgottenOnceNoWalkCanCome() {
    let stage = Stage()
    stage.open("sender", "h")
    stage.say("h", insert("h"))
    stage.say("sender", send())
    for number in 0..<200 {
      stage.open("x")
      stage.say("x", insert("x\(number)", #","accepts":["x\#(number)"]"#))
      stage.close("x")
    }
    stage.say("h", #"{"op":"handled"}"#)
    #expect(stage.census["links"] ?? 0 <= 40 && stage.census["patterns"] == 1 && stage.census["walks"] == nil)
  }

  @Test func aHandlerThatForgetsOneOfManyOffersCostsOnePlace() {
    let stage = Stage()
    stage.open("sender", "h")
    stage.say("h", insert("h"))
    for number in 1...2000 {
      stage.say("sender", send())
      if number > 1 { stage.say("h", #"{"op":"handled","id":\#(number)}"#) }
      stage.hear("h")
    }
    #expect(stage.census["offers"] == 1 && stage.census["walks"] == 1 && stage.census["timers"] == 1)
  }

  @Test func aLineThatManyGetIsNamedOnceEach() {
    let stage = Stage()
    let names = (0..<500).map { "s\($0)" }
    for name in names {
      stage.open(name)
      stage.say(name, #"{"op":"subscribe","topics":["a","*",">"],"reply":false}"#)
    }
    stage.open("sender")
    _ = stage.takeChanged()
    for _ in 0..<3 { stage.say("sender", #"{"op":"broadcast","topic":"a"}"#) }
    var named = 0
    while stage.driver.nextChanged() != nil { named += 1 }
    #expect(named == 501)
    #expect(names.allSatisfy { stage.hear($0).count == 3 })
    #expect(stage.hear("sender").allSatisfy { $0.member("delivered") == "500" })
  }
}
