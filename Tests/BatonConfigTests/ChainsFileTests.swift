import BatonCore
import Testing

@testable import BatonConfig

/// `chains` and `--guard`: what they become, what is told about them, and what a reload changes.
@Suite struct ChainsFileTests {
  private static let page = """
    chains:
      moderation:
        links:                       # in this order, whoever comes first
          - { handler: words, accepts: [chat.>], timeout_ms: 200, required: true, on_failure: stop }
          - { mount: rooms, accepts: [chat.rooms.>], together: true }
          - { handler: model, shadow: true }
          - { handler: human, hold_ms: 60000, window: 10 }
    """

  private static func configuration(
    _ text: String, guards: [String] = [], settings: [(String, Int)] = []
  ) throws -> Configuration {
    var flags = Configuration.Flags()
    flags.guards = try guards.map { try GuardedPlace($0) }
    flags.settings = settings.map { (name: $0.0, value: $0.1) }
    return try Configuration(file: readOpen(text), flags: flags)
  }

  private static func complaints(_ text: String, guards: [String]) throws -> [String] {
    do {
      _ = try configuration(text, guards: guards)
      return []
    } catch let error as ConfigMistakes {
      return error.all.map(\.description)
    }
  }

  private static func warnings(_ text: String) throws -> [String] {
    try BatonConfigTests.warnings(in: text).map { "\($0.place.map { "\($0) " } ?? "")\($0.message)" }
  }

  // MARK: What they become

  @Test func theExampleOfThePage() throws {
    let configuration = try Self.configuration(Self.page)
    #expect(configuration.warnings.isEmpty)
    var words = DeclaredLink("words")
    words.accepts = ["chat.>"]
    words.timeoutMilliseconds = 200
    words.isRequired = true
    words.onFailure = .stop
    var rooms = DeclaredLink("rooms")
    rooms.isMount = true
    rooms.isTogether = true
    rooms.accepts = ["chat.rooms.>"]
    var model = DeclaredLink("model")
    model.isShadow = true
    var human = DeclaredLink("human")
    human.holdMilliseconds = 60000
    human.window = 10
    let declared = ChainDeclaration(chain: "moderation", links: [words, rooms, model, human])
    #expect(configuration.coreSettings().chains == [declared])
    let entry = try #require(configuration.chains.first)
    #expect(entry.origin == .file("baton.yaml", FilePlace(line: 2, column: 3)))
    #expect(entry.links[0].origins["timeout_ms"] == .file("baton.yaml", FilePlace(line: 4, column: 58)))
    #expect(entry.links[1].nameOrigin == .file("baton.yaml", FilePlace(line: 5, column: 18)))
  }

  @Test func quotesDoNotCountAndCausesHaveTheirOwnWords() throws {
    let chains = try Self.configuration(
      """
      chains:
        'main':
          "open": 'true'
          links:
            - handler: "words"
              timeout_ms: '200'
              share: "true"
              on_failure: { timeout: stop, 'disconnect': continue, overload: "stop" }
            - { handler: "5", accepts: ['>', '*.x', a.b] }
        empty: { links: [] }
      """
    ).coreSettings().chains
    #expect(chains.map(\.chain) == ["main", "empty"])
    #expect(chains[0].isOpen && !chains[1].isOpen)
    var policy = FailurePolicy.goOn
    policy[.timeout] = true
    policy[.overload] = true
    #expect(chains[0].links[0].onFailure == policy)
    #expect(chains[0].links[0].isShared)
    #expect(chains[0].links[1].name == "5")
    #expect(chains[0].links[1].accepts == [">", "*.x", "a.b"])
    #expect(chains[1].links.isEmpty)
  }

  @Test func aMountMayLeadAnywhereButBack() throws {
    let text = """
      chains:
        a: { links: [{ mount: b }, { mount: c }] }
        b: { links: [{ mount: d }] }
        c: { links: [{ mount: d }, { mount: nobody }] }
        d: { links: [] }
      """
    #expect(mistakes(in: text) == [])
  }

