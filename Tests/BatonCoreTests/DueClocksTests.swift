import Testing

@testable import BatonCore

/// What is due goes in pieces, and the clocks of connections have pieces of their own (contract, section 10, `Turns`).
@Suite struct DueClocksTests {
  private static let crowd = (0..<2000).map { "beating\($0)" }

  /// A crowd that wants a heartbeat at the same time, and a sender with a handler that never answers. The tests say when a
  /// turn comes.
  private func stage() -> Stage {
    let stage = Stage()
    stage.driver.settles = false
    stage.open("sender", "handler")
    stage.say("handler", #"{"op":"insert","handler":"h","reply":false}"#)
    for name in Self.crowd {
      stage.open(name)
      stage.say(name, #"{"op":"hello","heartbeat_ms":100,"reply":false}"#)
    }
    settle(stage)
    writeAll(stage)
    return stage
  }

  /// Everything is written, as at the end of a turn.
  private func writeAll(_ stage: Stage) { while stage.driver.nextChanged() != nil {} }

  @discardableResult
  private func settle(_ stage: Stage) -> Int {
    var turns = 1
    while stage.driver.turn() {
      writeAll(stage)
      turns += 1
    }
    writeAll(stage)
    return turns
  }

  private func pinged(_ stage: Stage) -> [String] { Self.crowd.filter { stage.hear($0).ops == ["ping"] } }

  @Test func heartbeatsOfManyGoInPieces() {
    let stage = stage()
    stage.driver.pass(milliseconds: 100)
    var told: [String] = []
    var isMoreLeft = true
    while isMoreLeft {
      isMoreLeft = stage.driver.turn()
      writeAll(stage)
      let piece = pinged(stage)
      #expect(piece.count < 120, "half a millisecond's worth of writes, not \(piece.count)")
      told += piece
    }
    #expect(told == Self.crowd, "each is pinged once, the first due first")
  }

  @Test func heartbeatsKeepNoDeadlineWaiting() {
    let stage = stage()
    stage.say("sender", #"{"op":"send","id":1,"topic":"t","timeout_ms":100}"#)
    stage.driver.pass(milliseconds: 100)
    #expect(stage.driver.turn())
    #expect(stage.hear("sender").first?.member("status") == "timeout")
    settle(stage)
  }

  /// Whoever is pinged late has as long as others to answer.
  @Test func whoWasPingedLateIsNotClosedEarly() {
    let stage = stage()
    stage.driver.pass(milliseconds: 100)
    stage.driver.turn()
    writeAll(stage)
    let first = pinged(stage)
    #expect(first.first == Self.crowd.first && !first.contains(Self.crowd[1999]))
    stage.driver.pass(milliseconds: 40)
    settle(stage)
    #expect(pinged(stage).last == Self.crowd[1999])
    for milliseconds in [60, 40] {
      stage.driver.pass(milliseconds: milliseconds)
      settle(stage)
    }
    let second = pinged(stage)
    #expect(second.contains(Self.crowd[1999]))
    stage.driver.pass(milliseconds: 60)
    settle(stage)
    #expect(stage.wish(Self.crowd[0]).reason == .idle)
    #expect(stage.wish(Self.crowd[1999]).reason == nil)
    stage.driver.pass(milliseconds: 40)
    settle(stage)
    #expect(stage.wish(Self.crowd[1999]).reason == .idle)
  }

  /// A connection that leaves while its clocks wait leaves nothing behind.
  @Test func whoLeavesWhileItsClocksWaitIsForgotten() {
    let stage = stage()
    stage.driver.pass(milliseconds: 100)
    stage.driver.turn()
    writeAll(stage)
    #expect((stage.census["due clocks"] ?? 0) > 1500)
    stage.closeAll()
    settle(stage)
    stage.driver.settles = true
    stage.takeOutWhatStays()
    #expect(stage.driver.leftovers == nil)
  }
}
