import Testing

@testable import BatonCore

/// The way of a message along its chain while the chain changes (contract, section 5).
@Suite struct WalkingTests {
  private func insert(_ name: String, _ more: String = "") -> String {
    #"{"op":"insert","handler":"\#(name)","reply":false\#(more)}"#
  }

  @Test func aWalkSeesTheChainAsItStood() {
    let stage = Stage()
    stage.open("sender", "a", "b", "c", "d")
    for name in ["a", "b", "c"] { stage.say(name, insert(name)) }
    stage.say("sender", #"{"op":"send","topic":"t"}"#)
    stage.say("b", #"{"op":"remove","handler":"b","reply":false}"#)
    stage.say("d", insert("d", #","before":"c""#))
    stage.say("a", #"{"op":"continue"}"#)
    #expect(stage.hear("b") == [] && stage.hear("d") == [] && stage.hear("c").ops == ["offer"])
    stage.say("c", #"{"op":"continue"}"#)
    #expect(stage.hear("sender") == [#"{"op":"result","status":"unhandled","hops":2,"walk":1}"#])
  }

  @Test func aLostLinkFailsWhoEnteredBeforeAndIsUnknownToOthers() {
    let stage = Stage()
    stage.open("sender", "a", "b", "b2")
    for name in ["a", "b"] { stage.say(name, insert(name)) }
    stage.say("sender", #"{"op":"send","topic":"t"}"#)
    stage.close("b")
    stage.say("b2", insert("b"))
    stage.say("sender", #"{"op":"send","topic":"t"}"#)
    stage.say("a", #"{"op":"continue","id":1}"#, #"{"op":"continue","id":2}"#)
    #expect(stage.hear("sender") == [#"{"op":"result","status":"unhandled","hops":1,"walk":1}"#])
    #expect(stage.hear("b2").map { $0.member("walk") } == ["2"])
  }

  @Test func theShareIsDividedAmongThoseAhead() {
    let stage = Stage()
    stage.open("sender", "a", "b")
    for name in ["a", "b"] { stage.say(name, insert(name), insert(name + "2")) }
    stage.say("sender", #"{"op":"send","topic":"t","timeout_ms":4000}"#)
    #expect(stage.hear("a").last?.member("timeout_ms") == "1000")
    stage.say("a", #"{"op":"continue"}"#)
    #expect(stage.hear("a").last?.member("timeout_ms") == "1333")
  }

  /// Links that are only kept for walks that entered before do not count as ahead of a new walk.
  @Test func lostLinksTakeNoShare() {
    let stage = Stage()
    stage.open("sender", "a", "b", "c")
    for name in ["a", "b", "c"] { stage.say(name, insert(name)) }
    stage.say("sender", #"{"op":"send","topic":"t"}"#)
    stage.close("b")
    stage.hear("a")
    stage.say("sender", #"{"op":"send","topic":"t","timeout_ms":4000}"#)
    #expect(stage.hear("a").last?.member("timeout_ms") == "2000")
  }

  @Test func aReplacedLinkIsNeverGone() {
    let stage = Stage()
    stage.open("sender", "old", "new")
    stage.say("old", insert("h", #","window":1"#))
    stage.say("sender", #"{"op":"send","id":1,"topic":"t"}"#, #"{"op":"send","id":2,"topic":"t"}"#)
    stage.say("new", #"{"op":"replace","handler":"h","as":"h2","reply":false}"#)
    #expect(stage.hear("old").last == ##"{"op":"replaced","chain":"main","handler":"h","as":"h2","by":"#3"}"##)
    #expect(stage.hear("new").ops == ["offer"], "what waited goes to the new one")
    stage.say("old", #"{"op":"handled"}"#)
    stage.say("new", #"{"op":"handled"}"#)
    #expect(stage.hear("sender").map { $0.member("by") } == ["h", "h2"])
  }

  @Test func whatWaitsAndIsAcceptedNoLongerGoesOn() {
    let stage = Stage()
    stage.open("sender", "h", "last")
    stage.say("h", insert("h", #","window":1"#))
    stage.say("last", insert("last"))
    for topic in ["a", "b", "a", "c"] { stage.say("sender", #"{"op":"send","topic":"\#(topic)"}"#) }
    stage.say("h", #"{"op":"replace","handler":"h","accepts":["a"],"reply":false}"#)
    #expect(stage.hear("last").map { $0.member("topic") } == ["b", "c"])
    stage.say("h", #"{"op":"handled"}"#)
    #expect(stage.hear("h").map { $0.member("topic") } == ["a", "a"])
  }

  /// A handler replaces its own link, with nothing open, with offers open, and under another name. It still has one
  /// window.
  @Test func whoReplacesItselfKeepsItsWindow() {
    let stage = Stage()
    stage.open("sender", "h")
    stage.say("h", insert("h", #","window":2"#), #"{"op":"replace","handler":"h","reply":false}"#)
    for _ in 0..<4 { stage.say("sender", #"{"op":"send","topic":"t"}"#) }
    #expect(stage.hear("h").count == 2)
    stage.say("h", #"{"op":"replace","handler":"h","as":"h\u0032","reply":false}"#)
    #expect(stage.hear("h").isEmpty && stage.census["replicas"] == 2, "the old name is needed for its open offers")
    stage.say("h", #"{"op":"handled","id":1}"#, #"{"op":"handled","id":2}"#)
    #expect(stage.census["replicas"] == 1)
    #expect(stage.hear("h").map { $0.member("handler") } == ["h2", "h2"])
  }

  @Test func atTheSameTimeTheDeadlineComesFirst() {
    let stage = Stage()
    stage.open("sender", "h")
    stage.say("h", insert("h"))
    stage.say("sender", #"{"op":"send","topic":"t","timeout_ms":100}"#)
    stage.advance(milliseconds: 100)
    stage.say("h", #"{"op":"handled","id":1}"#)
    #expect(stage.hear("sender") == [#"{"op":"result","status":"timeout","by":"h","hops":1,"walk":1}"#])
    #expect(stage.hear("h").dropFirst().map { $0.member("code") ?? $0.member("op") } == ["lapsed", "late_verdict"])
  }

  /// Messages that wait for their key time out at the same moment as the first one. No link is asked about them.
  @Test func noTurnComesWithTheDeadline() {
    let stage = Stage()
    stage.open("sender", "a")
    stage.say("a", insert("a"))
    for id in 1...3 {
      stage.say("sender", #"{"op":"send","id":\#(id),"topic":"t","key":"k","timeout_ms":500}"#)
    }
    stage.say("sender", #"{"op":"send","id":4,"topic":"t","key":"k"}"#)
    stage.advance(milliseconds: 500)
    #expect(
      stage.hear("sender") == [
        #"{"op":"result","id":1,"status":"timeout","by":"a","hops":1,"walk":1}"#,
        #"{"op":"result","id":2,"status":"timeout","hops":0,"walk":2}"#,
        #"{"op":"result","id":3,"status":"timeout","hops":0,"walk":3}"#,
      ])
    #expect(stage.hear("a").compactMap { $0.member("walk") ?? $0.member("op") } == ["1", "lapsed", "4"])
  }
}
