import Testing

@testable import BatonCore

/// Subscribers of some traces only (contract, section 7).
@Suite struct ChosenTracesTests {
  private func stage(_ members: String, _ settings: Settings = Settings()) -> Stage {
    let stage = Stage(settings)
    stage.open("eve", "sender")
    choose(members, stage)
    return stage
  }

  private func choose(_ members: String, _ stage: Stage) {
    stage.say("eve", #"{"op":"subscribe","topics":["$baton.trace"],"reply":false\#(members)}"#)
  }

  private func send(_ count: Int, _ stage: Stage, topic: String = "t") {
    for _ in 0..<count { stage.say("sender", #"{"op":"send","topic":"\#(topic)","reply":false}"#) }
  }

  /// A sender without a name is found by its number.
  @Test func aSenderWithoutANameHasItsNumber() {
    let stage = stage(##","where":{"from":"#2"}"##)
    send(1, stage)
    #expect(stage.hear("eve").count == 1)
    choose(##","where":{"from":"#1"}"##, stage)
    send(1, stage)
    #expect(stage.hear("eve").isEmpty)
  }

  /// The walk must have taken longer, not as long.
  @Test(arguments: [(199, 1), (200, 0)])
  func slowerMeansLonger(slowerThan: Int, told: Int) {
    let stage = stage(#","where":{"slower_than_ms":\#(slowerThan)}"#)
    stage.say("eve", #"{"op":"insert","handler":"h","reply":false}"#)
    send(1, stage)
    stage.advance(milliseconds: 200)
    stage.say("eve", #"{"op":"handled"}"#)
    #expect(stage.hear("eve").filter { $0.contains("$baton.trace") }.count == told)
  }

  /// A second begins with the first trace that is told in it, and what it leaves out is told once, at its end.
  @Test func aSecondBeginsWithTheFirstTrace() {
    let stage = stage(#","per_second":2"#)
    send(1, stage)
    stage.advance(milliseconds: 999)
    send(4, stage)
    #expect(stage.hear("eve").ops == ["event", "event"])
    stage.advance(milliseconds: 1)
    #expect(stage.hear("eve") == [#"{"op":"left_out","count":3}"#])
    stage.advance(milliseconds: 5000)
    #expect(stage.hear("eve").isEmpty)
    send(3, stage)
    stage.advance(milliseconds: 999)
    #expect(stage.hear("eve").ops == ["event", "event"])
    stage.advance(milliseconds: 1)
    #expect(stage.hear("eve") == [#"{"op":"left_out","count":1}"#])
  }

  /// What is left out is not missed. While the peer does not read, it is told later, and nothing of it gets lost.
  @Test func aPeerThatDoesNotReadIsToldLater() {
    let stage = stage(#","per_second":3"#, Stage.settings { $0.eventsUnsentBytes = 200 })
    send(10, stage)
    stage.advance(milliseconds: 3500)
    let before = stage.hear("eve")
    #expect(!before.ops.contains("left_out") && before.ops.contains("event"))
    stage.advance(milliseconds: 1000)
    #expect(stage.hear("eve").filter { $0.contains("left_out") } == [#"{"op":"left_out","count":7}"#])
  }

  /// A connection that ends with something left out leaves nothing behind.
  @Test func nothingIsLeftOfAChoice() {
    let stage = stage(#","per_second":1"#)
    send(3, stage)
    stage.end("eve")
    stage.advance(milliseconds: 2000)
    stage.closeAll()
    #expect(stage.census.isEmpty)
  }
}
