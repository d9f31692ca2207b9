import Testing

@testable import BatonConfig
@testable import BatonExpect

/// Mistakes in a file of expectations: each with its place, and what was probably meant.
@Suite struct MistakesTests {
  private static let head = """
    config:
      peers: { web: { user: root, may: [] } }
      chains:
        c: { links: [{ handler: words }, { mount: d }] }
        d: { links: [{ handler: human }] }
        e: { links: [{ handler: human }] }
    expect:
      - name: n

    """

  static let slips: [(lines: String, mistakes: [String])] = [
    (
      "    sned: { topic: t }\n    asked: []",
      [
        "8:5 the case sends nothing; write send: or broadcast:",
        "9:5 a case has no key \"sned\"; did you mean \"send\"?",
      ]
    ),
    ("    send: { topic: t, chian: c }\n    asked: []", ["9:23 send has no key \"chian\"; did you mean \"chain\"?"]),
    ("    send: { chain: c }\n    asked: []", ["9:5 send needs a topic"]),
    (
      "    send: { topic: t, durable: true, tries: 2 }\n    asked: []",
      [
        "9:23 a case plays one try of a message, and no store: leave out durable, tries; unhandled, failed and timeout "
          + "are then what ends a try"
      ]
    ),
    ("    send: { topic: t, mode: al }\n    asked: []", ["9:29 mode cannot be \"al\"; did you mean \"all\"?"]),
    (
      "    send: { topic: t, payload: 1, payload_json: '2' }\n    asked: []",
      [
        "9:35 there is one payload; leave payload or payload_json out"
      ]
    ),
    (
      "    send: { topic: t, payload_json: '{' }\n    asked: []",
      [
        "9:37 payload_json is one value of JSON, and this is none; is it '{\"a\":1}' in quotes?"
      ]
    ),
    (
      "    send: { topic: t, payload: }\n    asked: []",
      [
        "9:32 nothing stands here; write a value, null, or '' for an empty text"
      ]
    ),
    (
      "    send: { topic: t }",
      [
        "8:5 the case expects nothing; say what comes of it: result, error, asked, heard or within_ms"
      ]
    ),
    (
      "    send: { topic: t }\n    as: wbe\n    asked: []",
      [
        "10:9 peers has no entry \"wbe\"; did you mean \"web\"?"
      ]
    ),
    (
      "    send: { topic: t }\n    as: anonymous\n    asked: []",
      [
        "10:9 peers has no entry anonymous; who is not known is a stranger: write as: stranger"
      ]
    ),
    (
      "    send: { topic: t, chain: c }\n    handlers: { wrods: handled }\n    asked: []",
      [
        "10:17 the chain c has no link \"wrods\"; did you mean \"words\"?"
      ]
    ),
    (
      "    send: { topic: t, chain: c }\n    handlers: { human: handled }\n    asked: []",
      [
        "10:17 \"human\" is in 2 chains; write d/human or e/human"
      ]
    ),
    (
      "    send: { topic: t, chain: c }\n    handlers: { x/human: handled }\n    asked: []",
      [
        "10:17 no message comes into a chain \"x\" here; there are: c, d, e"
      ]
    ),
    (
      "    send: { topic: t, chain: c }\n    handlers: { words: handeld }\n    asked: []",
      [
        "10:24 an answer cannot be \"handeld\"; did you mean \"handled\"?"
      ]
    ),
    (
      "    send: { topic: t, chain: c }\n    handlers: { words: { after_ms: 1, handled: , reject: } }\n    asked: []",
      [
        "10:24 an answer is one of continue, handled, reject, failed, working, hangs, dies, absent; this has handled and "
          + "reject"
      ]
    ),
    (
      "    send: { topic: t, chain: c }\n    handlers: { words: { continue: { message: x } } }\n    asked: []",
      [
        "10:38 continue has no key \"message\"; its keys are: payload, payload_json"
      ]
    ),
    (
      "    send: { topic: t, chain: c }\n    handlers: { words: [absent, handled] }\n    asked: []",
      [
        "10:25 it would be absent for ever; say for how long, as in { after_ms: 500, absent: }"
      ]
    ),
    (
      "    send: { topic: t, chain: c }\n    handlers: { words: working }\n    asked: []",
      [
        "10:24 working is no verdict yet; write in a list what follows it, or hangs"
      ]
    ),
    (
      "    send: { topic: t, chain: c }\n    handlers: { words: handled, c/words: handled }\n    asked: []",
      [
        "10:33 c/words answers already, as line 10 says"
      ]
    ),
    (
      "    send: { topic: t, chain: c }\n    asked: [wrds]",
      [
        "10:13 the chain c has no link \"wrds\"; did you mean \"words\"?"
      ]
    ),
    (
      "    send: { topic: t }\n    error: not_alowed",
      ["10:12 there is no error \"not_alowed\"; did you mean \"not_allowed\"?"]
    ),
    (
      "    send: { topic: t }\n    error: busy\n    result: { by: a }",
      [
        "10:5 what is refused with an error has no result; leave one of them out"
      ]
    ),
    (
      "    send: { topic: t }\n    result: { status: hanlded, hops: one, again: yes }",
      [
        "10:23 status cannot be \"hanlded\"; did you mean \"handled\"?",
        "10:38 hops is a whole number such as 65536, not \"one\"",
        "10:50 again is true or false, not \"yes\"; write true",
      ]
    ),
    (
      "    send: { topic: t }\n    heard: true",
      ["10:12 nobody hears what is sent down a chain; heard is for broadcast"]
    ),
    (
      "    broadcast: { topic: t }\n    handlers: { x: handled }\n    heard: true",
      [
        "10:17 the broadcast goes down no chain, so it meets no handler; say via, or leave handlers out"
      ]
    ),
    (
      "    send: { topic: t }\n    within_ms: 1s",
      [
        "10:16 within_ms is a whole number of milliseconds such as 5000, not \"1s\"; write 1000"
      ]
    ),
    (
      "    send: { topic: t }\n    asked: []\n  - name: n\n    send: { topic: t }\n    asked: []",
      [
        "11:5 line 8 has a case of that name already; give this one another name"
      ]
    ),
  ]

