import Testing

@testable import BatonExpect

/// What handlers do in a case, and how it is compared (Docs/settings.md, "What is not read, refused, or lost").
@Suite struct HandlersTests {
  /// Cases under a chain that is declared so.
  private static func with(_ links: String, _ cases: String) throws -> [CaseOutcome] {
    try play("config: { chains: { c: { links: [\(links)] } } }\nexpect:\n\(cases)")
  }

  @Test func everyVerdictIsGivenWithItsMembers() throws {
    let outcomes = try Self.with(
      "{ handler: a }, { handler: b, on_failure: stop }",
      """
        - name: continue
          send: { topic: t, chain: c }
          handlers: { a: continue, b: { continue: { payload: [1, 'true', null] } } }
          result: { status: unhandled, payload: [1.0, 'true', null], hops: 2 }
        - name: handled
          send: { topic: t, chain: c }
          handlers: { a: { handled: { payload_json: '{"b": 1, "a":2}' } } }
          result: { status: handled, by: a, payload: { a: 2, b: 1 }, payload_json: '{"b": 1, "a":2}' }
        - name: reject
          send: { topic: t, chain: c }
          handlers: { a: { reject: { message: no, code: 7 } } }
          result: { status: rejected, message: no, code: 7 }
        - name: failed
          send: { topic: t, chain: c }
          handlers: { a: { failed: { message: no file } }, b: failed }
          result:
            status: failed
            by: b
            cause: failed
            failures: [{ by: a, chain: c, cause: failed, message: no file }]
      """)
    #expect(differences(outcomes) == [])
  }

  @Test func aListIsOneAnswerAfterTheOther() throws {
    let outcomes = try Self.with(
      "{ handler: a, timeout_ms: 100, hold_ms: 1000 }",
      """
        - name: working
          send: { topic: t, chain: c }
          handlers: { a: [{ after_ms: 80, working: }, { after_ms: 80, handled: }] }
          result: { status: handled }
          within_ms: 160
        - name: who dies comes back
          send: { topic: t, chain: c }
          handlers: { a: [dies, handled] }
          result: { status: handled, again: true }
          asked: [a, a]
          within_ms: 0
        - name: who dies twice has failed
          send: { topic: t, chain: c }
          handlers: { a: [dies, dies, handled] }
          result: { status: unhandled, failures: [{ cause: disconnect }] }
        - name: it may come back later
          send: { topic: t, chain: c }
          handlers: { a: [dies, { after_ms: 60, absent: }, handled] }
          result: { status: handled, again: true }
          within_ms: 60
        - name: it may come late
          send: { topic: t, chain: c }
          handlers: { a: [{ after_ms: 70, absent: }, handled] }
          result: { status: handled, again: false, hops: 1 }
          within_ms: 70
        - name: an answer at the very time is too late
          send: { topic: t, chain: c }
          handlers: { a: { after_ms: 100, handled: } }
          result: { status: unhandled, failures: [{ cause: timeout }] }
      """)
    #expect(differences(outcomes) == [])
    #expect(outcomes.map(\.tookMilliseconds) == [160, 0, 0, 60, 70, 100])
  }

  @Test func aHandlerWithoutANameIsAbsent() throws {
    let outcomes = try Self.with(
      "{ handler: a, required: true, on_failure: stop }, { handler: b }",
      """
        - name: a place that is required
          send: { topic: t, chain: c }
          handlers: { b: handled }
          result: { status: failed, by: a, cause: disconnect }
          asked: []
        - name: one that is not
          send: { topic: t, chain: c }
          handlers: { a: continue }
          result: { status: unhandled, hops: 1 }
          asked: [a]
      """)
    #expect(differences(outcomes) == [])
  }

