import Testing

@testable import BatonCore

/// Turns at a link (contract, section 5, `Turns`) among many, and what they leave behind.
@Suite struct WaitingTurnsTests {
  private let flooders = (1...9).map { "flooder\($0)" }

  /// A guard that takes one message at a time, nine identities with a backlog each, and one that has none.
  private func flooded(by count: Int, connectionsOfEach: Int = 1) -> Stage {
    let stage = Stage(
      entries: [
        "guard": ["serve main/guard"], "quiet": ["send to main"], "flooder1": ["send to main"],
        "flooder2": ["send to main"], "flooder3": ["send to main"], "flooder4": ["send to main"],
        "flooder5": ["send to main"], "flooder6": ["send to main"], "flooder7": ["send to main"],
        "flooder8": ["send to main"], "flooder9": ["send to main"],
      ])
    stage.signIn("guard")
    stage.say("guard", #"{"op":"insert","handler":"guard","window":1}"#)
    stage.hear("guard")
    stage.signIn("quiet")
    let line = "{\"op\":\"send\",\"topic\":\"f\",\"reply\":false,\"timeout_ms\":86400000}\n"
    for flooder in flooders {
      for number in 1...connectionsOfEach {
        let name = "\(flooder) \(number)"
        stage.signIn(name, as: flooder)
        stage.give(name, Array(String(repeating: line, count: count / connectionsOfEach).utf8))
      }
    }
    return stage
  }

  /// The guard answers offers until it gets one of this topic; returns how many of others it answered before.
  private func others(before topic: String, _ stage: Stage, most: Int = 10_000) -> Int {
    for answered in 0...most {
      let offers = stage.hear("guard")
      if offers.contains(where: { $0.member("topic") == topic }) { return answered }
      stage.say("guard", #"{"op":"handled"}"#)
    }
    return .max
  }

  /// Whatever the others have there, one message of each comes first: also where each has many connections.
  @Test(arguments: [1, 20]) func nobodyWaitsForABacklog(connectionsOfEach: Int) {
    let stage = flooded(by: 200, connectionsOfEach: connectionsOfEach)
    for number in 1...5 {
      stage.say("quiet", #"{"op":"send","topic":"q.\#(number)","reply":false}"#)
      let before = others(before: "q.\(number)", stage)
      #expect(before <= flooders.count + 1, "\(before) messages of others came first")
      stage.say("guard", #"{"op":"handled"}"#)
    }
  }

  /// The same when those have gone who left the backlog; and nothing stays when it is done.
  @Test(arguments: [1, 20]) func whatWasLeftHoldsUpNobody(connectionsOfEach: Int) {
    let stage = flooded(by: 200, connectionsOfEach: connectionsOfEach)
    for flooder in flooders {
      for number in 1...connectionsOfEach { stage.close("\(flooder) \(number)") }
    }
    stage.say("quiet", #"{"op":"send","topic":"q","reply":false}"#)
    #expect(others(before: "q", stage) <= flooders.count + 1)
    stage.say("quiet", #"{"op":"send","topic":"end","reply":false}"#)
    stage.say("guard", #"{"op":"handled"}"#)
    for _ in 0..<2000 {
      stage.hear("guard")
      stage.say("guard", #"{"op":"handled"}"#)
    }
    stage.close("quiet", "guard")
    #expect(stage.census.isEmpty, "\(stage.census)")
  }

  /// Deadlines, cancels and lost handlers in the midst of turns leave nothing behind.
  @Test func whatEndsEarlyLeavesNothingBehind() {
    let stage = Stage()
    stage.open("h", "a", "b", "c")
    stage.say("h", #"{"op":"insert","handler":"h","window":1,"hold_ms":1000}"#)
    for name in ["a", "b", "c"] {
      for number in 1...6 {
        stage.say(
          name, #"{"op":"send","id":\#(number),"topic":"t","timeout_ms":\#(number.isMultiple(of: 2) ? 50 : 5000)}"#)
      }
    }
    stage.say("b", #"{"op":"cancel","request":1}"#, #"{"op":"cancel","request":5}"#)
    stage.close("a")
    stage.advance(milliseconds: 60)
    stage.say("c", #"{"op":"send","topic":"t"}"#)
    stage.close("h", "b")
    stage.say("c", #"{"op":"send","topic":"t"}"#)
    stage.advance(milliseconds: 10_000)
    stage.close("c")
    #expect(stage.census.isEmpty, "\(stage.census)")
  }

  /// The queue is full for one who fills it alone, and not for others; each further one finds room.
  @Test func aFullQueueIsSharedOut() {
    let stage = Stage(Stage.settings { $0.maxQueueMessages = 1000 })
    stage.open("h", "first")
    stage.say("h", #"{"op":"insert","handler":"h","window":1,"on_failure":"stop"}"#)
    func fill(_ name: String) -> Int {
      for _ in 0..<1000 { stage.say(name, #"{"op":"send","id":1,"topic":"t","timeout_ms":86400000}"#) }
      return 1000 - stage.hear(name).count { $0.contains(#""cause":"overload""#) }
    }
    var had = [fill("first")]
    for number in 1...6 {
      let name = "later\(number)"
      var facts = PeerFacts()
      facts.address = UInt64(number)
      stage.open(name, facts)
      had.append(fill(name))
    }
    #expect(had[0] > 300 && had[0] < 400, "a third, and the open offer: \(had)")
    #expect(zip(had, had.dropFirst()).allSatisfy { $0 > $1 } && had[6] > 20, "\(had)")
  }
}
