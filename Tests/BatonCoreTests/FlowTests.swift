import Testing

@testable import BatonCore

/// When the server stops reading, and that it goes on (contract, section 10).
@Suite struct FlowTests {
  private let send = #"{"op":"send","topic":"t","reply":false}"#

  /// At most two messages; a third is refused or waits.
  private func stage(_ change: (inout Settings) -> Void = { _ in }) -> Stage {
    let stage = Stage(
      Stage.settings {
        $0.maxOpenMessages = 2
        change(&$0)
      })
    stage.open("handler", "sender")
    stage.say("handler", #"{"op":"insert","handler":"h","reply":false}"#)
    return stage
  }

  @Test func whoHasTooManyMessagesOpenIsNotRead() {
    let stage = stage()
    stage.say("sender", send, send, send, #"{"op":"ping"}"#)
    #expect(stage.hear("sender").isEmpty && !stage.wish("sender").reading && stage.census["walks"] == 2)
    _ = stage.takeChanged()
    stage.say("handler", #"{"op":"handled","id":1}"#)
    #expect(stage.census["walks"] == 2 && stage.takeChanged().contains("sender"), "the third has come in")
    stage.say("handler", #"{"op":"handled","id":2}"#, #"{"op":"handled","id":3}"#)
    #expect(stage.hear("sender").ops == ["pong"] && stage.wish("sender").reading)
  }

  @Test func whoServesIsReadAndTold() {
    let stage = stage()
    stage.say("sender", #"{"op":"insert","handler":"own","accepts":["own"],"reply":false}"#, send, send, send)
    #expect(stage.hear("sender").codes == ["busy"] && stage.wish("sender").reading)
  }

  /// The server reads from the peer because it serves. The peer removes its link, so the server stops reading. Once its
  /// messages are settled, the server reads again.
  @Test func whoStopsServingIsReadAgainInTheEnd() {
    let stage = stage()
    stage.say("sender", #"{"op":"insert","handler":"own","accepts":["own"],"reply":false}"#, send, send)
    stage.say("sender", #"{"op":"remove","handler":"own","reply":false}"#, #"{"op":"ping"}"#)
    #expect(stage.hear("sender").isEmpty && stage.takeChanged().contains("sender") && !stage.wish("sender").reading)
    stage.say("handler", #"{"op":"handled","id":1}"#, #"{"op":"handled","id":2}"#)
    #expect(stage.hear("sender").ops == ["pong"])
    #expect(stage.takeChanged().contains("sender") && stage.wish("sender").reading)
  }

  /// The same if another connection takes the link over.
  @Test func whoseLinkIsTakenOverIsReadAgainInTheEnd() {
    let stage = stage()
    stage.say("sender", #"{"op":"insert","handler":"own","accepts":["own"],"reply":false}"#, send, send)
    stage.say("handler", #"{"op":"replace","handler":"own","reply":false}"#)
    stage.hear("sender")
    #expect(!stage.wish("sender").reading)
    _ = stage.takeChanged()
    stage.say("handler", #"{"op":"handled","id":1}"#, #"{"op":"handled","id":2}"#)
    #expect(stage.takeChanged().contains("sender") && stage.wish("sender").reading)
  }

  @Test func silenceIsNotCountedWhileTheServerDoesNotRead() {
    let stage = stage()
    stage.say("sender", #"{"op":"hello","heartbeat_ms":100,"reply":false}"#, send, send)
    stage.advance(milliseconds: 1000)
    #expect(stage.hear("sender").isEmpty && !stage.wish("sender").reading)
    stage.say("handler", #"{"op":"handled","id":1}"#)
    stage.advance(milliseconds: 99)
    #expect(stage.hear("sender").isEmpty)
    stage.advance(milliseconds: 2)
    #expect(stage.hear("sender").ops == ["ping"])
  }

  @Test func whoDoesNotReadIsNotReadAndThenClosed() {
    let stage = stage {
      $0.readingUnsentBytes = 2000
      $0.slowMilliseconds = 100
    }
    stage.open("slow")
    for _ in 0..<200 { stage.say("slow", #"{"op":"ping"}"#) }
    #expect(!stage.wish("slow").reading && stage.unsent("slow") < 2100, "what one line asks for, and no more")
    stage.advance(milliseconds: 60)
    stage.take("slow", atMost: 1)
    stage.advance(milliseconds: 60)
    #expect(stage.wish("slow").reason == nil, "it took a byte")
    stage.advance(milliseconds: 60)
    #expect(stage.wish("slow").reason == .tooSlow)
  }

  @Test func offersWaitWhileTooMuchIsUnsent() {
    let stage = stage {
      $0.offersUnsentBytes = 300
      $0.maxOpenMessages = 100
    }
    for _ in 0..<10 { stage.say("sender", send) }
    #expect(stage.unsent("handler") > 300 && stage.unsent("handler") < 600)
    #expect(stage.hear("handler").count == 10, "as it reads on, the others come")
  }

  @Test func missedEventsAreToldWhereTheyAreMissing() {
    let stage = stage { $0.eventsUnsentBytes = 500 }
    stage.open("slow")
    stage.say("slow", #"{"op":"subscribe","topics":["t"],"reply":false}"#)
    for number in 0..<30 { stage.say("sender", #"{"op":"broadcast","topic":"t","payload":\#(number)}"#) }
    let delivered = stage.hear("sender").map { $0.member("delivered") }
    let queued = delivered.count { $0 == "1" }
    stage.say("sender", #"{"op":"broadcast","topic":"t","payload":"x"}"#)
    let heard = stage.hear("slow") + stage.hear("slow")
    #expect(queued > 2 && queued < 30 && heard.filter { $0.member("op") == "event" }.count == queued)
    #expect(heard.last?.member("count") == "\(31 - queued)")
    stage.say("sender", #"{"op":"broadcast","topic":"t","payload":"y"}"#)
    #expect(stage.hear("slow").map { $0.member("payload") } == ["y"])
  }

  /// A `continue` with a payload makes a message larger. That counts as if the message had come in with that size.
  @Test func whatIsRewrittenCountsAgainstTheLimitOfAll() {
    let stage = Stage(Stage.settings { $0.maxTotalBytes = 100_000 })
    stage.open("first", "second", "sender")
    stage.say("first", #"{"op":"insert","handler":"first","reply":false}"#)
    stage.say("second", #"{"op":"insert","handler":"second","reply":false}"#)
    for _ in 0..<50 { stage.say("sender", #"{"op":"send","topic":"t"}"#) }
    let payload = String(repeating: "x", count: 10_000)
    for id in 1...50 { stage.say("first", #"{"op":"continue","id":\#(id),"payload":"\#(payload)"}"#) }
    #expect(stage.census["open bytes"] ?? 0 <= 110_000)
  }
}
