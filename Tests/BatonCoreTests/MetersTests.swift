import FuzzKit
import Testing

@testable import BatonCore

/// What was counted under each name, for `/metrics` (Docs/http.md, section 13).
@Suite struct MetersTests {
  /// A bucket has all times up to its end, and none beyond.
  @Test func aTimeIsInTheFirstBucketThatDoesNotEndBeforeIt() {
    for (bucket, end) in MeterFigures.bounds.enumerated() {
      #expect(Meters.bucket(microseconds: Int64(end) - 1) == bucket, "just below \(end)")
      #expect(Meters.bucket(microseconds: Int64(end)) == bucket, "at \(end)")
      #expect(Meters.bucket(microseconds: Int64(end) + 1) == bucket + 1, "just above \(end)")
    }
    for time in [Int64.min, -1, 0, 1] { #expect(Meters.bucket(microseconds: time) == 0) }
    #expect(Meters.bucket(microseconds: .max) == Meters.buckets - 1)
    #expect(MeterFigures.bounds.first == 100 && MeterFigures.bounds.last == 104_857_600)
  }

  @Test func theSumHas64Bits() {
    var meters = Meters(chain: .empty, handler: .empty, birth: 0)
    for _ in 0..<3 { meters.record(microseconds: 1 << 61) }
    meters.record(microseconds: -5)
    #expect(meters.microseconds == 3 << 61 && meters.times(inBucket: Meters.buckets - 1) == 3)
    #expect(meters.times(inBucket: 0) == 1)
  }

  // MARK: The table

  private static func count(_ table: inout MeterTable, _ chain: String, _ handler: String, most: Int, times: Int = 1) {
    let chainName = OwnedBytes(chain)
    let handlerName = OwnedBytes(handler)
    let slot = table.hold(chainName.bytes, handlerName.bytes)
    for _ in 0..<times { table[slot].count(.handled) }
    table.release(slot, most: most)
    extendLifetime(chainName)
    extendLifetime(handlerName)
  }

  /// What is there: `chain/handler` and how much was handled.
  private static func all(_ table: borrowing MeterTable) -> [String: UInt64] {
    var found: [String: UInt64] = [:]
    for slot in Slots<Meters>(upTo: table.extent) where table.isTaken(slot) {
      found["\(table[slot].chain.string)/\(table[slot].handler.string)"] = table[slot].count(of: .handled)
    }
    return found
  }

  @Test func namesBeyondTheLimitCountForTheirChainAndChainsBeyondItForAll() {
    var table = MeterTable(seed: 7)
    for number in 0..<4 { Self.count(&table, "a", "h\(number)", most: 2, times: number + 1) }
    #expect(Self.all(table) == ["/": 0, "a/h0": 1, "a/h1": 2, "a/": 7])
    Self.count(&table, "b", "h", most: 2)
    #expect(Self.all(table)["b/"] == 1)
    Self.count(&table, "c", "h", most: 2, times: 5)
    #expect(Self.all(table) == ["/": 5, "a/h0": 1, "a/h1": 2, "a/": 7, "b/": 1])
    Self.count(&table, "a", "h0", most: 2)
    #expect(Self.all(table)["a/h0"] == 2, "a name that is kept goes on")
    #expect(table.kept.handlers == 2 && table.kept.chains == 2)
  }

  @Test func aNameAtWhichNothingWasCountedIsForgotten() {
    var table = MeterTable(seed: 7)
    for number in 0..<100 { Self.count(&table, "a", "h\(number)", most: 2, times: 0) }
    #expect(Self.all(table) == ["/": 0])
    #expect(table.kept == (0, 0) && table.count == 0)
  }

  /// Random names come, count and leave: everything that was counted is there, in a bounded table.
  @Test(arguments: [UInt64(1), 2, 3])
  func nothingIsLostAndTheTableIsBounded(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = MeterTable(seed: seed)
    var held: [Slot<Meters>] = []
    var counted: UInt64 = 0
    for _ in 0..<3000 {
      let chain = OwnedBytes("c\(Int.random(in: 0..<12, using: &generator))")
      let handler = OwnedBytes(
        Int.random(in: 0..<8, using: &generator) == 0 ? "" : "h\(Int.random(in: 0..<40, using: &generator))")
      if held.count < 20 { held.append(table.hold(chain.bytes, handler.bytes)) }
      extendLifetime(chain)
      extendLifetime(handler)
      let place = Int.random(in: 0..<held.count, using: &generator)
      if Bool.random(using: &generator) {
        table[held[place]].count(.handled)
        counted += 1
      }
      if Bool.random(using: &generator) { table.release(held.remove(at: place), most: 5) }
      #expect(Self.all(table).values.reduce(0, +) == counted)
      #expect(table.count <= 20 + 5 + 5)
    }
  }

  // MARK: Links

  private func handled(_ stage: Stage) -> [String: UInt64] {
    var found: [String: UInt64] = [:]
    var place = stage.driver.router.beginFigures()
    while true {
      let isDone = stage.driver.router.tellMeters(from: &place) { figures in
        found["\(figures.chain.string)/\(figures.handler.string)"] = figures.outcomes[0]
      }
      if isDone { return found }
    }
  }

  private func pass(_ chain: String, _ handler: String, _ stage: Stage) {
    stage.say("s", #"{"op":"send","topic":"\#(handler)","chain":"\#(chain)","reply":false}"#)
    stage.say("h", #"{"op":"handled"}"#)
  }

  private func insert(_ chain: String, _ handler: String, _ stage: Stage) {
    stage.say("h", #"{"op":"insert","chain":"\#(chain)","handler":"\#(handler)","accepts":["\#(handler)"]}"#)
  }

  @Test func aNameThatComesBackGoesOnAndAnotherNameBegins() {
    let stage = Stage()
    stage.open("h", "s")
    insert("main", "one", stage)
    pass("main", "one", stage)
    #expect(handled(stage) == ["main/one": 1])
    stage.say("h", #"{"op":"remove","handler":"one"}"#)
    #expect(handled(stage) == ["main/one": 1], "it stays when the link leaves, and its chain with it")
    insert("main", "one", stage)
    pass("main", "one", stage)
    #expect(handled(stage) == ["main/one": 2])
    stage.say("h", #"{"op":"replace","handler":"one","as":"two"}"#)
    let renamed = stage.hear("h").last ?? ""
    #expect(renamed.contains(#""ok""#), "\(renamed)")
    pass("main", "one", stage)
    #expect(handled(stage) == ["main/one": 2, "main/two": 1])
  }

  @Test func laterLinksOfAChainCountTogetherForTheirWholeLife() {
    let stage = Stage(Stage.settings { $0.maxMetricLinks = 2 })
    stage.open("h", "s")
    for name in ["a", "b", "c", "d"] { insert("main", name, stage) }
    for name in ["a", "b", "c", "d"] { pass("main", name, stage) }
    #expect(handled(stage) == ["main/a": 1, "main/b": 1, "main/": 2])
    stage.say("h", #"{"op":"remove","handler":"a"}"#)
    pass("main", "c", stage)
    #expect(handled(stage) == ["main/a": 1, "main/b": 1, "main/": 3], "c does not get a name of its own later")
    insert("main", "e", stage)
    pass("main", "e", stage)
    #expect(handled(stage)["main/e"] == 1, "a link that comes now gets the free name")
    #expect(stage.driver.router.linksMeteredTogether == 2)
  }

  @Test func mountsHaveNoMeters() {
    let stage = Stage()
    stage.open("h", "s")
    stage.say("h", #"{"op":"mount","chain":"outer","on":"inner","accepts":[">"]}"#)
    insert("inner", "x", stage)
    pass("outer", "x", stage)
    #expect(handled(stage) == ["inner/x": 1])
  }

  /// Every message that ends at a link is counted there once, as `inspect` of all links counts it.
  @Test func allMetersTogetherAreWhatWasCountedAtAllLinks() {
    let stage = Stage(Stage.settings { $0.maxMetricLinks = 3 })
    stage.open("h", "s", "g")
    for number in 0..<6 { insert("main", "h\(number)", stage) }
    stage.say("g", #"{"op":"insert","handler":"shadow","shadow":true}"#)
    for number in 0..<6 { pass("main", "h\(number)", stage) }
    stage.say("s", #"{"op":"send","topic":"h0","timeout_ms":5,"reply":false}"#)
    stage.advance(milliseconds: 10)
    stage.say("s", #"{"op":"send","topic":"h1","reply":false}"#)
    stage.close("g")
    stage.close("h")
    #expect(stage.driver.router.meterDifference == nil)
    let counted = stage.driver.router.allCounts.tallies
    #expect(counted[.timeout] > 0 && counted[.disconnect] > 0)
  }
}
