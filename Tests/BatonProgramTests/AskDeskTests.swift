import BatonClient
import Testing

@testable import baton

/// What a person's keys do with questions, on a clock that the tests move.
@Suite struct AskDeskTests {
  private let start = ContinuousClock.now

  private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

  private func desk(_ questions: Question..., rows: Int = 20) -> AskDesk {
    var desk = AskDesk(window: 3, size: (80, rows), at: start)
    for question in questions { _ = desk.came(question, at: start) }
    return desk
  }

  private func question(_ id: Int, _ json: String = #"{"a":1}"#, lasts: Duration? = nil) throws -> Question {
    Question(id: id, payload: try Payload(json: json), came: start, lasts: lasts)
  }

  private func lines(_ desk: AskDesk, at milliseconds: Int = 1000) -> [String] {
    AskPage(desk: desk, place: "main/human", paint: .none, now: at(milliseconds)).lines
  }

  @Test func nobodyIsAskedTwiceByOneKeyPress() throws {
    var desk = desk(try question(1), try question(2))
    #expect(desk.pressed(.character("a"), at: at(499)) == [])
    #expect(desk.pressed(.character("a"), at: at(500)) == [.answer(1, .approve(nil))])
    #expect(desk.shown?.id == 2)
    for key: Key in [.character("a"), .character("h"), .character("r"), .character("f"), .character("e")] {
      #expect(desk.pressed(key, at: at(999)) == [] && desk.mode == .looking)
    }
    #expect(lines(desk, at: 999).allSatisfy { !$0.contains("a approve") })
    #expect(lines(desk, at: 1000).contains { $0.contains("a approve") })
    #expect(desk.pressed(.character("f"), at: at(1000)) == [.answer(2, .fail("the person can't say"))])
    #expect(desk.shown == nil && desk.pressed(.character("a"), at: at(5000)) == [])
  }

  @Test func onlyTheFirstThatWaitsRings() throws {
    var desk = desk()
    #expect(desk.came(try question(1), at: start))
    #expect(try !desk.came(question(2), at: start))
  }

  @Test func enterDecidesNothing() throws {
    var desk = desk(try question(1))
    #expect(desk.pressed(.enter, at: at(600)) == [])
    #expect(desk.pressed(.character("h"), at: at(600)) == [] && desk.mode == .confirming)
    #expect(desk.pressed(.enter, at: at(700)) == [] && desk.mode == .looking)
    #expect(desk.pressed(.character("h"), at: at(800)) == [])
    #expect(desk.pressed(.character("h"), at: at(900)) == [.answer(1, .handle(nil))])
  }

