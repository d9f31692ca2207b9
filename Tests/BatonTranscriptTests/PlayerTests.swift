import BatonCore
import Testing

@testable import TranscriptPlayer

/// The player finds what differs. Each test plays a dialogue against a stage that gives what the test tells it to give.
@Suite struct PlayerTests {
  /// Plays and returns the line at which it failed, or nil.
  private func failure(_ text: String, _ stage: ScriptedStage) throws -> Int? {
    var player = Player(try Transcript(parsing: text, path: "test"), on: stage)
    do {
      try player.play()
      return nil
    } catch let error as TranscriptError {
      return error.line
    }
  }

  @Test func takesWhatIsTold() throws {
    let stage = ScriptedStage(["cli": [.line(Array("pong".utf8)), .end(unfinished: [])]])
    #expect(try failure("cli → ping\ncli ← pong\ncli: is closed", stage) == nil)
    #expect(stage.sent == ["cli": "ping\n"])
  }

  private static let pong = Received.line(Array("pong".utf8))

  /// What a peer gets, a dialogue that tells something else, and the line at which it fails.
  @Test(
    arguments: [
      ("another line", [.line(Array("pang".utf8))], "cli → ping\ncli ← pong", 2),
      ("a line that does not come", [], "cli → ping\ncli ← pong", 2),
      ("a line that is not told", [pong], "cli → ping\n# nothing more", 1),
      ("a line where nothing is told", [pong], "cli → ping\ncli: nothing\ncli ← pong", 2),
      ("an end that is not told", [.end(unfinished: [])], "cli → ping", 1),
      ("an end that does not come", [], "cli → ping\ncli: is closed", 2),
      ("an end within a line", [.end(unfinished: [0x7B])], "cli → ping\ncli: is closed", 2),
    ] as [(String, [Received], String, Int)])
  func finds(_ what: String, got: [Received], dialogue: String, line: Int) throws {
    #expect(try failure(dialogue, ScriptedStage(["cli": got])) == line)
  }

  @Test func onePeerWaitsForTheOther() throws {
    let stage = ScriptedStage(["b": [.line(Array("2".utf8))]])
    #expect(try failure("a → 1\nb → 2\nb ← 2\na ⇢ 3", stage) == nil)
    #expect(stage.settles == 2, "once before b speaks, once at the end")
    #expect(stage.sent == ["a": "1\n3", "b": "2\n"])
  }

  @Test(arguments: [
    "cli -> ping", "cli ping", "cli: sleeps", "clock + 200 s", "server: runs", "settings: max_line\ncli → a",
    "cli → a\nsettings: max_line=5", "cli → a\nguard: main/a", "stage: sea\ncli → a",
    "cli → a\nstage: core", "# nothing", ": connects", "identity: a may sing\ncli → a", "identity: a loud\ncli → a",
    "identity: a limits=5\ncli → a", "identity:\ncli → a", "cli → a\nidentity: a", "cli: connects from 7",
    "stage: core\ncli: connects from home", "stage: core\ncli: connects as ann", "server: reloads a may sing",
    "chain:\ncli → a", "chain: {\"handler\":\"a\"}\ncli → a", "chain: main shut\ncli → a", "cli → a\nchain: main",
    "chain: main {\"handler\":\"a\"\ncli → a", "chain: main {\"handler\":\"a\",\"mount\":\"b\"}\ncli → a",
    "chain: main {\"handlers\":\"a\"}\ncli → a", "chain: main {\"handler\":\"a\",\"required\":\"yes\"}\ncli → a",
    "chain: main {\"handler\":\"a\",\"on_failure\":\"never\"}\ncli → a", "server: reloads chain main shut",
    "server: reloads chain main and", "server: gets chain main shut into its file",
  ])
  func refusesWhatIsNoTranscript(text: String) {
    #expect(throws: TranscriptError.self) { try Transcript(parsing: text, path: "test") }
  }

  @Test func readsHeadAndRepetition() throws {
    let head = "# Why.\nrule: 2 framing\nsettings: max_line=80 linger_ms=5\nguard: main/a side/b\nstage: core\n"
    let text = head + "\n3× cli → x\ncli →\n"
    let transcript = try Transcript(parsing: text, path: "test")
    #expect(transcript.rule == "2 framing")
    #expect(transcript.settings.map(\.name) == ["max_line", "linger_ms"])
    #expect(transcript.settings.map(\.value) == [80, 5])
    #expect(transcript.guards == ["main/a", "side/b"])
    #expect(transcript.isForTheCore)
    #expect(transcript.steps.map(\.line) == [7, 7, 7, 8])
  }

