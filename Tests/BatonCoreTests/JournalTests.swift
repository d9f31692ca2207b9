import DoorKit
import Testing

@testable import BatonCore

/// What the core notes for the log: one entry a second for each kind at most, and nothing gets lost (Docs/settings.md,
/// "What is not read, refused, or lost").
@Suite struct JournalTests {
  private let stage = Stage(Stage.settings { $0.breakerOffers = 2 })

  /// The entries that there are now.
  private func entries(isLast: Bool = false) -> [JournalEntry] {
    var entries: [JournalEntry] = []
    while let entry = stage.entry(isLast: isLast) { entries.append(entry) }
    return entries
  }

  private func insert(_ peer: String, _ name: String, _ more: String = "") {
    stage.say(peer, #"{"op":"insert","handler":"\#(name)","reply":false\#(more)}"#)
  }

  private func failOnce(_ peer: String, _ verdict: String = #"{"op":"failed","message":"no \"x\"\n\u00e9"}"#) {
    stage.say("sender", #"{"op":"send","topic":"t","reply":false}"#)
    stage.say(peer, verdict)
  }

  @Test func aServerWithoutNewsHasNoEntries() {
    stage.open("h")
    #expect(entries() == [])
    #expect(!stage.hasJournal)
    #expect(stage.journalDueAt == nil)
    stage.close("h")
    #expect(entries(isLast: true) == [])
  }

  /// The first has an entry of its own. The others of its second have one together, which says how many, in which time,
  /// and the first eight.
  @Test func aFloodIsOneEntryASecond() throws {
    stage.open("h")
    stage.say("h", #"{"op":"hello","name":"porter"}"#)
    for number in 0..<38 { insert("h", "h\(number)") }
    let first = try #require(entries().first)
    #expect(first.kind == .serves && first.more == 0)
    #expect(
      first.facts == [
        .text("chain", "main"), .text("handler", "h0"), .text("by", "porter"), .number("connections", 1),
      ])
    #expect(stage.journalDueAt == stage.now.advanced(milliseconds: 1000))
    stage.advance(milliseconds: 999)
    #expect(entries() == [])
    stage.advance(milliseconds: 1)
    let names = (1...8).map { "main/h\($0)" }.joined(separator: ", ") + ", …"
    #expect(
      entries() == [JournalEntry(kind: .serves, more: 37, facts: [.text("first", names), .number("within_ms", 1000)])])
    // That entry has its second, too. A single event is told with all that is known of it.
    insert("h", "late")
    #expect(entries() == [])
    stage.advance(milliseconds: 1000)
    #expect(
      entries() == [
        JournalEntry(
          kind: .serves, more: 0,
          facts: [.text("chain", "main"), .text("handler", "late"), .text("by", "porter"), .number("connections", 1)])
      ])
    stage.advance(milliseconds: 1000)
    #expect(entries() == [])
    insert("h", "calm")
    #expect(entries().map(\.more) == [0])
  }

  /// One kind does not keep the others from having their entries.
  @Test func kindsHaveSecondsOfTheirOwn() {
    stage.open("h")
    insert("h", "a")
    insert("h", "b", #","hold_ms":5000"#)
    stage.say("h", #"{"op":"replace","handler":"a"}"#, #"{"op":"mount","on":"other"}"#)
    stage.close("h")
    #expect(entries().map(\.kind) == [.serves, .replaces, .mounts, .holds, .leaves])
  }

  /// A link that begins to fail has an entry at once, and then one a minute, with the number, the last cause, and what the handler
  /// said.
  @Test func aFailingLinkHasAnEntryAMinute() {
    stage.open("sender", "h")
    insert("h", "words")
    _ = entries()
    failOnce("h")
    let facts: [JournalFact] = [.text("chain", "main"), .text("handler", "words")]
    let said = JournalFact.text("said", "no \"x\"\né")
    #expect(
      entries() == [
        JournalEntry(
          kind: .beginsToFail, more: 0, facts: facts + [.number("messages", 1), .text("cause", "failed"), said])
      ])
    for _ in 0..<5 { failOnce("h") }
    stage.advance(milliseconds: 59_999)
    #expect(entries() == [])
    stage.advance(milliseconds: 1)
    #expect(
      entries() == [
        JournalEntry(
          kind: .failsOn, more: 0,
          facts: facts + [.number("messages", 5), .text("cause", "failed"), .number("within_ms", 60_000), said])
      ])
    // A quiet minute, and it is told at once again.
    stage.advance(milliseconds: 60_000)
    #expect(entries() == [])
    #expect(stage.journalDueAt == nil)
    failOnce("h")
    #expect(entries().map(\.kind) == [.beginsToFail])
  }