  @Test(arguments: slips) func isToldWithItsPlace(_ slip: (lines: String, mistakes: [String])) {
    #expect(BatonExpectTests.mistakes(Self.head + slip.lines + "\n") == slip.mistakes)
  }

  @Test func theFileAsAWhole() {
    #expect(mistakes("") == ["1:1 the file is empty"])
    #expect(
      mistakes("expect: []\n") == ["1:1 the file does not say what it tries; write config: and the configuration file"])
    #expect(
      mistakes("config: { chains: {} }\nexpect: []\n") == [
        "2:9 expect is empty; write a case below, which begins with \"- name:\""
      ])
    #expect(mistakes("config: {}\nexpct: []\n") == ["2:1 the file has no key \"expct\"; did you mean \"expect\"?"])
    #expect(mistakes("config: { chains: { c: { links: [{ handlr: a }] } } }\nexpect: []\n").count == 1)
    let missing = mistakes("config: nowhere.yaml\nexpect: []\n")
    #expect(missing == ["the file cannot be read: No such file or directory"])
    #expect(mistakes("config: &a {}\nexpect: []\n").count == 2)
  }

  /// Whatever is left out of a file, or stands in it in another place: it is refused with a mistake that has a place, or
  /// its cases come to their ends.
  @Test func nothingBreaksTheReader() {
    let text = Array(ExampleExpectations.text.utf8)
    var (refused, played) = (0, 0)
    for at in stride(from: 0, to: text.count, by: 5) {
      let length = 1 + at % 11
      let cut = Array(text[..<at] + text[min(text.count, at + length)...])
      let moved = Array(text[(text.count - at)...] + text[..<(text.count - at)])
      for bytes in [cut, moved, Array(text[..<at])] {
        do throws(ConfigMistakes) {
          let file = try ExpectationFile.read(bytes, path: "expect.yaml")
          #expect(Rehearsal(file).run().count == file.cases.count)
          played += 1
        } catch {
          #expect(!error.all.isEmpty && error.all.allSatisfy { !$0.message.isEmpty && $0.file != nil })
          refused += 1
        }
      }
    }
    #expect(refused > 300 && played > 100, "\(refused) \(played)")
  }
}
