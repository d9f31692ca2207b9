import DoorKit
import Testing

@testable import BatonCore

/// What the beginning of a request of HTTP says is looked at before its body comes (contract, section 11).
@Suite struct LookingAheadTests {
  private func stage() -> Stage {
    let stage = Stage(entries: ["anonymous": ["send to main"], "web": ["everything"]])
    let index = stage.driver.access?.peers.firstIndex { $0.name == "anonymous" }
    if let index { stage.driver.access?.peers[index].limits.connections = 1 }
    stage.driver.reload()
    stage.driver.wake()
    return stage
  }

  private func permits(_ stage: Stage, _ name: String, _ line: String) -> Bool {
    Array((line + "\n").utf8).withUnsafeBytes { stage.driver.router.permits($0, from: stage.id(name), at: stage.now) }
  }

  /// No member of another peer's line is in it: that line may be gone.
  @Test(arguments: [#"{"op":"ping","id":"secret"}"#, #"{"op":"handled","id":17}"#])
  func whoHasNoPlaceIsToldNothingOfTheLineBefore(_ before: String) {
    let stage = stage()
    stage.open("first")
    var facts = PeerFacts()
    facts.door = .request
    stage.open("second", facts)
    stage.signIn("web")
    stage.say("web", before)
    #expect(!permits(stage, "second", #"{"op":"send","id":1,"topic":"a"}"#))
    let told = stage.hear("second")
    #expect(told.codes == ["too_many_connections"])
    #expect(told.map { $0.member("id") } == [nil] && told.map { $0.member("offer") } == [nil])
    #expect(stage.wish("second").ending != .open)
  }

  @Test func nothingOfALineIsThereAfterIt() {
    let stage = stage()
    stage.signIn("web")
    stage.say("web", #"{"op":"send","id":"secret","topic":"a","payload":1}"#)
    let (hasID, payload) = (stage.driver.router.request.has(.id), stage.driver.router.request.raw(.payload).count)
    #expect(!hasID && payload == 0)
    #expect(permits(stage, "web", #"{"op":"send","id":1,"topic":"a"}"#))
    let hasTopic = stage.driver.router.request.has(.topic)
    #expect(!hasTopic)
  }
}