  /// If many links begin to fail at once, the first is told at once and the others a second later, in one entry. A minute
  /// later the same holds for what they failed since.
  @Test func manyLinksThatBeginToFailAreTwoEntries() throws {
    stage.open("sender", "h")
    for number in 0..<500 { insert("h", "h\(number)") }
    _ = entries()
    func failAll() {
      stage.say("sender", #"{"op":"send","topic":"t","reply":false}"#)
      for _ in 0..<500 { stage.say("h", #"{"op":"failed"}"#) }
    }
    func names(_ count: Int) -> JournalFact {
      .text("first", (1...8).map { "main/h\($0) (\(count) × failed)" }.joined(separator: ", ") + ", …")
    }
    failAll()
    let first = try #require(entries().first { $0.kind == .beginsToFail })
    #expect(first.more == 0 && first.facts[1] == .text("handler", "h0"))
    for _ in 0..<2 { failAll() }
    stage.advance(milliseconds: 1000)
    #expect(
      entries().filter { $0.kind == .beginsToFail } == [
        JournalEntry(
          kind: .beginsToFail, more: 499, facts: [names(1), .number("within_ms", 1000), .number("messages", 499)])
      ])
    // Nothing else comes in that minute.
    stage.advance(milliseconds: 58_999)
    #expect(entries().filter { $0.kind != .serves } == [])
    stage.advance(milliseconds: 1)
    let next = try #require(entries().first)
    #expect(next.kind == .failsOn && next.facts.contains(.number("messages", 2)))
    // A call looks at a piece of the links. The caller calls again, because more are due.
    while let due = stage.journalDueAt, due <= stage.now { #expect(entries() == []) }
    stage.advance(milliseconds: 1000)
    #expect(
      entries() == [
        JournalEntry(
          kind: .failsOn, more: 499, facts: [names(2), .number("within_ms", 61_000), .number("messages", 998)])
      ])
  }

  /// What is left when the server ends is told then.
  @Test func theEndLeavesNoFailureUntold() {
    stage.open("sender", "h")
    for number in 0..<100 { insert("h", "h\(number)") }
    _ = entries()
    stage.say("sender", #"{"op":"send","topic":"t","reply":false}"#)
    for _ in 0..<100 { stage.say("h", #"{"op":"failed"}"#) }
    #expect(entries(isLast: true).filter { $0.kind == .beginsToFail }.map { max($0.more, 1) }.reduce(0, +) == 100)
  }

  /// The failures of a link that goes are told, although its minute is not over.
  @Test func aLinkThatGoesLeavesNoFailureUntold() {
    stage.open("sender", "h")
    insert("h", "words")
    _ = entries()
    failOnce("h")
    _ = entries()
    for _ in 0..<4 { failOnce("h") }
    stage.advance(milliseconds: 1000)
    _ = entries()
    stage.say("h", #"{"op":"remove","handler":"words"}"#)
    let fails = entries().first { $0.kind == .failsOn }
    #expect(fails?.facts.contains(.number("messages", 4)) == true)
  }

  @Test func aBreakerOpensAndCloses() {
    stage.open("sender", "h")
    insert("h", "slow", #","timeout_ms":100"#)
    for _ in 0..<2 {
      stage.say("sender", #"{"op":"send","topic":"t","reply":false}"#)
      stage.advance(milliseconds: 100)
    }
    let opened = entries().first { $0.kind == .breakerOpens }
    #expect(opened?.facts.contains(.number("timeouts", 2)) == true)
    stage.advance(milliseconds: 10_000)
    stage.say("sender", #"{"op":"send","topic":"t","reply":false}"#)
    stage.say("h", #"{"op":"handled","id":3}"#)
    #expect(entries().contains { $0.kind == .breakerCloses })
  }

  /// Who reads too slowly is named, with the bytes and the setting; and how much it has missed, when it reads on or ends.
  @Test(arguments: [true, false])
  func aSlowSubscriberIsNamed(readsOn: Bool) {
    let stage = Stage(Stage.settings { $0.eventsUnsentBytes = 1000 })
    stage.open("sender", "lazy")
    stage.say(
      "lazy", #"{"op":"hello","name":"lazy","reply":false}"#, #"{"op":"subscribe","topics":[">"],"reply":false}"#)
    let payload = String(repeating: "x", count: 600)
    for _ in 0..<5 { stage.say("sender", #"{"op":"broadcast","topic":"t","payload":"\#(payload)","reply":false}"#) }
    let unsent = stage.unsent("lazy")
    let about: [JournalFact] = [.number("connection", 2), .text("by", "lazy")]
    #expect(
      stage.entry()
        == JournalEntry(
          kind: .missesEvents, more: 0,
          facts: about + [.number("unsent", unsent), .text("setting", "events_unsent_bytes")]))
    stage.advance(milliseconds: 700)
    if readsOn { stage.take("lazy") } else { stage.close("lazy") }
    #expect(
      stage.entry()
        == JournalEntry(
          kind: .missedEvents, more: 0, facts: about + [.number("missed", 3), .number("within_ms", 700)]))
  }

  /// Each reason has its own second. Ends in good order are no news.
  @Test func connectionsThatTheServerEndsAreNamed() throws {
    stage.open("web", "long", "good", "also")
    stage.say("good", #"{"op":"ping"}"#)
    stage.end("good")
    stage.give("web", Array("GET /\n".utf8))
    stage.give("also", Array("GET /\n".utf8))
    stage.give("long", Array(String(repeating: " ", count: 1 << 20).utf8))
    let first = entries()
    #expect(first.map(\.kind) == [.closes(.notJSONLines), .closes(.lineTooLong)])
    #expect(first.last?.facts.contains(.text("setting", "max_line")) == true)
    stage.advance(milliseconds: 1000)
    #expect(
      entries() == [
        JournalEntry(kind: .closes(.notJSONLines), more: 0, facts: [.number("connection", 4), .text("by", "#4")])
      ])
  }

  /// One that names nobody needs no other in its place.
  @Test func aTokenThatOthersMayHaveReadIsToldOnceAMinute() {
    let stage = Stage(entries: ["web": ["see main"]])
    var facts = PeerFacts()
    facts.takesTokens = false
    func told(_ peer: String, _ token: String) -> [[JournalFact]] {
      stage.open(peer, facts)
      stage.say(peer, #"{"op":"hello","token":"\#(token)"}"#)
      return exposed()
    }
    func exposed() -> [[JournalFact]] {
      var entries: [JournalEntry] = []
      while let entry = stage.entry() { entries.append(entry) }
      return entries.filter { $0.kind == .exposesToken }.map(\.facts)
    }
    #expect(told("a", "nobody's") == [])
    #expect(told("b", TestToken.text(of: "web")) == [[.text("identity", "web"), .text("by", "#2")]])
    #expect(told("c", TestToken.text(of: "web")) == [])
    stage.advance(milliseconds: 59_999)
    #expect(exposed() == [])
    stage.advance(milliseconds: 1)
    #expect(exposed() == [[.text("identity", "web"), .text("by", "#3")]])
  }

  @Test func aPeerThatReadsNothingIsNamedWithBytesAndTime() throws {
    let stage = Stage(Stage.settings { $0.readingUnsentBytes = 100 })
    stage.open("lazy")
    stage.say("lazy", #"{"op":"help"}"#)
    stage.advance(milliseconds: 10_000)
    let entry = try #require(stage.entry())
    #expect(entry.kind == .closes(.tooSlow))
    #expect(entry.facts.contains(.number("unread_ms", 10_000)))
    #expect(entry.facts.contains(.text("setting", "slow_ms")))
  }

  @Test func drainingSaysWhatItWaitsFor() {
    stage.open("sender", "h")
    insert("h", "porter")
    for _ in 0..<3 { stage.say("sender", #"{"op":"send","topic":"t","reply":false}"#) }
    stage.drain()
    let report = stage.drainReport
    #expect(report.messages == 3)
    #expect(report.places == ["main/porter (3)"])
    #expect(report.connections == 2)
    #expect(report.milliseconds == 25_000)
  }
}

extension Stage {
  fileprivate func entry(isLast: Bool = false) -> JournalEntry? {
    driver.router.nextJournalEntry(at: now, isLast: isLast)
  }
  fileprivate var hasJournal: Bool { driver.router.hasJournal }
  fileprivate var journalDueAt: Instant? { driver.router.journalDueAt }
  fileprivate var drainReport: DrainReport { driver.router.drainReport(at: now) }
}