  @Test func allOfItIsReadFirst() throws {
    let long = "[" + (1...40).map { #"{"n":[\#($0)]}"# }.joined(separator: ",") + "]"
    var desk = desk(try question(1, long), rows: 10)
    for key in ["a", "h"] as [Unicode.Scalar] {
      #expect(desk.pressed(.character(key), at: at(600)) == [] && desk.mode == .looking)
      #expect(desk.note?.hasPrefix("there is more below") == true)
    }
    #expect(lines(desk).contains { $0.hasPrefix("more below (space): a works at the end") })
    // Who refuses has seen enough.
    #expect(desk.pressed(.character("r"), at: at(600)) == [] && desk.mode == .reasoning)
    _ = desk.pressed(.interrupt, at: at(600))
    _ = desk.pressed(.end, at: at(700))
    _ = desk.pressed(.home, at: at(700))
    #expect(desk.pressed(.character("a"), at: at(700)) == [.answer(1, .approve(nil))])
  }

  /// What a letter takes differs from terminal to terminal; the lines are made for the one on which it takes most.
  @Test func noTerminalCutsALineOff() {
    #expect("abcde".split(to: 2) == ["ab", "cd", "e"])
    for letters in ["⚡", "日", "e\u{301}", "👍🏽", "क्ष", "𝌆"] {
      #expect(String(repeating: letters, count: 40).split(to: 40).count >= 2, "\(letters)")
    }
    #expect("".split(to: 2) == [""])
  }

  /// Who sends may choose a name that leaves the topic no room.
  @Test func longFactsAreShownInFull() throws {
    let topic = String(repeating: "a", count: 200) + ".end"
    var question = Question(id: 1, topic: topic, came: start)
    let text = lines(desk(question)).joined(separator: "\n")
    #expect(text.replacing("\n│ ", with: "").contains("FROM cli   \(topic)   walk 1(no payload)"))
    question = Question(id: 1, topic: "short", came: start)
    #expect(lines(desk(question)).count { $0.contains("short") } == 1)
  }

  @Test func aReasonIsWritten() throws {
    var desk = desk(try question(1))
    _ = desk.pressed(.character("r"), at: at(600))
    #expect(desk.pressed(.enter, at: at(600)) == [], "without a reason nothing is sent")
    for scalar in "  zu früh, a?".unicodeScalars { #expect(desk.pressed(.character(scalar), at: at(700)) == []) }
    _ = desk.pressed(.backspace, at: at(700))
    #expect(lines(desk).contains("Refused because:   zu früh, a_"))
    #expect(desk.pressed(.enter, at: at(800)) == [.answer(1, .reject("zu früh, a"))])
  }

  @Test func whatLapsesIsTooLateAndKeepsWhatWasWritten() throws {
    var desk = desk(try question(1), try question(2), try question(3))
    desk.lapsed(3, because: "gone", at: at(500))
    #expect(desk.questions.map(\.id) == [1, 2], "one that nobody looks at goes")
    _ = desk.pressed(.character("r"), at: at(600))
    _ = desk.pressed(.character("x"), at: at(600))
    desk.lapsed(1, because: "nobody decided in time", at: at(700))
    // What is typed on is no command.
    #expect(desk.pressed(.character("a"), at: at(2000)) == [] && desk.shown?.reason == "xa")
    #expect(lines(desk).contains("too late; nothing was sent: xa_"))
    #expect(desk.pressed(.enter, at: at(2000)) == [] && desk.shown?.id == 1)
    #expect(desk.pressed(.character("a"), at: at(2000)) == [])
    #expect(lines(desk).contains("too late; nothing was sent: nobody decided in time"))
    _ = desk.pressed(.character("n"), at: at(2000))
    #expect(desk.shown?.id == 2 && desk.questions.count == 1 && desk.waiting == 1)
    #expect(desk.pressed(.character("a"), at: at(2400)) == [], "another one is shown since then")
  }

  @Test func keysActOnTheShownOneAlone() throws {
    var desk = desk(try question(1), try question(2), try question(3))
    _ = desk.pressed(.character("n"), at: at(600))
    #expect(desk.shown?.id == 2)
    _ = desk.pressed(.character("p"), at: at(600))
    _ = desk.pressed(.character("p"), at: at(600))
    #expect(desk.shown?.id == 3 && desk.position == 3)
    #expect(desk.pressed(.character("a"), at: at(1100)) == [.answer(3, .approve(nil))])
    #expect(desk.shown?.id == 2)
  }

  @Test func whatIsEditedIsReadAndSent() throws {
    var desk = desk(try question(1, #"{"n":1.10,"s":"a b"}"#))
    #expect(desk.pressed(.character("e"), at: at(600)) == [.edit(1)])
    #expect(desk.text(toEdit: 1) == "{\"n\": 1.10, \"s\": \"a b\"}\n")
    desk.edited(1, EditedText(text: "{\n \"n\": 1.10,\n \"s\": \"a b\" }"), at: at(700))
    #expect(desk.note == "nothing was changed" && desk.shown?.rewritten == nil)
    desk.edited(1, EditedText(text: "{\"n\": 2,\n  \"s\": }"), at: at(700))
    #expect(desk.note?.hasPrefix("this is no JSON: line 2, column 8: ") == true, "\(desk.note ?? "")")
    #expect(desk.text(toEdit: 1) == "{\"n\": 2,\n  \"s\": }")
    desk.edited(1, EditedText(text: "{\"n\": 2,\n  \"s\": \"a  b\"}"), at: at(700))
    #expect(desk.pressed(.character("a"), at: at(1100)) == [], "what is on the screen has changed")
    let new = try Payload(json: #"{"n":2,"s":"a  b"}"#)
    #expect(desk.pressed(.character("a"), at: at(1200)) == [.answer(1, .approve(new))])
  }

  @Test func aSmallTerminalTakesNoKeys() throws {
    var desk = desk(try question(1))
    desk.resized(to: (39, 24))
    #expect(
      desk.pressed(.character("a"), at: at(600)) == []
        && lines(desk).joined(separator: " ") == "too small: it needs 40 columns and 10 rows")
    desk.resized(to: (40, 10))
    #expect(lines(desk).count == 10 && lines(desk).allSatisfy { $0.count <= 40 })
    #expect(desk.pressed(.character("a"), at: at(600)) == [.answer(1, .approve(nil))])
  }

  @Test func theTimeThatIsLeftIsSeen() throws {
    let desk = desk(try question(1, lasts: .seconds(80)))
    #expect(lines(desk, at: 39_000)[0] == "main/human   1 of 1 waiting   00:41 ██████░░░░░")
    #expect(lines(desk, at: 90_000)[0].hasSuffix("00:00 ░░░░░░░░░░░"))
  }

  /// A durable message comes again; a person may have decided about it before.
  @Test func whichTryItIsIsSeen() throws {
    func facts(_ again: Bool, _ number: Int?, _ resent: Bool) -> String {
      let question = Question(id: 1, came: start, isAgain: again, try: number, isResent: resent)
      return lines(desk(question))[1]
    }
    #expect(facts(false, nil, false) == "FROM cli   t   walk 1" && facts(false, 1, false) == "FROM cli   t   walk 1")
    #expect(facts(true, nil, false) == "FROM cli   t   walk 1   again")
    #expect(facts(true, 3, false) == "FROM cli   t   walk 1   attempt 3")
    #expect(facts(true, 1, true) == "FROM cli   t   walk 1   a dead letter, sent again")
    #expect(facts(true, 2, true) == "FROM cli   t   walk 1   a dead letter, sent again   attempt 2")
  }

  @Test func nothingThatIsSentActsOnTheTerminal() throws {
    let payload = #"{"a":"\#u{202E}x\#u{1B}[2J","b\#u{7}":"\u001b"}"#
    let lines = lines(desk(try question(1, payload.filter { $0 != "\u{1B}" && $0 != "\u{7}" })))
    #expect(lines.contains { $0.contains(#"\u{202E}x[2J"#) && $0.contains(#"\u001b"#) })
  }

  @Test(arguments: [
    ("1", "1"), (#""a b""#, #""a b""#), ("{}", "{}"), (#"{"a":[],"b":{}}"#, "{\n  \"a\": [],\n  \"b\": {}\n}"),
    (#"{"a":[1,2],"b":{"c":"}, {"}}"#, "{\n  \"a\": [1, 2],\n  \"b\": {\"c\": \"}, {\"}\n}"),
    (#"[[["\""]]]"#, "[\n  [\n    [\"\\\"\"]\n  ]\n]"), (#"[1,{"a":2}]"#, "[\n  1,\n  {\"a\": 2}\n]"),
  ])
  func valuesHaveLines(json: String, text: String) throws {
    let payload = try Payload(json: json)
    #expect(JSONLines.text(of: payload) == text)
    #expect(try JSONLines.compact(Payload(json: text)) == payload)
  }

  @Test func keysBeyondASCIIComeInPieces() {
    var reader = KeyReader()
    #expect(reader.read([0x7A, 0xC3]) == [.character("z")])
    #expect(reader.read([0xBC, 0x0D, 0x7F, 0xFF, 0xF0, 0x9F, 0x98]) == [.character("ü"), .enter, .backspace])
    #expect(reader.read([0x80, 0x61]) == [.character("😀"), .character("a")])
  }
}