  @Test func aFileHasManyLinksAndNotMore() {
    func file(_ counts: [Int]) -> String {
      "chains:\n"
        + counts.enumerated().map { chain, count in
          "  c\(chain):\n    links:\n" + (0..<count).map { "      - { handler: h\($0) }\n" }.joined()
        }.joined()
    }
    #expect(mistakes(in: file([1000, 1000, 1000, 1000, 96])) == [])
    #expect(isOnly(mistakes(in: file([1001])), "1004:9", "more than 1000 links"))
    #expect(isOnly(mistakes(in: file([1000, 1000, 1000, 1000, 97])), "4108:9", "more than 4096 links"))
  }

  @Test func aCircleOfManyIsToldInAFewWords() throws {
    let links = (0..<1000).map { "  c\($0): { links: [{ mount: c\(($0 + 1) % 1000) }] }\n" }.joined()
    let found = mistakes(in: "settings: { max_mount_depth: 1000 }\nchains:\n" + links)
    #expect(isOnly(found, "1002:28", "c0 → c1 → c2 → c3 → c4 → c5 → c6 → c7 → … (1000 chains) → c0"), "\(found)")
  }

  // MARK: --guard

  @Test func guardsStandInFrontOfAnOpenChain() throws {
    let configuration = try Self.configuration("{}\n", guards: ["main/words", "other/gate", "main/more", "main/words"])
    let chains = configuration.coreSettings().chains
    #expect(chains.map(\.chain) == ["main", "other"])
    #expect(chains[0].links.map(\.name) == ["words", "more"])
    for link in chains.flatMap(\.links) {
      #expect(link.isRequired && link.onFailure == .stop && link.accepts == [">"] && !link.isShadow)
    }
    #expect(chains.map(\.isOpen) == [true, true])
    #expect(configuration.shown.contains { $0.name == "chains.main.open" && $0.origin == .flag("--guard") })
  }

