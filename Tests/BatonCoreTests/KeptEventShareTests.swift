import DoorKit
import Testing

@testable import BatonCore

/// Whose kept events go if all take too much (contract, section 14), where transcripts would be long.
@Suite struct KeptEventShareTests {
  private let driver: Driver
  private let quiet: Int
  private let noisy: Int

  init() {
    var settings = Settings()
    settings.keptTopics = [KeptTopics(pattern: Array(">".utf8), keep: 1000)]
    settings.maxHistoryBytes = 40_000
    let rules = AccessRules(
      forTests: ["quiet", "noisy", "anonymous"].map { AccessRules.Peer($0, may: ["everything"]) })
    driver = Driver(settings: settings, access: rules)
    quiet = driver.open()
    noisy = driver.open()
    say(#"{"op":"hello","token":"\#(TestToken.text(of: "quiet"))"}"#, quiet)
    say(#"{"op":"hello","token":"\#(TestToken.text(of: "noisy"))"}"#, noisy)
  }

  private func say(_ line: String, _ connection: Int) { driver.receive(Array((line + "\n").utf8), from: connection) }

  private func publish(_ topic: String, _ payload: Int, _ connection: Int) {
    let text = String(repeating: "x", count: payload)
    say(#"{"op":"broadcast","topic":"\#(topic)","payload":"\#(text)","reply":false}"#, connection)
    #expect(driver.router.keptEvents.difference == nil)
    #expect(driver.router.keptEvents.bytes <= 40_000)
  }

  /// The events that are kept of the quiet one.
  private var keptOfQuiet: Int {
    var (count, seq) = (0, 0)
    while let event = driver.router.keptEvents.first(after: seq) {
      seq = driver.router.keptEvents[event].seq
      if driver.router.keptEvents.ownerName(of: event) == "quiet" { count += 1 }
    }
    return count
  }

  @Test func manyTopicsPushNobodyOut() {
    for number in 0..<30 { publish("q.\(number)", 10, quiet) }
    for number in 0..<2000 { publish("n.\(number)", 10, noisy) }
    #expect(keptOfQuiet == 30)
    #expect(driver.router.keptEvents.emptyBytes <= 40_000 / 8 + 300)
  }

  @Test func oneLongEventPushesNobodyOut() {
    for _ in 0..<60 { publish("t", 10, quiet) }
    publish("t", 100_000, noisy)
    #expect(keptOfQuiet == 60)
    publish("t", 20_000, noisy)
    #expect(keptOfQuiet == 60)
    #expect(driver.router.keptEvents.count == 61)
  }

  @Test func twoThatSayMuchHaveEqualParts() {
    for number in 0..<400 {
      publish("q.\(number % 7)", number % 90, quiet)
      for _ in 0..<3 { publish("n.\(number % 3)", number % 200, noisy) }
    }
    let bytes = ["quiet", "noisy"].map { name in
      driver.router.keptEvents.owners.find(name).map { driver.router.keptEvents.owners[$0].bytes } ?? 0
    }
    #expect(abs(bytes[0] - bytes[1]) < 1000)
    #expect(bytes[0] + bytes[1] > 34_000)
  }

  /// Who has most fills only half of what is allowed while room is made; others find the rest.
  @Test func whoHasMostIsRefusedFirst() {
    let most = 1 << 20
    let history = History(mostBytes: most)
    while history.events.bytes + 300 < most { _ = history.keep(1, by: "noisy") }
    _ = history.keep(75_000, by: "noisy")
    #expect(history.events.bytes > most + most / 16)
    #expect(history.keep(1, by: "noisy") == 1, "it is gone as it comes")
    #expect(history.keep(75_000, by: "quiet") == 16, "it is kept, and room is made")
    #expect(history.events.bytes > most + most / 8)
    #expect(history.keep(1, by: "quiet") == 1, "it is gone as it comes")
    #expect(history.events.difference == nil)
  }

  /// Kept events without a router, so that room is made only as events come.
  private final class History {
    var events = KeptEvents(seed: 1)
    private let mostBytes: Int

    init(mostBytes: Int) {
      self.mostBytes = mostBytes
      events.take([KeptTopics(pattern: Array(">".utf8), keep: 1_000_000)])
    }

    /// Returns how many events are gone by it.
    func keep(_ payload: Int, by name: String) -> Int {
      let before = events.drops
      Array("t".utf8).withUnsafeBytes { topic in
        [UInt8](repeating: 120, count: payload).withUnsafeBytes { payload in
          let event = Event(
            topic: topic, payload: payload, meta: UnsafeRawBufferPointer(rebasing: topic[..<0]), from: topic)
          guard let slot = events.topic(topic) else { return }
          let seq = events.takeNumber(for: slot, hasRoom: true)
          _ = events.keep(event, of: slot, seq: seq, by: name, mostBytes: mostBytes, at: Instant(microseconds: 0))
        }
      }
      return events.drops - before
    }
  }
}