  /// A place waits from the start of the server on; the trace tells when the next one was asked.
  @Test func aPlaceThatIsHeldWaitsFromTheStart() throws {
    let outcomes = try Self.with(
      "{ handler: a, hold_ms: 500 }, { handler: b }",
      """
        - name: nobody comes
          send: { topic: t, chain: c }
          handlers: { b: [{ after_ms: 10, working: }, { after_ms: 20, handled: }] }
          result: { status: rejected }
      """)
    #expect(outcomes[0].tookMilliseconds == 530)
    #expect(
      outcomes[0].trace.map { "\($0.atMilliseconds) \($0.words)" } == [
        "0 was passed: empty, no handler serves it and messages pass", "500 handled it",
      ])
  }

  @Test func shadowsAndNoticesAreTold() throws {
    let outcomes = try Self.with(
      "{ handler: s, shadow: true }, { handler: a }, { handler: b, accepts: [other] }",
      """
        - name: a shadow
          send: { topic: t, chain: c }
          handlers: { s: { reject: { message: no } }, a: handled, b: handled }
          result: { status: handled, by: a }
          asked: [a]
          told: [s]
        - name: a notice
          send: { topic: t, chain: c, mode: notify }
          handlers: { s: hangs, a: hangs, b: hangs }
          result: { delivered: 1 }
          asked: []
          told: [s, a]
        - name: all
          send: { topic: other, chain: c, mode: all }
          handlers: { a: { handled: { payload: 1 } }, b: { handled: { payload: 2 } } }
          result: { by: b, results: [{ by: a, payload: 1 }, { by: b, payload: 2 }] }
      """)
    #expect(differences(outcomes) == [])
  }

  @Test func namesInSeveralChainsAreToldApart() throws {
    let chains = """
      config:
        chains:
          c: { links: [{ handler: a }, { mount: d }] }
          d: { open: true, links: [{ handler: a }] }
      expect:
        - name: both are asked
          send: { topic: t, chain: c }
          handlers: { c/a: continue, d/a: continue, d/late: handled }
          result: { status: handled, by: late }
          asked: [c/a, d/a, d/late]
        - name: an undeclared chain
          send: { topic: t }
          handlers: { one: continue, two: handled }
          asked: [one, two]
      """
    #expect(differences(try play(chains)) == [])
  }

  @Test func whatDiffersIsToldWithTheTrace() throws {
    let outcomes = try Self.with(
      "{ handler: a, timeout_ms: 50 }, { handler: b, accepts: [other] }, { handler: d }, { handler: e }",
      """
        - name: nothing fits
          send: { topic: t, chain: c }
          handlers: { a: hangs, d: { after_ms: 5, continue: { payload: { x: 1 } } }, e: { reject: { message: no } } }
          result: { status: handled, by: d, payload: text, payload_json: '2', again: true }
          asked: [a, b]
          within_ms: 10
        - name: an error
          send: { topic: a..b, chain: c }
          result: { status: handled }
        - name: no error
          send: { topic: t, chain: c }
          error: not_allowed
        - name: heard
          broadcast: { topic: t, payload: 1 }
          heard: false
        - name: not heard
          broadcast: { topic: t, via: c }
          handlers: { a: handled }
          heard: true
      """)
    #expect(
      differences(outcomes) == [
        "1: result.status | handled | rejected", "1: result.by | d | e", "1: result.payload | \"text\" | (nothing)",
        "1: result.payload_json | 2 | (nothing)", "1: result.again | true | (nothing)", "1: asked | [a, b] | [a, d, e]",
        "1: within_ms | 10 | 55",
        "2: reply | a result | error bad_topic: the topic \"a..b\" has an empty word at byte 2; words are joined by "
          + "single dots",
        "3: reply | error not_allowed | result unhandled", "4: heard | false | the payload 1",
        "5: heard | true | false",
      ])
    #expect(
      outcomes[0].trace.map { "\($0.atMilliseconds) \($0.link) \($0.words)" } == [
        "0 c/a gave no verdict within 50 ms", "50 c/b does not accept t", #"50 c/d passed it on, with {"x":1}"#,
        "55 c/e rejected it: no",
      ])
  }

  @Test func aCaseComesToAnEnd() throws {
    let outcomes = try Self.with(
      "{ handler: a, timeout_ms: 1000 }",
      """
        - name: working for ever
          send: { topic: t, chain: c, timeout_ms: 86400000 }
          handlers: { a: [working, working, hangs] }
          result: { status: unhandled }
        - name: what the server does not accept
          send: { topic: t, chain: c }
          handlers: { a: { reject: { code: [1] } } }
          result: { status: unhandled }
      """)
    let found = differences(outcomes)
    #expect(found.count == 1 && found[0].hasPrefix("2: handlers | c/a is accepted | bad_member: "), "\(found)")
  }
}
