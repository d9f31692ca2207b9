import Testing

@testable import BatonCore

/// Thousands are told of draining in pieces, so that what others wait for is written between them (contract, section 10,
/// `Turns`).
@Suite struct DrainingInPiecesTests {
  @Test func thousandsAreToldInPieces() {
    let stage = Stage()
    let crowd = (0..<1000).map { "one\($0)" }
    for name in crowd { stage.open(name) }
    stage.open("sender", "handler")
    stage.say("handler", #"{"op":"insert","handler":"h","reply":false}"#)
    stage.say("sender", #"{"op":"send","id":1,"topic":"t"}"#)
    stage.hear("handler")
    _ = stage.takeChangedInOrder()
    stage.driver.settles = false
    stage.drain()
    stage.say("handler", #"{"op":"handled"}"#)
    var told: [String] = []
    var pieces: [Int] = []
    var isMoreLeft = true
    while isMoreLeft {
      isMoreLeft = stage.driver.turn()
      let changed = stage.takeChangedInOrder()
      // When all have been told and nothing is under way, all connections end.
      if !stage.driver.isDrained { pieces.append(changed.count) }
      told += changed.filter { stage.hear($0).contains(#"{"op":"draining","deadline_ms":25000}"#) }
    }
    #expect(pieces.allSatisfy { $0 < 200 }, "\(pieces)")
    #expect(Set(told).isSuperset(of: crowd), "all are told before their connections end")
    #expect(told.count == Set(told).count)
    #expect(stage.driver.isDrained)
  }
}
