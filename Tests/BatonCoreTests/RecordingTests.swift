import BatonLasting
import DoorKit
import Testing

@testable import BatonCore

/// The record is told of each message that ends, once; where it is strict, nothing is told before (Docs/record.md).
@Suite struct RecordingTests {
  private static func stage(_ change: (inout RecordRule, inout Settings) -> Void = { _, _ in }) -> Stage {
    var (rule, settings) = (RecordRule(), Settings())
    change(&rule, &settings)
    settings.record = rule
    let stage = Stage(settings)
    stage.open("sender", "handler")
    stage.say("handler", #"{"op":"insert","handler":"h","reply":false}"#)
    return stage
  }

  private func record(_ stage: Stage) -> MemoryRecord {
    guard let record = stage.driver.record else { preconditionFailure("there is no record") }
    return record
  }

  @Test func aResultWaitsForItsLine() {
    let stage = Self.stage()
    record(stage).holds = true
    stage.say("sender", #"{"op":"send","id":1,"topic":"t","payload":{"a":1},"meta":2}"#)
    #expect(stage.hear("handler").ops == ["offer"])
    stage.say("handler", #"{"op":"handled","payload":"done"}"#)
    #expect(stage.hear("sender").isEmpty, "the line is not written yet")
    #expect(stage.census["walks"] == 1, "it counts for its sender until then")
    record(stage).holds = false
    stage.driver.wake()
    #expect(
      stage.hear("sender") == [
        #"{"op":"result","id":1,"status":"handled","by":"h","payload":"done","hops":1,"walk":1}"#
      ])
    let ends = record(stage).ends
    #expect(ends.count == 1)
    let end = ends[0]
    #expect(end.text(.chain) == "main")
    #expect(end.text(.topic) == #""t""#)
    #expect(end.text(.payload) == #"{"a":1}"#)
    #expect(end.text(.meta) == "2")
    #expect(end.text(.by) == #""h""#)
    #expect(
      end.text(.steps)
        == ##"{"chain":"main","handler":"h","outcome":"handled","wait_us":0,"service_us":0,"peer":"#2"}"##)
    stage.closeAll()
    #expect(stage.driver.leftovers == nil)
  }

  @Test func wordsOfAVerdictAreToldAfterTheirLine() {
    let stage = Self.stage()
    record(stage).holds = true
    stage.say("sender", #"{"op":"send","id":1,"topic":"t"}"#)
    stage.say("handler", #"{"op":"reject","message":"n\u006f","code":7}"#)
    // Another line comes meanwhile.
    stage.say("sender", #"{"op":"ping"}"#)
    record(stage).holds = false
    stage.driver.wake()
    #expect(
      stage.hear("sender").last
        == #"{"op":"result","id":1,"status":"rejected","by":"h","message":"no","code":7,"hops":1,"walk":1}"#)
    #expect(record(stage).ends.map { $0.text(.said) } == [#"{"step":0,"message":"no","code":7}"#])
  }

  @Test func aKeyIsFreeWhenTheLineIsWritten() {
    let stage = Self.stage()
    record(stage).holds = true
    for id in 1...2 { stage.say("sender", #"{"op":"send","id":\#(id),"topic":"t","key":"k"}"#) }
    #expect(stage.hear("handler").count == 1)
    stage.say("handler", #"{"op":"handled"}"#)
    #expect(stage.hear("handler").isEmpty)
    record(stage).holds = false
    stage.driver.wake()
    #expect(stage.hear("handler").ops == ["offer"])
    #expect(stage.hear("sender").ops == ["result"])
  }

  @Test(arguments: [
    (#""send","id":1,"topic":"t""#, "handled"), (#""broadcast","id":1,"topic":"t","via":"main""#, "continue"),
    (#""broadcast","id":1,"topic":"t","via":"main""#, "reject"),
  ])
  func whatHasEndedCannotBeCancelled(message: String, verdict: String) {
    let stage = Self.stage()
    record(stage).holds = true
    stage.say("sender", #"{"op":\#(message)}"#)
    stage.say("handler", #"{"op":"\#(verdict)"}"#)
    stage.say("sender", #"{"op":"cancel","id":2,"request":1}"#)
    stage.say("sender", #"{"op":"cancel","id":3,"request":1}"#)
    #expect(stage.hear("sender").isEmpty)
    record(stage).holds = false
    stage.driver.wake()
    let heard = stage.hear("sender")
    #expect(heard.ops == ["result", "ok", "ok"])
    #expect(heard.dropFirst() == [2, 3].map { #"{"op":"ok","id":\#($0),"cancelled":false}"# }[...])
    #expect(record(stage).ends.count == 1)
    stage.closeAll()
    #expect(stage.driver.leftovers == nil)
  }

  @Test func anEventOfABroadcastWaitsToo() {
    let stage = Self.stage()
    record(stage).holds = true
    stage.open("listener")
    stage.say("listener", #"{"op":"subscribe","topics":["t"],"reply":false}"#)
    stage.say("sender", #"{"op":"broadcast","id":1,"topic":"t","via":"main","payload":1}"#)
    stage.say("handler", #"{"op":"continue","payload":2}"#)
    #expect(stage.hear("listener").isEmpty)
    record(stage).holds = false
    stage.driver.wake()
    #expect(stage.hear("listener") == [##"{"op":"event","topic":"t","payload":2,"from":"#1"}"##])
    #expect(stage.hear("sender").ops == ["result"])
    let end = record(stage).ends[0]
    #expect(end.head.isBroadcast)
    #expect(end.text(.payload) == "1")
    #expect(end.text(.after) == "2")
    let rewritten = Rewriting.all(in: end.part(.rewritten))
    #expect(rewritten.map(\.step) == [0])
    #expect(rewritten[0].bytes.map { String(decoding: $0, as: UTF8.self) } == "2")
  }

  @Test func aMessageThatNobodyServesHasALine() {
    let stage = Self.stage()
    record(stage).holds = true
    stage.say("sender", #"{"op":"send","id":1,"topic":"t","chain":"nobody"}"#)
    #expect(stage.hear("sender").isEmpty)
    record(stage).holds = false
    stage.driver.wake()
    #expect(stage.hear("sender") == [#"{"op":"result","id":1,"status":"unhandled","hops":0,"walk":1}"#])
    #expect(record(stage).ends.map { $0.text(.chain) } == ["nobody"])
    stage.closeAll()
    #expect(stage.driver.leftovers == nil)
  }

  @Test func whatIsNotNamedIsNotRecorded() {
    let stage = Self.stage { rule, _ in
      rule.chains = [Array("main".utf8)]
      rule.topics = [Array("t.>".utf8)]
    }
    record(stage).holds = true
    for (topic, chain) in [("a", "main"), ("t.a", "other"), ("t.a", "main")] {
      stage.say("sender", #"{"op":"send","topic":"\#(topic)","chain":"\#(chain)"}"#)
      stage.say("handler", #"{"op":"handled"}"#)
    }
    stage.say("sender", #"{"op":"send","topic":"t.a","mode":"notify"}"#)
    #expect(stage.hear("sender").count == 3, "all but one are told")
    record(stage).holds = false
    stage.driver.wake()
    #expect(record(stage).ends.map { $0.text(.topic) } == [#""t.a""#])
  }

  @Test func whileItFailsMessagesAreRefused() {
    let stage = Self.stage { rule, _ in rule.chains = [Array("main".utf8)] }
    stage.say("sender", #"{"op":"send","id":1,"topic":"t"}"#)
    record(stage).failure = "no room"
    stage.say("handler", #"{"op":"handled"}"#)
    stage.driver.wake()
    stage.say("sender", #"{"op":"send","id":2,"topic":"t"}"#, #"{"op":"send","id":3,"topic":"t","chain":"other"}"#)
    let heard = stage.hear("sender")
    #expect(heard.codes == ["record_failed"])
    #expect(heard.ops == ["error", "result"], "other chains go on")
    stage.say("sender", #"{"op":"findings","id":4}"#)
    #expect(stage.hear("sender").first?.contains(#""what":"record""#) == true)
    record(stage).failure = nil
    stage.driver.wake()
    stage.say("sender", #"{"op":"send","id":5,"topic":"t"}"#)
    stage.say("handler", #"{"op":"handled"}"#)
    #expect(stage.hear("sender").filter { $0.contains("result") }.count == 2)
  }

  /// (Clients/LIMITS.md, `record_queue_bytes`)
  @Test func whereTooMuchWaitsMessagesWait() {
    let stage = Self.stage { _, settings in settings.recordQueueBytes = 1000 }
    record(stage).holds = true
    for id in 1...20 { stage.say("sender", #"{"op":"send","id":\#(id),"topic":"t"}"#) }
    for id in 1...20 { stage.say("handler", #"{"op":"handled","id":\#(id)}"#) }
    stage.hear("handler")
    stage.say("sender", #"{"op":"send","id":21,"topic":"t"}"#)
    #expect(stage.wish("sender").reading == false, "it waits")
    stage.say("handler", #"{"op":"send","id":1,"topic":"t"}"#)
    #expect(stage.hear("handler").codes == ["busy"], "whoever serves links is told")
    record(stage).holds = false
    stage.driver.wake()
    #expect(stage.wish("sender").reading)
    stage.say("handler", #"{"op":"handled"}"#)
    #expect(stage.hear("sender").filter { $0.contains("result") }.count == 21)
  }

  @Test func looselyLinesOfWhoeverFloodsAreMissed() {
    let stage = Self.stage { rule, settings in
      rule.isStrict = false
      settings.recordQueueBytes = 4000
    }
    record(stage).holds = true
    stage.open("other", PeerFacts())
    for id in 1...100 {
      stage.say("sender", #"{"op":"send","id":\#(id),"topic":"flood"}"#)
      stage.say("handler", #"{"op":"handled"}"#)
    }
    #expect(stage.hear("sender").count == 100, "nothing waits")
    record(stage).holds = false
    stage.driver.wake()
    let items = record(stage).items
    let missed = items.reduce(0) { if case .missed(let count, _) = $1 { $0 + count } else { $0 } }
    #expect(missed > 0)
    #expect(record(stage).ends.count + missed == 100)
  }

  @Test func atTheEndOfDrainingNobodyIsToldWhatIsNotWritten() {
    let stage = Self.stage()
    record(stage).failure = "no disk"
    stage.say("sender", #"{"op":"send","id":1,"topic":"t"}"#)
    stage.say("handler", #"{"op":"handled"}"#)
    stage.drain()
    #expect(!stage.driver.isDrained)
    stage.advance(milliseconds: 25_001)
    #expect(stage.driver.isDrained)
    #expect(!stage.hear("sender").ops.contains("result"))
    #expect(stage.driver.router.untoldEnds == 1)
  }
}
