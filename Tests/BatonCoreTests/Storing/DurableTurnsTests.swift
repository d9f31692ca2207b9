import DoorKit
import Testing

@testable import BatonCore

/// What the keeper of durable messages answers when more has come in the same turn, or somebody has gone
/// (contract, section 15).
@Suite struct DurableTurnsTests {
  private static func stage(_ store: MemoryStore, record: RecordRule? = nil) -> Stage {
    let settings = Stage.settings {
      $0.chains = [ChainDeclaration(chain: "main", links: [DeclaredLink("bill")])]
      $0.record = record
    }
    let stage = Stage(settings, store: store)
    stage.open("bill", "shop")
    stage.say("bill", #"{"op":"insert","handler":"bill"}"#)
    stage.hear("bill")
    return stage
  }

  /// Ordinary messages of one key that come together ask the keeper together, and then wait in the router. The list in
  /// which both wait must not keep a neighbour of the first time.
  @Test func messagesThatWaitTwiceKeepTheirOrder() {
    let store = MemoryStore()
    let stage = Self.stage(store)
    // With it, the keeper has keys, and is asked about each.
    stage.say("shop", #"{"op":"send","id":0,"topic":"a","key":"z","durable":true,"delay_ms":60000}"#)
    stage.say("shop", #"{"op":"send","id":1,"topic":"a","key":"k","payload":1}"#)
    stage.say(
      "shop", #"{"op":"send","id":2,"topic":"a","key":"k","payload":2}"#,
      #"{"op":"send","id":3,"topic":"a","key":"k","payload":3}"#,
      #"{"op":"send","id":4,"topic":"a","key":"k","payload":4}"#)
    for payload in 1...4 {
      let offers = stage.hear("bill")
      #expect(offers.count == 1 && offers[0].contains(#""payload":\#(payload),"#), "\(offers)")
      stage.say("bill", #"{"op":"handled"}"#)
    }
    let results = stage.hear("shop").filter { $0.contains("result") }
    #expect(results.count == 4, "\(results)")
    #expect(stage.driver.census["walks"] == nil)
  }

  /// It asks the keeper, is cancelled, and its end waits for the record when the keeper lets it go: nobody gets it any more.
  @Test func aTurnThatComesBehindTheEndIsNone() throws {
    let store = MemoryStore()
    let stage = Self.stage(store, record: RecordRule())
    let record = try #require(stage.driver.record)
    stage.say("shop", #"{"op":"send","id":0,"topic":"a","key":"z","durable":true,"delay_ms":60000}"#)
    stage.hear("shop")
    record.holds = true
    stage.say(
      "shop", #"{"op":"send","id":1,"topic":"a","key":"k"}"#, #"{"op":"cancel","id":2,"request":1}"#,
      #"{"op":"send","id":3,"topic":"a","key":"k"}"#)
    #expect(stage.hear("bill").ops == ["offer"], "of the one that was not cancelled")
    #expect(stage.hear("shop").isEmpty)
    record.holds = false
    stage.driver.wake()
    #expect(stage.hear("shop").ops == ["result", "ok"])
    stage.say("bill", #"{"op":"handled"}"#)
    #expect(stage.hear("shop").ops == ["result"])
    #expect(stage.driver.census["walks"] == nil)
  }

  /// A thousand messages end at the same instant: all are told, and nobody has to say anything more for that.
  @Test func whatEndsTogetherIsToldToTheLast() {
    let store = MemoryStore()
    let stage = Self.stage(store)
    for id in 0..<1000 {
      stage.say("shop", #"{"op":"send","id":\#(id),"topic":"a","durable":true,"tries":1,"delay_ms":1000}"#)
    }
    #expect(stage.hear("shop").ops.count { $0 == "accepted" } == 1000)
    stage.advance(milliseconds: 1000)
    var (offers, answered) = (stage.hear("bill").count, 0)
    while offers < 1000 {
      answered += 1
      stage.say("bill", #"{"op":"failed","id":\#(answered)}"#)
      offers += stage.hear("bill").count
    }
    let others = (answered + 1...1000).map { #"{"op":"failed","id":\#($0)}"# + "\n" }
    stage.give("bill", Array(others.joined().utf8))
    while stage.driver.turn() {}
    #expect(stage.hear("shop").ops.count { $0 == "result" } == 1000)
  }

  /// Who asks for a dead letter and is gone before the keeper looks leaves nothing behind.
  @Test func whoHasGoneLeavesNoTicket() {
    let store = MemoryStore()
    let stage = Self.stage(store)
    stage.say("shop", #"{"op":"send","id":1,"topic":"a","durable":true,"tries":1}"#)
    stage.say("bill", #"{"op":"continue"}"#)
    let result = stage.hear("shop").last ?? ""
    guard let name = result.split(separator: #""stored":""#).last?.split(separator: "\"").first else {
      Issue.record("\(result)")
      return
    }
    stage.driver.settles = false
    for op in ["resend", "discard"] {
      stage.open("ops")
      stage.say("ops", #"{"op":"\#(op)","id":1,"stored":"\#(name)"}"#)
      stage.close("ops")
    }
    stage.driver.settles = true
    stage.driver.wake()
    #expect(stage.driver.census["tickets"] == nil, "\(stage.driver.census)")
  }
}