  @Test func aGuardOfADeclaredChainIsAMistake() throws {
    #expect(
      try Self.complaints("chains: { main: { links: [] } }\n", guards: ["main/words"]) == [
        "--guard: the chain \"main\" is declared (baton.yaml:1:11); write the link there, with required: true and "
          + "on_failure: stop"
      ])
    #expect(try Self.complaints("chains: { other: { links: [] } }\n", guards: ["main/words"]) == [])
  }

  // MARK: What is probably not meant

  @Test(arguments: [
    ("{ handler: words, on_failure: stop }", "1:57 messages pass \"words\" while nobody serves it; add required: true"),
    (
      "{ handler: words, on_failure: { disconnect: stop } }",
      "1:57 messages pass \"words\" while nobody serves it; add required: true"
    ),
    ("{ handler: words, required: true }", "1:55 messages go on behind \"words\" while nobody serves it"),
    ("{ handler: words, shadow: true, required: true }", "1:69 no message waits for a shadow, so required means"),
    ("{ handler: words, shadow: true, on_failure: stop }", "1:71 no message waits for a shadow, so on_failure means"),
    ("{ handler: words, shadow: true, hold_ms: 5 }", "1:68 no message waits for a shadow, so hold_ms means"),
    (
      "{ handler: words, required: true, on_failure: stop, percent: 5 }",
      "1:88 a part of the messages comes to \"words\", and the others pass it"
    ),
    (
      "{ handler: words, required: true, on_failure: stop, when: { key: [k] } }",
      "1:85 messages that do not fit the condition pass \"words\""
    ),
    ("{ handler: words, accepts: [$baton.>] }", "1:54 no message has a topic that begins with $"),
  ])
  func aLinkThatIsProbablyNotMeant(link: String, words: String) throws {
    let found = try Self.warnings("chains: { main: { links: [\(link)] } }\n")
    #expect(found.count == 1 && found[0].hasPrefix(words), "\(found)")
  }

  @Test(arguments: [
    ("percent: 5", "1:53 a part of the messages comes to the guard \"rooms/words\", to which \"floors\" leads"),
    (
      "when: { key: [k] }",
      "1:50 messages that do not fit the condition pass the guard \"rooms/words\", to which \"floors\" leads"
    ),
  ])
  func aMountThatLeadsAPartToAGuard(setting: String, words: String) throws {
    let main = "main: { links: [{ mount: floors, \(setting) }] }"
    let rooms = "rooms: { links: [{ handler: words, required: true, on_failure: stop }] }"
    let found = try Self.warnings("chains: { \(main), floors: { links: [{ mount: rooms }] }, \(rooms) }\n")
    #expect(found.count == 1 && found[0].hasPrefix(words), "\(found)")
  }

  @Test(arguments: [
    "{ handler: words, on_failure: { timeout: stop } }", "{ handler: words, hold_ms: 5 }", "{ mount: rooms }",
    "{ handler: words, required: true, on_failure: stop }", "{ handler: words, shadow: true }",
    "{ handler: words, percent: 5 }", "{ handler: words, shadow: true, percent: 5 }", "{ mount: rooms, percent: 50 }",
    "{ mount: rooms, together: true }",
    "{ handler: words, when: { key: [k] } }", "{ mount: rooms, when: { key: [k] } }", "{ handler: words, when: {} }",
  ])
  func aLinkThatIsMeant(link: String) throws {
    #expect(try Self.warnings("chains: { main: { links: [\(link)] } }\n") == [])
  }

  /// Inside a condition quotes count, and bare words are texts.
  @Test(arguments: [
    (
      "{ payload: { a: [true, null, 5, -0.5e3], b: [shell, x.y] } }",
      #"{"payload":{"a":[true,null,5,-0.5e3],"b":["shell","x.y"]}}"#
    ),
    (#"{ payload: { a: ["true", 'null', "5", "yes", "~"] } }"#, #"{"payload":{"a":["true","null","5","yes","~"]}}"#),
    (
      #"{ $or: [{ key: ["é\"\n"] }, { "topic": [{ prefix: a }] }] }"#,
      #"{"$or":[{"key":["é\"\n"]},{"topic":[{"prefix":"a"}]}]}"#
    ),
  ])
  func aConditionIsReadAsJSON(when: String, spelled: String) throws {
    let text = "chains: { main: { links: [{ handler: words, when: \(when) }] } }\n"
    let said = try #require(Self.configuration(text).chains.first?.links.first?.link.when)
    #expect(String(decoding: said.condition.spelling, as: UTF8.self) == spelled)
  }

  @Test func aClosedChainWithoutLinksIsToldOf() throws {
    #expect(
      try Self.warnings("chains: { main: { links: [] } }\n").first?.hasPrefix("1:11 the chain \"main\" has no") == true)
    #expect(try Self.warnings("chains: { main: { links: [], open: true } }\n") == [])
  }

  @Test(arguments: [
    ("serve main/wrods", "4:27 the chain \"main\" has no link \"wrods\", and is not open; did you mean \"words\"?"),
    ("serve main/other", "4:27 the chain \"main\" has no link \"other\", and is not open; add the link, or say open"),
    ("send to moderaton", "4:27 the file does not declare a chain \"moderaton\"; did you mean \"moderation\"?"),
    ("broadcast a.> via moderatoin", "4:27 the file does not declare a chain \"moderatoin\"; did you mean"),
  ])
  func aRightThatNamesWhatIsNotThere(right: String, words: String) throws {
    let found = try Self.warnings(
      """
      chains: { main: { links: [{ handler: words }] }, moderation: { links: [], open: true } }
      peers:
        ann: { user: ann, may: [everything] }
        web: { user: web, may: [\(right)] }
      listen: [unix:a.sock]
      """)
    #expect(found.count == 1 && found[0].hasPrefix(words), "\(found)")
  }

  @Test(arguments: [
    ("serve main/words on chat.>", true), ("serve main", false), ("serve *", false), ("everything", true),
    ("serve main/words on chat.rooms.>", false), ("serve main/wo*", false), ("serve other/words", false),
    ("manage main", false), ("send to main", false),
  ])
  func aHandlerThatNobodyMayServe(right: String, isServed: Bool) throws {
    let found = try Self.warnings(
      "chains: { main: { links: [{ handler: words, accepts: [chat.>] }] } }\n"
        + "peers: { web: { user: web, may: ['\(right)'] } }\nlisten: [unix:a.sock]\n")
    let told = "1:38 no peer may serve \"words\"; the right would be: serve main/words on chat.>"
    #expect(found.filter { $0.contains("no peer may") } == (isServed ? [] : [told]))
  }

  @Test func aMountThatIsNearlyADeclaredChain() throws {
    let found = try Self.warnings(
      "chains: { main: { links: [{ mount: moderaton }, { mount: else }] }, moderation: { links: [], open: true } }\n")
    #expect(
      found == ["1:36 the file does not declare a chain \"moderaton\"; did you mean \"moderation\"?"])
  }

  /// `baton approvals` (Docs/approvals.md).
  @Test(arguments: [
    ("{ handler: rules }, { handler: human }, { handler: permit }", "{ handler: desk }", nil),
    ("{ handler: human }, { handler: log, shadow: true }, { handler: permit }", "{ handler: desk }", nil),
    ("{ handler: human }, { handler: format }, { handler: permit }", "{ handler: desk }", "format"),
    ("{ handler: human }, { mount: approvals }", "{ handler: desk }", "approvals"),
    ("{ handler: human }, { handler: format }", "{ handler: other }", nil),
    ("{ handler: person }, { handler: format }", "{ handler: desk }", nil),
  ])
  func whatStandsBehindThePerson(links: String, desk: String, told: String?) throws {
    let found = try Self.warnings("chains: { tools: { links: [\(links)] }, approvals: { links: [\(desk)] } }\n")
    let words = told.map {
      "\"\($0)\" stands behind the person, who does not see what it makes of a message; put it in front of \"human\", and let "
        + "\"permit\" alone stand behind"
    }
    #expect(found.map { $0.drop { $0 != " " }.dropFirst() } == (words.map { [$0[...]] } ?? []), "\(found)")
  }

  /// `permit` of `baton policy` (Docs/agents.md).
  @Test(arguments: [
    ("policy, STOP | human, STOP | permit, STOP", ""), ("policy | else | human, STOP | permit", ""),
    ("policy | mount: people | permit", ""), ("permit", ""), ("policy | human", ""),
    ("policy, A | human, STOP, A | permit, A", ""), ("policy | human, STOP, A | permit, A", ""),
    ("permit | policy | human, STOP", "\"policy\" is never asked"),
    ("policy, A | human, STOP | permit", "other topics pass \"policy\""),
    ("policy | permit", "nobody has to be asked"), ("policy | permit | human, STOP", "nobody has to be asked"),
    ("policy | human | permit", "nobody has to be asked"),
    ("policy | human, STOP, A | permit", "nobody has to be asked"),
    ("policy | human, shadow: true | permit", "nobody has to be asked"),
    ("policy | human, required: true | permit", "nobody has to be asked"),
  ])
  func whatPermitPermits(links: String, told: String) throws {
    let entries = links.replacing("STOP", with: "required: true, on_failure: stop")
      .replacing(", A", with: ", accepts: [a.>]").split(separator: " | ")
      .map { $0.hasPrefix("mount") ? "{ \($0) }" : "{ handler: \($0) }" }
    let found = try Self.warnings(
      "chains: { tools: { links: [\(entries.joined(separator: ", "))] }, people: { links: [{ handler: a }] } }\n")
    let wanted = found.filter { $0.contains("permit") }
    #expect(wanted.count == (told.isEmpty ? 0 : 1), "\(found)")
    #expect(wanted.allSatisfy { $0.contains(told) }, "\(found)")
  }

  /// The chain has another name now, and the right was forgotten.
  @Test func aRightForTheLinkOfAnotherChain() throws {
    let found = try Self.warnings(
      "chains: { incidents: { links: [{ handler: repair }] } }\nlisten: [unix:a.sock]\n"
        + "peers: { ops: { user: ops, may: [everything] }, bot: { user: bot, may: ['serve alerts/repair'] } }\n")
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.hasSuffix("the file does not declare a chain \"alerts\"; did you mean \"incidents\"?") == true)
  }

  // MARK: What a reload changes

  @Test(arguments: [
    ("timeout_ms: 200", "timeout_ms: 300", ["chains.moderation"]),
    ("handler: model", "handler: mode", ["chains.moderation"]),
    ("links:  ", "links: ", []), ("moderation:", "other:", ["chains.moderation", "chains.other"]),
    ("window: 10", "window: '10'", []), ("accepts: [chat.>]", "accepts: ['chat.>']", []),
    (", together: true", "", ["chains.moderation"]), ("window: 10", "window: 10, percent: 5", ["chains.moderation"]),
    ("window: 10", "window: 10, when: { key: [k] }", ["chains.moderation"]),
  ])
  func aReloadTellsChainsThatDiffer(old: String, new: String, changed: [String]) throws {
    let before = try Self.configuration(Self.page)
    let after = try Self.configuration(Self.page.replacing(old, with: new))
    #expect(after.changes(from: before, startedWith: before) == (changed, []))
  }

  @Test func optionsWinAfterAReloadToo() throws {
    let before = try Self.configuration("settings: { window: 5 }\n", guards: ["main/words"], settings: [("window", 7)])
    let after = try Self.configuration(
      "settings: { window: 6, max_line: 65536, timeout_ms: 30000 }\n", guards: ["main/words"], settings: [("window", 7)]
    )
    #expect(after.coreSettings().window == 7)
    #expect(after.changes(from: before, startedWith: before) == ([], ["settings.max_line"]))
  }

  @Test func whatIsShownHasItsPlace() throws {
    let shown = try Self.configuration(Self.page).shown.filter { $0.name.hasPrefix("chains.") }
    #expect(shown.map(\.name).filter { $0 == "chains.moderation.links" }.count == 4)
    let file = { (line: Int, column: Int) in Origin.file("baton.yaml", FilePlace(line: line, column: column)) }
    #expect(shown.contains(ShownValue(name: "chains.moderation.open", value: .flag(false), origin: .byDefault)))
    #expect(
      shown.contains(ShownValue(name: "chains.moderation.links", value: .text("mount rooms"), origin: file(5, 9))))
    #expect(
      shown.contains(ShownValue(name: "chains.moderation.words.on_failure", value: .text("stop"), origin: file(4, 91))))
    #expect(
      shown.contains(ShownValue(name: "chains.moderation.human.hold_ms", value: .number(60000), origin: file(7, 36))))
    #expect(
      shown.contains(
        ShownValue(name: "chains.moderation.model.window", value: .text("what its handler says"), origin: .byDefault)))
  }

  @Test func whoIsAskedAndWhenIsShown() throws {
    let text =
      "chains: { main: { links: [{ handler: a, percent: 5, when: { key: [k] } }, { mount: b, together: true }] } }\n"
    let shown = try Self.configuration(text).shown
    func value(_ name: String) -> ShownValue.Value? { shown.first { $0.name == "chains.main.\(name)" }?.value }
    #expect(value("a.percent") == .number(5))
    #expect(value("a.when") == .text(#"{"key":["k"]}"#))
    #expect(value("b.together") == .flag(true))
    #expect(value("b.percent") == .number(100))
  }
}
