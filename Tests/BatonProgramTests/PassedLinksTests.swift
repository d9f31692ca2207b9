import BatonClient
import Testing

@testable import baton

/// What is said of the links that a message passed by.
@Suite struct PassedLinksTests {
  private func lines(_ json: String, topic: String = "door.open") throws -> [String] {
    PassedLinks(try Payload(json: json).decode(WalkStory.self), topic: topic).lines
  }

  private func hop(_ members: String) -> String { #"{"chain":"main","handler":"h",\#(members)}"# }

  @Test(arguments: [
    (#""outcome":"continue","wait_us":1,"service_us":2"#, "passed it on"),
    (#""outcome":"continue","rewrote":true"#, "passed it on, with another payload"),
    (#""outcome":"failed","service_us":2,"message":"exit code 7: no such file""#, "failed: exit code 7: no such file"),
    (#""outcome":"failed","service_us":2"#, "failed"),
    (#""outcome":"timeout","wait_us":1,"service_us":200000"#, "gave no verdict within 200 ms"),
    (#""outcome":"disconnect","wait_us":1,"service_us":30000"#, "lost its connection after 30 ms"),
    (#""outcome":"disconnect","wait_us":1"#, "was not asked: absent, no handler serves it"),
    (#""outcome":"disconnect","wait_us":2500000"#, "was not asked: absent, no handler served it within 2.5 s"),
    (#""outcome":"overload","wait_us":1"#, "was not asked: overload, too many messages wait there"),
    (#""outcome":"overload","wait_us":200000"#, "was not asked: overload, the message waited there for 200 ms"),
    (#""outcome":"breaker","wait_us":0"#, "was not asked: its breaker is open, because its offers timed out"),
    (#""skipped":"topic""#, "does not accept door.open"), (#""skipped":"shadow""#, "only gets copies"),
    (#""skipped":"empty""#, "was passed: empty, no handler serves it and messages pass"),
    (#""skipped":"removed""#, "was removed while the message waited there"),
    (#""skipped":"later""#, "was passed: later"),
  ])
  func everyReasonHasWords(_ members: String, words: String) throws {
    #expect(
      try lines(#"{"status":"unhandled","hops":1,"version":1,"trace":[\#(hop(members))]}"#) == ["  main/h \(words)"])
  }

  @Test func manyThatDoNotAcceptTheTopicShareALine() throws {
    let skipped = (1...7).map { #"{"chain":"main","handler":"h\#($0)","skipped":"topic"}"# }
    let other = #"{"chain":"main","mount":"cellar","skipped":"visited"}"#
    let trace = (skipped + [other]).joined(separator: ",")
    #expect(
      try lines(#"{"status":"unhandled","hops":0,"version":1,"trace":[\#(trace)],"truncated":true}"#) == [
        "  7 links of main do not accept door.open: h1, h2, h3, h4, h5, …",
        "  main/→ cellar is a chain in which the message had been", "  … the trace ends here",
      ])
  }

  @Test func aLongWayIsCut() throws {
    let trace = (1...20).map { #"{"chain":"main","handler":"h\#($0)","outcome":"continue"}"# }.joined(separator: ",")
    let lines = try lines(#"{"status":"unhandled","hops":20,"version":1,"trace":[\#(trace)]}"#)
    #expect(lines.count == 13)
    #expect(lines.last == "  … and 8 more; --trace shows all")
  }

  @Test func theResultSaysWhyItsLastStepFailed() throws {
    let trace = [hop(#""outcome":"failed","message":"first""#), hop(#""outcome":"failed","message":"last""#)]
    #expect(
      try lines(#"{"status":"failed","by":"h","cause":"failed","hops":2,"trace":[\#(trace.joined(separator: ","))]}"#)
        == ["  main/h failed: first"])
  }

  @Test func aTimeoutSaysWhatItWaitedFor() throws {
    let steps = [hop(#""outcome":"continue""#), hop(#""outcome":"timeout","service_us":200000"#)]
    #expect(
      try lines(#"{"status":"timeout","by":"h","hops":2,"trace":[\#(steps.joined(separator: ","))]}"#)
        == ["  main/h gave no verdict within 200 ms"])
    #expect(
      try lines(#"{"status":"timeout","hops":0,"key_wait_us":200000,"trace":[]}"#)
        == ["  it waited 200 ms for the message before it that has the same key"])
  }

  @Test func withoutATraceTheResultTellsFailures() throws {
    let failures =
      #"[{"by":"words","chain":"chat","cause":"failed","message":"no"},"#
      + #"{"by":"slow","chain":"main","cause":"timeout"},{"by":"gone","chain":"main","cause":"disconnect"}]"#
    #expect(
      try lines(#"{"status":"unhandled","hops":2,"failures":\#(failures),"more_failures":true}"#) == [
        "  chat/words failed: no", "  main/slow gave no verdict in time",
        "  main/gone lost its connection, or was absent: no handler serves it",
        "  … and more failures",
      ])
  }

  @Test(arguments: [
    (#""status":"failed","by":"words","cause":"failed","message":"no such file""#, "words: failed, no such file"),
    (#""status":"rejected","by":"door","message":"no","code":7"#, "door: no, code 7"),
    (#""status":"rejected","by":"door","code":"late""#, "door: code late"),
    (#""status":"rejected","by":"door""#, "door"),
    (#""status":"timeout","by":"slow""#, "waiting for slow"),
    (#""status":"timeout","key_wait_us":5"#, "waiting for its key"),
    (#""status":"timeout""#, "waiting for its turn"), (#""status":"unhandled""#, "no link took it"),
    (
      #""status":"unhandled","trace":[{"chain":"main","handler":"a","outcome":"continue"},"#
        + #"{"chain":"main","handler":"b","outcome":"breaker"},{"chain":"main","handler":"c","outcome":"failed"}]"#,
      "main/b was not asked: its breaker is open, because its offers timed out, and 1 more failure"
    ),
    (
      #""status":"handled","by":"mail","trace":[{"chain":"main","handler":"price","outcome":"failed","#
        + #""service_us":7,"message":"no table"},{"chain":"main","handler":"mail","outcome":"handled"}]"#,
      "main/price failed: no table; then mail handled it"
    ),
    (
      #""status":"handled","by":"mail","failures":[{"by":"price","chain":"main","cause":"failed"}]"#,
      "main/price failed; then mail handled it"
    ),
    (
      #""status":"published","trace":[{"chain":"main","handler":"price","outcome":"failed"}]"#,
      "main/price failed; then it was published"
    ),
    (
      #""status":"timeout","by":"mail","trace":[{"chain":"main","handler":"price","outcome":"failed"},"#
        + #"{"chain":"main","handler":"mail","outcome":"timeout","service_us":2000000}]"#,
      "main/mail gave no verdict within 2.0 s"
    ),
    (
      #""status":"unhandled","trace":[{"chain":"main","handler":"price","skipped":"empty"}]"#,
      "main/price was passed: empty, no handler serves it and messages pass"
    ),
  ])
  func oneLineSaysWhy(_ members: String, reason: String) throws {
    #expect(try Payload(json: "{\(members),\"hops\":1}").decode(WalkStory.self).reason == reason)
  }
}