  @Test func readsIdentities() throws {
    let head =
      "stage: core\nidentity: web may send to main on a; see main\n"
      + "identity: ann user=ann user=7 certificate=dns:a limits=max_links=2,max_patterns=5 may everything\nidentity: eve\n"
    let transcript = try Transcript(parsing: head + "cli: connects as user 7 ann\nb: connects from 9", path: "test")
    #expect(transcript.file.entries.map(\.name) == ["web", "ann", "eve"])
    #expect(transcript.file.entries.map(\.may) == [["send to main on a", "see main"], ["everything"], []])
    let ann = transcript.file.entries[1]
    #expect(ann.users == ["ann", "7"] && ann.certificates == ["dns:a"])
    #expect(ann.limits.map(\.name) == ["max_links", "max_patterns"] && ann.limits.map(\.value) == [2, 5])
    guard case .peer("cli", .connects(let first)) = transcript.steps[0].action,
      case .peer("b", .connects(let second)) = transcript.steps[1].action
    else { return #expect(Bool(false), "they connect") }
    #expect(first.users == [.numbered(7), .named("ann")] && first.takesTokens)
    #expect(second.address == 9 && !second.takesTokens)
  }

  @Test func aReloadChangesEntries() throws {
    let stage = ScriptedStage([:])
    let text =
      "identity: web may see main\nidentity: ann\na: connects\nserver: reloads eve may see main\n"
      + "server: reloads without web"
    #expect(try failure(text, stage) == nil)
    #expect(stage.reloads == [["web", "ann", "eve"], ["ann", "eve"]])
    let entry = Transcript.Entry("ann may see main").keepingOptions(of: Transcript.Entry("ann user=ann may see b"))
    #expect(entry == Transcript.Entry("ann user=ann may see main"))
  }

  @Test func readsDeclaredChains() throws {
    let head =
      #"chain: main {"handler":"a","accepts":["x } {"],"on_failure":{"timeout":"stop"},"hold_ms":5} {"mount":"b"}"#
      + "\nchain: side open\ncli → a\n"
      + #"server: reloads chain side {"handler":"and and"} and without web and chain main gone"#
    let transcript = try Transcript(parsing: head, path: "test")
    let chains = transcript.file.chains
    #expect(chains.map(\.name) == ["main", "side"] && chains.map(\.isOpen) == [false, true])
    #expect(chains[0].links.last == #"{"mount":"b"}"#)
    let links = chains[0].declaration.links
    #expect(links.map(\.name) == ["a", "b"] && links.map(\.isMount) == [false, true])
    #expect(links[0].accepts == ["x } {"] && links[0].holdMilliseconds == 5 && links[0].window == nil)
    #expect(links[0].onFailure[.timeout] && !links[0].onFailure[.failed])
    guard case .serverReloads(let changes) = transcript.steps[1].action else { return #expect(Bool(false), "a reload") }
    var file = transcript.file
    for change in changes { file.apply(change) }
    #expect(file.chains.map(\.name) == ["side"] && file.chains[0].declaration.links.map(\.name) == ["and and"])
  }

  @Test func takesBlocksFromAPage() throws {
    let page = "# Page\n```\nno\n```\n```transcript\ncli → a\ncli ← b\n```\ntext\n```transcript\ncli → c\n```\n"
    let blocks = try Transcript.blocks(ofPage: page, path: "page")
    #expect(blocks.map(\.steps.count) == [2, 1])
    #expect(blocks.map(\.steps[0].line) == [6, 11])
    #expect(throws: TranscriptError.self) { try Transcript.blocks(ofPage: "```transcript\na → b", path: "page") }
  }
}

/// A stage on which everything that peers get is given beforehand.
private final class ScriptedStage: Stage {
  private var script: [String: [Received]]
  private(set) var sent: [String: String] = [:]
  private(set) var settles = 0
  private(set) var reloads: [[String]] = []

  init(_ script: [String: [Received]]) {
    self.script = script
  }

  var clockRuns: Bool { false }
  func connect(_ peer: String, _ facts: PeerFacts) {}
  func send(_ bytes: [UInt8], from peer: String) { sent[peer, default: ""] += String(decoding: bytes, as: UTF8.self) }
  func halfClose(_ peer: String) {}
  func close(_ peer: String) {}
  func reset(_ peer: String) {}
  func setReading(_ reading: Bool, of peer: String) {}
  func receive(_ peer: String) -> Received { received(peer) }
  func settle() { settles += 1 }
  func advance(milliseconds: Int) {}
  func isGone(_ peer: String) -> Bool { false }
  func reload(_ file: Transcript.File) { reloads.append(file.entries.map(\.name)) }
  func write(_ file: Transcript.File) {}
  func spoilFile() {}
  func set(_ store: Transcript.StoreState) {}
  func startAgain() {}
  func drain() {}
  func hasEnded() -> Bool { false }

  func received(_ peer: String) -> Received {
    guard script[peer]?.isEmpty == false else { return .nothing }
    return script[peer]?.removeFirst() ?? .nothing
  }
}
