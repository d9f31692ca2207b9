import Testing
import WorldKit

@testable import BatonCore

/// Listeners to traces are found by what they ask for, and only those cost something that get a trace (contract, section 7,
/// `Some traces only`).
@Suite struct TraceListenersTests {
  private static let names = ["a", "b.c", "b.d", "#7"]
  private static let topics = ["x", "x.y", "x.y.z", "y"]
  private static let patterns = ["x", "x.*", "*.y", ">", "x.>", "*", "*.*.z"]
  private static let statuses: [StaticString] = ["handled", "failed"]

  private func facts(
    from: String, chain: String, topic: String, status: StaticString, _ microseconds: Int64, isTraced: Bool
  )
    -> TraceFacts
  {
    Array(chain.utf8).withUnsafeBytes { chain in
      Array(topic.utf8).withUnsafeBytes { topic in
        Array("\"\(from)\"".utf8).withUnsafeBytes { from in
          TraceFacts(
            chain: chain, topic: topic, status: status, microseconds: microseconds, from: from, isTraced: isTraced)
        }
      }
    }
  }

  /// What is found is what the members of `where` say, one after the other.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func findsWhatWhereSays(seed: UInt64) {
    var luck = Generator(seed: seed)
    var listeners = TraceListeners(seed: seed)
    var there: [(connection: Slot<Connection>, asked: TraceWhere, slot: Slot<TraceListener>)] = []
    for number in 0..<200 {
      if luck.chance(30), !there.isEmpty {
        _ = listeners.remove(there.remove(at: luck.below(there.count)).slot)
      }
      var asked = TraceWhere()
      if luck.chance(30) { asked.from = Array(Self.names[luck.below(4)].utf8) }
      if luck.chance(30) { asked.chain = Array(Self.names[luck.below(3)].utf8) }
      if luck.chance(30) { asked.topic = Array(Self.patterns[luck.below(7)].utf8) }
      if luck.chance(30) { asked.status = Array("\(Self.statuses[luck.below(2)])".utf8) }
      if luck.chance(30) { asked.isTraced = luck.chance(50) }
      if luck.chance(50) { asked.slowerThan = luck.below(4) }
      let connection = Slot<Connection>(UInt32(number))
      there.append((connection, asked, listeners.insert(connection, of: .nobody, wanting: asked, dropped: 0)))
    }
    for _ in 0..<50 {
      let (from, chain) = (Self.names[luck.below(4)], Self.names[luck.below(3)])
      let (topic, status) = (Self.topics[luck.below(4)], Self.statuses[luck.below(2)])
      let microseconds = Int64(luck.below(4000))
      let isTraced = luck.chance(50)
      let trace = facts(from: from, chain: chain, topic: topic, status: status, microseconds, isTraced: isTraced)
      let expected = there.filter { one in
        let (asked, pattern) = (one.asked, one.asked.topic)
        return asked.from.map { $0 == Array(from.utf8) } ?? true && asked.chain.map { $0 == Array(chain.utf8) } ?? true
          && asked.status.map { $0 == Array("\(status)".utf8) } ?? true
          && asked.isTraced.map { $0 == isTraced } ?? true
          && asked.slowerThan.map { microseconds > Int64($0) * 1000 } ?? true
          && pattern.map { matches(topic, String(decoding: $0, as: UTF8.self)) } ?? true
      }
      #expect(Set(found(trace, in: &listeners)) == Set(expected.map(\.connection)))
      #expect(listeners.found.count == expected.count, "nobody is found twice")
    }
    let areForAll = listeners.areForAll
    #expect(areForAll == there.contains { $0.asked.isTraced != true })
    for one in there { _ = listeners.remove(one.slot) }
    let areLeft = listeners.areForAll
    #expect(!areLeft)
    #expect(listeners.count + listeners.groupCount + listeners.patternCount == 0)
  }

  private func matches(_ topic: String, _ pattern: String) -> Bool {
    Array(topic.utf8).withUnsafeBytes { topic in
      Array(pattern.utf8).withUnsafeBytes { Pattern.matches(topic, pattern: $0) }
    }
  }

  private func found(_ trace: TraceFacts, in listeners: inout TraceListeners) -> [Slot<Connection>] {
    listeners.match(trace)
    for index in 0..<listeners.groupsFound.count { listeners.gather(listeners.groupsFound[index], trace) }
    return (0..<listeners.found.count).map { listeners.found[$0] }
  }

  // MARK: What a message costs

  private static let wheres = [
    #""from":"nobody%""#, #""chain":"nobodys%""#, #""topic":"never.*.n%""#, #""status":"rejected""#,
    #""slower_than_ms":86400000"#, #""status":"cancelled","topic":"*.n%""#,
  ]

  /// The cost of ten messages beside so many listeners of the kind, and one that gets their traces.
  private func cost(beside count: Int, kind: Int) -> Int {
    let stage = Stage()
    stage.open("sender", "eve", "handler")
    stage.say("handler", #"{"op":"insert","handler":"h","reply":false}"#)
    stage.say("eve", #"{"op":"subscribe","topics":["$baton.trace"],"reply":false}"#)
    for number in 0..<count {
      stage.open("idle\(number)")
      let asked = Self.wheres[kind].replacing("%", with: "\(number)")
      stage.say("idle\(number)", #"{"op":"subscribe","topics":["$baton.trace"],"where":{\#(asked)},"reply":false}"#)
    }
    var cost = 0
    for _ in 0..<10 {
      stage.driver.settles = false
      stage.driver.turn()
      stage.say("sender", #"{"op":"send","topic":"a.b","reply":false}"#)
      stage.say("handler", #"{"op":"handled"}"#)
      cost += stage.driver.router.costOfTurn + (Cost.own - stage.driver.router.announcementCredit)
      stage.driver.settles = true
    }
    #expect(stage.hear("eve").count == 10)
    return cost
  }

  @Test(arguments: 0..<6)
  func thoseWhoGetNothingCostNothing(kind: Int) {
    let (alone, beside) = (cost(beside: 0, kind: kind), cost(beside: 1000, kind: kind))
    #expect(beside < alone + 10 * 8 * Cost.word, "\(alone) without them, \(beside) beside them")
  }

  /// Those who may not see the chain are one group, and not looked at one by one.
  @Test func thoseWhoMayNotSeeItCostNothing() {
    func cost(beside count: Int) -> Int {
      let stage = Stage(
        Settings(),
        entries: [
          "sender": ["send to main"], "handler": ["serve main/h"],
          "idle": ["see other", "see server", "subscribe $baton.>"],
        ])
      stage.signIn("sender")
      stage.signIn("handler")
      stage.say("handler", #"{"op":"insert","handler":"h","reply":false}"#)
      for number in 0..<count {
        stage.signIn("idle\(number)", as: "idle")
        stage.say("idle\(number)", #"{"op":"subscribe","topics":["$baton.trace"]}"#)
        #expect(stage.hear("idle\(number)").ops == ["ok"])
      }
      stage.driver.settles = false
      stage.driver.turn()
      stage.say("sender", #"{"op":"send","topic":"a.b","reply":false}"#)
      stage.say("handler", #"{"op":"handled"}"#)
      if count > 0 { #expect(stage.hear("idle0").isEmpty) }
      return stage.driver.router.costOfTurn + (Cost.own - stage.driver.router.announcementCredit)
    }
    #expect(cost(beside: 200) < cost(beside: 0) + 500)
  }

  // MARK: Who listens

  /// Every pattern of a connection that matches counts, and its `where` holds for all of them.
  @Test func aListenerHasOnePlaceWhateverItsPatterns() {
    let stage = Stage()
    stage.open("sender", "eve")
    stage.say("eve", #"{"op":"subscribe","topics":["$baton.>","$baton.trace","$baton.*"],"reply":false}"#)
    #expect(stage.census["trace listeners"] == 1)
    stage.say("eve", #"{"op":"subscribe","topics":["$baton.trace"],"where":{"topic":"a"},"reply":false}"#)
    stage.say("sender", #"{"op":"send","topic":"a","reply":false}"#, #"{"op":"send","topic":"b","reply":false}"#)
    #expect(stage.hear("eve").filter { $0.contains(#""topic":"$baton.trace""#) }.count == 1)
    stage.say("eve", #"{"op":"unsubscribe","topics":["$baton.>","$baton.trace"],"reply":false}"#)
    stage.say("sender", #"{"op":"send","topic":"a","reply":false}"#, #"{"op":"send","topic":"b","reply":false}"#)
    #expect(stage.hear("eve").count == 1)
    stage.say("eve", #"{"op":"unsubscribe","topics":["$baton.*"],"reply":false}"#)
    #expect(stage.census["trace listeners"] == nil)
    stage.say("sender", #"{"op":"send","topic":"a","reply":false}"#)
    #expect(stage.hear("eve").isEmpty)
  }

  /// More traces wait than may be: each listener is told how many, once.
  @Test func droppedTracesAreMissedByEachListener() {
    let stage = Stage()
    stage.open("sender", "eve", "adam")
    stage.say("eve", #"{"op":"subscribe","topics":["$baton.trace"],"reply":false}"#)
    stage.say("adam", #"{"op":"subscribe","topics":["$baton.trace"],"where":{"topic":"b"},"reply":false}"#)
    stage.driver.settles = false
    let line = #"{"op":"send","topic":"a","reply":false}"# + "\n"
    // No turn comes, so that nothing more of the server's own is published.
    for _ in 0..<60 { stage.give("sender", Array(String(repeating: line, count: 100).utf8)) }
    while stage.driver.turn() {}
    stage.driver.settles = true
    stage.hear("eve")
    stage.say("sender", #"{"op":"send","topic":"b","reply":false}"#)
    let missed = stage.hear("adam").filter { $0.contains("missed") }
    #expect(missed.count <= 1)
    stage.say("sender", #"{"op":"send","topic":"b","reply":false}"#)
    #expect(stage.hear("adam").ops == ["event"])
  }
}
