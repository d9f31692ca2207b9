import Testing

@testable import BatonCore

/// Turns: who waits for whom (contract, section 10, `Turns`), and what a turn that comes late changes (section 5,
/// `Time`). The tests say when a turn comes.
@Suite struct TurnsTests {
  private func stage(_ change: (inout Settings) -> Void = { _ in }) -> Stage {
    let stage = Stage(Stage.settings(change))
    stage.driver.settles = false
    return stage
  }

  private func ping(_ count: Int) -> String {
    String(repeating: "{\"op\":\"ping\"}\n", count: count)
  }

  /// Turns until no work is left; returns how many.
  @discardableResult
  private func settle(_ stage: Stage) -> Int {
    var turns = 1
    while stage.driver.turn() { turns += 1 }
    return turns
  }

  @Test func whatAConnectionSendsBeyondItsCreditWaits() {
    let stage = stage()
    stage.open("greedy", "modest")
    stage.give("greedy", Array(ping(10_000).utf8))
    let first = stage.hear("greedy").count
    #expect(first > 1000 && first < 3000, "about a millisecond's worth, not \(first) lines")
    #expect(!stage.wish("greedy").reading, "it is not read from before its next turn")
    stage.say("modest", #"{"op":"ping"}"#)
    #expect(stage.hear("modest").count == 1, "who wants little does not wait")
    #expect(stage.wish("modest").reading)
    #expect(settle(stage) > 3)
    #expect(stage.hear("greedy").count == 10_000 - first)
    #expect(stage.wish("greedy").reading)
  }

  /// Each of many greedy peers gets as much as the others, and everybody is served within a few turns.
  @Test func greedyPeersHaveTheirTurnInOrder() {
    let stage = stage()
    let names = (0..<20).map { "greedy\($0)" }
    for name in names { stage.open(name) }
    for name in names { stage.give(name, Array(ping(4000).utf8)) }
    var answered = names.map { stage.hear($0).count }
    #expect(answered.allSatisfy { $0 > 20 }, "a little is granted to each, whatever the others cost: \(answered)")
    for _ in 0..<8 {
      #expect(stage.driver.turn())
      for (number, name) in names.enumerated() { answered[number] += stage.hear(name).count }
    }
    let (least, most) = (answered.min() ?? 0, answered.max() ?? 0)
    #expect(least > 1000 && most - least < 2500, "\(answered)")
    settle(stage)
  }

  /// A line's cost is known when it is done. So who had a dear one waits for what all have in common; who had none does not.
  @Test func dearLinesOfManyPeersAreSpreadOverTurns() {
    let stage = stage()
    let names = (0..<20).map { "dear\($0)" }
    for name in names + ["modest"] { stage.open(name) }
    let dear = #"{"op":"send","topic":"a","payload":""# + String(repeating: "x", count: 200_000) + "\"}\n"
    for name in names { stage.give(name, Array(dear.utf8)) }
    settle(stage)
    for name in names { #expect(stage.hear(name).count == 1) }
    for name in names { stage.give(name, Array(dear.utf8)) }
    let atOnce = names.count { stage.hear($0).count == 1 }
    #expect(atOnce > 0 && atOnce < 10, "\(atOnce) of them cost about three milliseconds")
    stage.say("modest", #"{"op":"ping"}"#)
    #expect(stage.hear("modest").count == 1, "who wants little does not wait")
    settle(stage)
    let later = names.count { stage.hear($0).count == 1 }
    #expect(atOnce + later == names.count)
  }

  /// Also the first dear line of each of many waits where it may be known for dear, once the sum of all is used up.
  @Test(arguments: ["broadcast", "explain", "long"])
  func firstDearLinesHaveASum(kind: String) {
    let stage = stage()
    for number in 0..<1000 {
      stage.open("listener\(number)")
      stage.say("listener\(number)", #"{"op":"subscribe","topics":["storm"],"reply":false}"#)
    }
    stage.open("server")
    for number in 0..<1000 where kind == "explain" {
      stage.say("server", #"{"op":"insert","handler":"h\#(number)","reply":false}"#)
      if number.isMultiple(of: 100) { settle(stage) }
    }
    let names = (0..<60).map { "dear\($0)" }
    for name in names + ["modest"] { stage.open(name) }
    settle(stage)
    let line =
      switch kind {
      case "broadcast": #"{"op":"broadcast","topic":"storm"}"#
      case "explain": #"{"op":"explain","topic":"t"}"#
      default: #"{"op":"send","topic":"a","chain":"none","payload":""# + String(repeating: "x", count: 60_000) + "\"}"
      }
    for name in names { stage.say(name, line) }
    let atOnce = names.count { stage.hear($0).count == 1 }
    #expect(atOnce > 4 && atOnce < 40, "\(atOnce) of them cost about three milliseconds")
    stage.say("modest", #"{"op":"ping"}"#)
    #expect(stage.hear("modest").count == 1, "who wants little does not wait")
    var (later, turns) = (0, 0)
    while later + atOnce < names.count, turns < 20 {
      stage.driver.turn()
      turns += 1
      let answered = names.count { stage.hear($0).count == 1 }
      #expect(answered < 40)
      later += answered
    }
    #expect(later + atOnce == names.count)
  }

  /// With many messages under way each costs more, because its memory is not at hand: so turns do not take longer.
  @Test func messagesBesideManyCostMore() {
    let stage = stage()
    stage.open("server")
    stage.say("server", #"{"op":"insert","handler":"h","window":65536,"reply":false}"#)
    let names = (0..<16).map { "sender\($0)" }
    for name in names { stage.open(name) }
    settle(stage)
    let line = #"{"op":"send","topic":"t","reply":false}"# + "\n"
    for name in names { stage.give(name, Array(String(repeating: line, count: 1500).utf8)) }
    var offered = [stage.hear("server").count]
    var isMoreLeft = true
    while isMoreLeft {
      isMoreLeft = stage.driver.turn()
      offered.append(stage.hear("server").count)
    }
    #expect(offered.reduce(0, +) == 16 * 1500)
    let (first, last) = (offered[0], offered.dropFirst(3).max() ?? 0)
    #expect(last < first * 2 / 3, "\(first) in the first turn, with few under way; then at most \(last)")
  }

  /// An event for thousands is written behind what somebody waits for.
  @Test func repliesAreWrittenBeforeEvents() throws {
    let stage = stage()
    let names = (0..<20).map { "listener\($0)" }
    for name in names + ["asker", "teller"] { stage.open(name) }
    for name in names { stage.say(name, #"{"op":"subscribe","topics":["news"]}"#) }
    for name in names { stage.hear(name) }
    _ = stage.takeChanged()
    stage.give("teller", Array("{\"op\":\"broadcast\",\"topic\":\"news\",\"reply\":false}\n".utf8))
    stage.give("asker", Array(ping(1).utf8))
    let order = stage.takeChangedInOrder()
    let asker = try #require(order.firstIndex(of: "asker"))
    #expect(order.count >= 21 && asker < 2, "\(order)")
  }

  @Test func aDebtIsTakenOffBeforeTheNextLine() {
    let stage = stage()
    stage.open("greedy")
    let long = #"{"op":"send","topic":"a","payload":""# + String(repeating: "x", count: 1_000_000) + "\"}\n"
    stage.give("greedy", Array(long.utf8))
    #expect(!stage.wish("greedy").reading)
    #expect(settle(stage) > 0)
    #expect(stage.wish("greedy").reading)
  }

  /// A message that passes thousands of links goes in steps, at its sender's cost.
  @Test func aLongWalkGoesInSteps() {
    let stage = stage()
    stage.open("owner", "sender", "modest")
    for number in 0..<3000 {
      stage.say("owner", #"{"op":"insert","handler":"h\#(number)","accepts":[">"],"shadow":true,"reply":false}"#)
      settle(stage)
    }
    _ = stage.hear("owner")
    stage.say("sender", #"{"op":"send","id":1,"topic":"a"}"#)
    let offered = stage.hear("owner").count
    #expect(offered > 0 && offered < 100)
    stage.say("modest", #"{"op":"ping"}"#)
    #expect(stage.hear("modest").count == 1)
    #expect(settle(stage) > 3)
    #expect(stage.hear("owner").count == 3000 - offered)
    #expect(stage.hear("sender").joined().contains(#""status":"unhandled""#))
  }

  @Test func theDeadlineOfAWalkThatWaitsForItsTurnHolds() {
    let stage = stage()
    stage.open("owner", "sender")
    for number in 0..<2000 {
      stage.say("owner", #"{"op":"insert","handler":"h\#(number)","shadow":true,"reply":false}"#)
      settle(stage)
    }
    stage.say("sender", #"{"op":"send","id":1,"topic":"a","timeout_ms":10}"#)
    stage.driver.pass(milliseconds: 20)
    settle(stage)
    #expect(stage.hear("sender").joined().contains(#""status":"timeout""#))
    stage.driver.settles = true
    stage.closeAll()
  }

  /// A connection that served many links ends in pieces. Who comes to one of its links finds it ended.
  @Test func aCloseGoesInPieces() {
    let stage = stage()
    stage.open("old", "new", "sender")
    for number in 0..<1000 {
      stage.say("old", #"{"op":"insert","handler":"h\#(number)","accepts":["t\#(number)"],"reply":false}"#)
      settle(stage)
    }
    stage.close("old")
    #expect((stage.census["links"] ?? 0) > 500, "not all at once")
    stage.say("new", #"{"op":"insert","handler":"h900","accepts":["t900"]}"#)
    #expect(stage.hear("new").joined().contains(#""op":"ok""#), "the name is free at once")
    stage.say("sender", #"{"op":"send","id":1,"topic":"t800"}"#)
    #expect(stage.hear("sender").joined().contains(#""status":"unhandled""#), "nobody is offered what nobody gets")
    #expect(settle(stage) > 1)
    #expect(stage.census["links"] == 1)
    stage.driver.settles = true
    stage.closeAll()
  }

  @Test func allOffersOfAHandlerThatDiesAreMadeAgainInTheirOrder() {
    let stage = stage { $0.maxOpenMessages = 100_000 }
    stage.open("dies", "lives", "sender")
    stage.say("dies", #"{"op":"insert","handler":"h","share":true,"window":5000}"#)
    for _ in 0..<5000 {
      stage.say("sender", #"{"op":"send","topic":"a","reply":false}"#)
      settle(stage)
    }
    stage.say("lives", #"{"op":"insert","handler":"h","share":true,"window":5000}"#)
    _ = stage.hear("lives")
    stage.close("dies")
    #expect(settle(stage) > 3)
    let walks = stage.hear("lives").compactMap { $0.member("walk") }
    #expect(walks == (1...5000).map(String.init))
    stage.driver.settles = true
    stage.closeAll()
  }

  @Test func unsubscribingFromEverythingIsAnsweredAtItsEnd() {
    let stage = stage()
    stage.open("peer")
    for number in 0..<50 {
      let patterns = (0..<50).map { "\"a\(number).b\($0)\"" }.joined(separator: ",")
      stage.say("peer", #"{"op":"subscribe","topics":[\#(patterns)]}"#)
      settle(stage)
    }
    #expect(stage.census["subscriptions"] == 2500)
    _ = stage.hear("peer")
    stage.give("peer", Array("{\"op\":\"unsubscribe\",\"id\":7}\n{\"op\":\"ping\",\"id\":8}\n".utf8))
    #expect(stage.hear("peer").isEmpty)
    settle(stage)
    #expect(stage.hear("peer") == [#"{"op":"ok","id":7}"#, #"{"op":"pong","id":8}"#])
    #expect(stage.census["subscriptions"] == nil)
  }

  // MARK: Late turns

  @Test func aVerdictThatCameWhileTheServerWasStoppedCounts() {
    let stage = stage()
    stage.open("h", "sender")
    stage.say("h", #"{"op":"insert","handler":"h","timeout_ms":1000}"#)
    stage.say("sender", #"{"op":"send","id":1,"topic":"a"}"#, #"{"op":"send","id":2,"topic":"a"}"#)
    settle(stage)
    _ = stage.hear("h")
    // The server is stopped for three seconds. Its first turn reads before anything lapses.
    stage.driver.pass(milliseconds: 3000)
    #expect(stage.driver.turn(), "it does not wait, but reads first")
    #expect(stage.hear("h").isEmpty)
    stage.say("h", #"{"op":"handled","id":1}"#)
    #expect(stage.hear("sender").joined().contains(#""id":1,"status":"handled""#))
    settle(stage)
    #expect(stage.hear("h").joined().contains(#""op":"lapsed","id":2"#), "who has not answered by then is late")
    #expect(stage.hear("sender").joined().contains(#""id":2,"status":"unhandled""#))
  }

  @Test func aContinueThatCameWhileTheServerWasStoppedIsJudgedByTheLastTurn() {
    let stage = stage()
    stage.open("h", "sender")
    stage.say("h", #"{"op":"insert","handler":"h"}"#)
    stage.say("sender", #"{"op":"send","id":1,"topic":"a","timeout_ms":1000}"#)
    settle(stage)
    stage.driver.pass(milliseconds: 3000)
    stage.say("h", #"{"op":"continue","id":1}"#)
    #expect(stage.hear("sender").joined().contains(#""status":"unhandled""#))
    settle(stage)
  }

  /// Who asks for values with many long patterns pays for each comparison, also if nothing matches.
  @Test func lookingThroughWhatIsKeptGoesInPieces() {
    let stage = stage()
    stage.open("speaker", "listener", "modest")
    let words = Array(repeating: "w", count: 12).joined(separator: ".")
    for number in 0..<2000 {
      stage.say(
        "speaker", #"{"op":"broadcast","topic":"\#(words).\#(number).a.b","payload":1,"retain":true,"reply":false}"#)
      settle(stage)
    }
    let patterns = (0..<64).map { #""\#(words).*.*.\#($0)""# }.joined(separator: ",")
    stage.say("listener", #"{"op":"subscribe","topics":[\#(patterns)],"retained":true}"#)
    stage.say("modest", #"{"op":"ping"}"#)
    #expect(stage.hear("modest").count == 1)
    let turns = settle(stage)
    #expect(turns > 4 && turns < 200, "64 comparisons of 2,000 values are some milliseconds' worth, not \(turns) turns")
  }

  @Test func breakersDoNotCountWhatTimesOutInALateTurn() {
    for late in [false, true] {
      let stage = stage { $0.breakerOffers = 3 }
      stage.open("h", "sender", "see")
      stage.say("h", #"{"op":"insert","handler":"h","timeout_ms":1000}"#)
      for number in 1...3 { stage.say("sender", #"{"op":"send","id":\#(number),"topic":"a"}"#) }
      settle(stage)
      stage.driver.pass(milliseconds: late ? 3000 : 1010)
      settle(stage)
      stage.say("see", #"{"op":"explain","topic":"a"}"#)
      #expect(stage.hear("see").joined().contains(#""reason":"breaker""#) == !late)
    }
  }
}
