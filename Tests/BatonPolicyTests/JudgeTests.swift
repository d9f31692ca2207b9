import Testing

@testable import BatonPolicy

/// What rules decide: each sentence of Docs/agents.md, "Rules".
@Suite struct JudgeTests {
  @Test func theFirstRuleThatFitsDecides() throws {
    let all = try rules(
      """
      rules:
        - { tool: [Read, { prefix: get_ }], allow: true }
        - { tool: [Read, Write], ask: true }
        - { tool: [{ suffix: _all }], refuse: not all }
      """)
    #expect(judged(all, call("Read")) == "allow 1")
    #expect(judged(all, call("get_all")) == "allow 1")
    #expect(judged(all, call("Write")) == "ask 2")
    #expect(judged(all, call("drop_all")) == "refuse 3 not all")
    #expect(judged(all, call("read")) == "none")
    #expect(judged(all, call("Bash")) == "none")
  }

  @Test func withoutRulesEverythingIsRefused() throws {
    var judge = Judge(try rules("rules: []"))
    #expect(judge.decide(Array(call("Read").utf8)) == .unnamed)
    #expect(judge.decide(nil) == .unnamed)
  }

  @Test func aRuleIsAboutTheAgentsOwnToolsOrThoseOfServers() throws {
    let own = call("x")
    let github = call("x", more: #","server":"github""#)
    let untold = call("x", more: #","server":null"#)
    for (rule, expected) in [
      ("tool: ['*']", ["allow", "none", "none"]),
      ("server: ['*'], tool: ['*']", ["none", "allow", "allow"]),
      ("server: [github], tool: [x]", ["none", "allow", "none"]),
      ("server: [{ prefix: git }], tool: [x]", ["none", "allow", "none"]),
    ] {
      #expect(try [own, github, untold].map { try judged("\(rule), allow: true", $0) } == expected, "\(rule)")
    }
    // A server that is not told may be any: what refuses a server refuses that, too. The agent's own tools are known.
    let refusing = ["tool: ['*']", "server: ['*'], tool: ['*']", "server: [github], tool: [x]"]
    let said = try refusing.map { rule in try [own, github, untold].map { try judged("\(rule), refuse: no", $0) } }
    #expect(said == [["refuse", "none", "none"], ["none", "refuse", "refuse"], ["none", "refuse", "refuse"]])
  }

  /// A condition fits a list by one of its elements; which tool would run is not known.
  @Test(arguments: [
    #"{"agent":"claude","tool":["x","y"]}"#, #"{"agent":"claude","t\u006fol":["x","y"]}"#,
    #"{"agent":["claude","y"],"tool":"x"}"#, #"{"agent":"claude","server":["github","y"],"tool":"x"}"#,
    #"{"agent":"claude","tool":[["x"]]}"#, #"[{"agent":"claude","tool":"x"}]"#,
    #"[{"agent":"claude","tool":"y"},{"agent":"claude","server":"github","tool":"x"}]"#,
  ])
  func noListIsAllowed(payload: String) throws {
    #expect(try judged("tool: ['*', x], allow: true", payload) == "none")
    #expect(try judged("server: ['*', github], tool: [x], allow: true", payload) == "none")
  }

  @Test func aRuleMayBeAboutOneAgent() throws {
    #expect(try judged("agent: [claude], tool: [x], allow: true", call("x")) == "allow")
    #expect(try judged("agent: [codex], tool: [x], allow: true", call("x")) == "none")
    #expect(try judged("agent: [codex], tool: [x], allow: true", #"{"tool":"x"}"#) == "none")
  }

  /// What is not certain is not allowed: a rule that allows fits certainly, and others unless they certainly do not.
  @Test(arguments: [
    // The name stands there twice, or in a spelling that some program takes for it.
    #"{"agent":"claude","tool":"Bash","tool":"Read","arguments":{}}"#,
    #"{"agent":"claude","tool":"Read","Tool":"Bash","arguments":{}}"#,
    // Another kind; a text that is cut at U+0000.
    #"{"agent":"claude","tool":null,"arguments":{}}"#, #"{"agent":"claude","tool":7,"arguments":{}}"#,
    #"{"agent":"claude","tool":"Read\u0000Bash","arguments":{}}"#,
    #"{"agent":"claude","tool":"Read","server":"a","server":"b","arguments":{}}"#,
  ])
  func doubtIsNotAllowed(_ payload: String) throws {
    #expect(try judged("tool: [Read, Bash], allow: true", payload) == "none")
    #expect(try judged("tool: [Read, Bash], ask: true", payload) == "ask")
    #expect(try judged("tool: [Read, Bash], refuse: no", payload) == "refuse")
  }

  @Test func whatIsNoCallFitsNoRule() throws {
    for payload in ["null", "[]", "7", #""Read""#, "{}", #"{"tool":[]}"#] {
      #expect(try judged("tool: ['*'], allow: true", payload) == "none", "\(payload)")
    }
  }

  /// Whether the call is for the link at all is in doubt: nobody allows it, and the others decide as ever.
  @Test func aCallInDoubtIsAllowedByNobody() throws {
    let all = try rules("rules: [{ tool: [Read], allow: true }, { tool: [Read], ask: true }]")
    #expect(judged(all, call("Read")) == "allow 1")
    #expect(judged(all, call("Read"), isDoubtful: true) == "ask 2")
  }

  @Test func whenIsAConditionOnThePayload() throws {
    let rule = "tool: [x], when: { payload: { arguments: { amount: [{ numeric: ['<', 100] }] } } }"
    for (amount, allowed, refused) in [
      ("99", "allow", "refuse"), ("100", "none", "none"), (#""99""#, "none", "refuse"), ("[5]", "allow", "refuse"),
    ] {
      let payload = call("x", "{\"amount\":\(amount)}")
      #expect(try judged("\(rule), allow: true", payload) == allowed, "\(amount)")
      #expect(try judged("\(rule), refuse: no", payload) == refused, "\(amount)")
    }
  }

  @Test func allOfARuleMustFit() throws {
    let rule = "tool: [x], inside: { path: [/a] }, when: { payload: { arguments: { n: [1] } } }, allow: true"
    #expect(try judged(rule, call("x", #"{"path":"/a/b","n":1}"#)) == "allow")
    #expect(try judged(rule, call("x", #"{"path":"/a/b","n":2}"#)) == "none")
    #expect(try judged(rule, call("x", #"{"path":"/b","n":1}"#)) == "none")
    #expect(try judged(rule, call("y", #"{"path":"/a/b","n":1}"#)) == "none")
  }

  @Test func rulesAreNamedByTheirBytes() throws {
    let (one, other) = (try rules("rules: []"), try rules("rules: [] "))
    #expect(one.name.count == 8 && one.name != other.name)
  }

  @Test func aLongCallIsReadToItsEnd() throws {
    let all = try rules(
      "rules:\n" + String(repeating: "  - { tool: [x], contains: { a: [needle] }, refuse: no }\n", count: 5)
        + "  - { tool: [x], when: { payload: { arguments: { a: [{ prefix: z }] } } }, allow: true }\n")
    let long = String(repeating: "z", count: 1 << 20)
    #expect(judged(all, call("x", "{\"a\":\"\(long)\"}")) == "allow 6")
    #expect(judged(all, call("x", "{\"a\":\"\(long)needle\"}")) == "refuse 1 no")
  }
}
