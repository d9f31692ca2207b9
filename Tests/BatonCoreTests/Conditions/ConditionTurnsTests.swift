import Testing

@testable import BatonCore

/// A long message comes to a condition in its sender's turn, as to an offer (contract, section 10, `Turns`).
@Suite struct ConditionTurnsTests {
  /// The sender has no credit left when the first link answers. Meanwhile the second link asks for something else: that counts
  /// for a message that has not come to it.
  @Test(arguments: [10, 3000, 5000, 100_000]) func aLongMessageWaitsForItsSendersTurn(_ bytes: Int) {
    let stage = Stage()
    stage.driver.settles = false
    stage.open("sender", "first", "second")
    stage.say("first", #"{"op":"insert","handler":"first","reply":false}"#)
    stage.say("second", #"{"op":"insert","handler":"second","when":{"payload":{"n":[1]}},"reply":false}"#)
    let long = String(repeating: "x", count: bytes)
    stage.say("sender", #"{"op":"send","id":1,"topic":"t","payload":{"n":2,"x":"\#(long)"}}"#)
    while stage.driver.turn() {}
    #expect(stage.hear("first").ops == ["offer"])
    stage.give("sender", Array(String(repeating: "{\"op\":\"ping\"}\n", count: 10_000).utf8))
    stage.say("first", #"{"op":"continue","id":1}"#)
    stage.say("second", #"{"op":"replace","handler":"second","when":{"payload":{"n":[2]}},"reply":false}"#)
    while stage.driver.turn() {}
    #expect(stage.hear("second").ops == (bytes > 4096 ? ["offer"] : []))
    #expect(stage.hear("sender").ops.contains("result") == (bytes < 4096))
  }
}
