import DoorKit
import Foundation
import Testing
import WorldKit

@testable import BatonCore

/// What is kept and given again, from seeds: nothing twice, nothing left out without a word, and no false word where it
/// can be known (contract, section 14; Docs/guarantees.md, "A subscriber dies, is slow, or was away").
@Suite struct ReplayTests {
  private static let topics = ["a", "b", "c.x", "c.y", "d"]

  private struct Given: Equatable {
    var topic: String
    var seq: Int
    var isRetained: Bool
  }

  /// A listener, and what it has been told since it asked.
  private final class Listener {
    let connection: Int
    let patterns: [String]
    let after: Int
    var text: [UInt8] = []
    /// Events, and nil for a `missed` of what is gone, with its number.
    var told: [(event: Given?, gone: Int?, isExact: Bool)] = []
    var missedLive = 0

    init(_ connection: Int, _ patterns: [String], after: Int) {
      (self.connection, self.patterns, self.after) = (connection, patterns, after)
    }
  }

  private final class World {
    var luck: Generator
    let driver: Driver
    var published: [(topic: String, seq: Int)] = []
    var listeners: [Listener] = []
    /// One of each identity, or some of nobody's.
    var senders: [Int] = []
    /// Whether topics without events are remembered: so that there is no word without a hole.
    let remembersTopics: Bool

    init(seed: UInt64) {
      luck = Generator(seed: seed)
      var settings = Settings()
      settings.keptTopics = [
        KeptTopics(pattern: Array("a".utf8), keep: 1 + luck.below(4)),
        KeptTopics(
          pattern: Array("c.>".utf8), keep: 1 + luck.below(30), keepMilliseconds: luck.chance(50) ? 40 : nil),
        KeptTopics(pattern: Array("b".utf8), keep: 1 + luck.below(30)),
      ]
      if luck.chance(50) { settings.maxHistoryBytes = 2000 + luck.below(20_000) }
      if luck.chance(50) { settings.eventsUnsentBytes = 200 + luck.below(3000) }
      settings.pieces.size = 1 + luck.below(40)
      remembersTopics = settings.maxHistoryBytes / 8 > 4 * 260
      let names = ["web", "ops", "anonymous"]
      let rules = AccessRules(forTests: names.map { AccessRules.Peer($0, may: ["everything"]) })
      let isAsked = luck.chance(60)
      driver = Driver(settings: settings, access: isAsked ? rules : nil)
      for name in names {
        let sender = driver.open()
        senders.append(sender)
        if isAsked, name != "anonymous" { say(#"{"op":"hello","token":"\#(TestToken.text(of: name))"}"#, sender) }
      }
    }

    func say(_ line: String, _ connection: Int) { driver.receive(Array((line + "\n").utf8), from: connection) }

    func publish() {
      let topic = ReplayTests.topics[luck.below(ReplayTests.topics.count)]
      let payload = String(repeating: "x", count: luck.below(luck.chance(10) ? 900 : 40))
      say(
        #"{"op":"broadcast","topic":"\#(topic)","payload":"\#(payload)","reply":false}"#,
        senders[luck.chance(60) ? 0 : luck.below(3)])
      #expect(driver.router.keptEvents.difference == nil)
      if topic != "d" { published.append((topic, (published.last?.seq ?? 0) + 1)) }
    }

    func subscribe() {
      let choices = [["a"], ["b"], ["c.*"], [">"], ["a", "c.x"], ["d", "b"], ["c.>", "a", "b"]]
      let patterns = choices[luck.below(choices.count)]
      let after = luck.below((published.last?.seq ?? 0) + 1)
      let listener = Listener(driver.open(), patterns, after: after)
      listeners.append(listener)
      let texts = patterns.map { "\"\($0)\"" }.joined(separator: ",")
      say(#"{"op":"subscribe","topics":[\#(texts)],"after":\#(after),"epoch":"0"}"#, listener.connection)
    }

    func read(_ listener: Listener, atMost most: Int) throws {
      listener.text += driver.take(atMost: most, of: listener.connection)
      while let end = listener.text.firstIndex(of: 10) {
        let line = try #require(
          try JSONSerialization.jsonObject(with: Data(listener.text[..<end])) as? [String: Any])
        listener.text.removeSubrange(...end)
        switch line["op"] as? String {
        case "event":
          let topic = try #require(line["topic"] as? String)
          guard topic != "d" else { continue }
          let seq = try #require(line["seq"] as? Int)
          listener.told.append((Given(topic: topic, seq: seq, isRetained: false), nil, false))
        case "missed" where line["gone"] != nil:
          let count = line["count"] as? Int
          listener.told.append((nil, try #require(count ?? line["at_most"] as? Int), count != nil))
        case "missed": listener.missedLive += try #require(line["count"] as? Int)
        default: break
        }
      }
    }

    func matches(_ topic: String, _ patterns: [String]) -> Bool {
      let bytes = Array(topic.utf8)
      return patterns.contains { pattern in
        bytes.withUnsafeBytes { topic in
          Array(pattern.utf8).withUnsafeBytes { Pattern.matches(topic, pattern: $0) }
        }
      }
    }

    func check(_ listener: Listener) {
      let wanted = published.filter { $0.seq > listener.after && matches($0.topic, listener.patterns) }.map(\.seq)
      let given = listener.told.compactMap { $0.event?.seq }
      #expect(given == given.sorted() && Set(given).count == given.count, "out of order, or twice")
      #expect(Set(given).isSubset(of: wanted), "never wanted")
      let lost = Set(wanted).subtracting(given)
      let gone = listener.told.compactMap(\.gone).reduce(0, +)
      #expect(lost.count <= gone + listener.missedLive, "a hole without a word")
      if lost.isEmpty, remembersTopics { #expect(gone == 0, "a word without a hole") }
      if listener.told.allSatisfy({ $0.gone == nil || $0.isExact }), listener.patterns == [">"] {
        #expect(gone + listener.missedLive >= lost.count && gone <= lost.count, "a wrong number")
      }
    }
  }

  @Test(arguments: 0..<200) func worlds(_ seed: Int) throws {
    let world = World(seed: UInt64(seed))
    for _ in 0..<300 {
      switch world.luck.below(20) {
      case 0: world.subscribe()
      case 1: world.driver.pass(milliseconds: world.luck.below(30))
      case 2...7:
        guard !world.listeners.isEmpty else { continue }
        let listener = world.listeners[world.luck.below(world.listeners.count)]
        try world.read(listener, atMost: world.luck.chance(30) ? .max : 1 + world.luck.below(300))
      default: world.publish()
      }
    }
    for listener in world.listeners {
      var before = -1
      while before != listener.told.count {
        before = listener.told.count
        for _ in 0..<50 { try world.read(listener, atMost: .max) }
      }
      world.check(listener)
    }
    for listener in world.listeners { world.driver.close(listener.connection) }
    world.driver.wake()
  }
}
