import Testing

@testable import BatonCore

/// What a stranger, and an identity without rights, can learn and what they cost: the same whether what they name is
/// there or not (contract, section 11).
@Suite struct NothingToldTests {
  /// Names that are there, and names of the same length that are not.
  private static let names = [
    ("kitchen", "kitchex"), ("house", "housx"), ("porter", "portex"), ("policy", "policx"), ("gate", "gatx"),
    ("kept", "kepx"), ("shared", "sharex"), ("main", "maix"), (#""connection":1"#, #""connection":8"#),
  ]

  /// Every op in all its forms, with the name of its chain, and also where it had none.
  private static let lines: [String] = Op.allCases.flatMap { op in
    let verdict = OpCase(op, #""id":1"#).line.replacing(#""id":7,"#, with: "")
    let cases = OpCase.all(of: op).map(\.line)
    return (op.isVerdict ? [verdict] : cases)
      + cases.filter { $0.contains("handler") && !$0.contains("chain") }
      .map { $0.replacing(#""handler""#, with: #""chain":"main","handler""#) }
      + cases.filter { $0.contains("handler") && !$0.contains("chain") }
      .map { $0.replacing(#""handler""#, with: #""chain":"kitchen","handler""#) }
  }

  private static func absent(_ line: String) -> String {
    names.reduce(line) { $0.replacing($1.0, with: $1.1) }
  }

  /// What a line gets, what it costs, and how the connection goes on.
  private struct Answer: Equatable {
    var lines: [String]
    var cost: Int
    var ending: Router.Wish.Ending
  }

  private func answer(_ line: String, from peer: String, in world: AccessWorld) -> Answer {
    world.stage.driver.wake()
    let before = world.stage.driver.router.costOfTurn
    world.stage.driver.settles = false
    world.stage.say(peer, line)
    let cost = world.stage.driver.router.costOfTurn - before
    world.stage.driver.settles = true
    world.stage.driver.wake()
    return Answer(lines: world.stage.hear(peer), cost: cost, ending: world.stage.wish(peer).ending)
  }

  @Test(arguments: lines)
  func anIdentityWithoutRightsLearnsNothing(_ line: String) throws {
    for rights in [[], AccessWorld.useless] {
      let there = answer(line, from: "me", in: try AccessWorld(rights))
      let notThere = answer(Self.absent(line), from: "me", in: try AccessWorld(rights))
      let inEmpty = answer(line, from: "me", in: try AccessWorld(rights, isEmpty: true))
      #expect(there.lines.map(Self.absent) == notThere.lines.map(Self.absent))
      #expect(there.ending == notThere.ending)
      #expect(there.lines == inEmpty.lines || line.contains(#""op":"hello""#), "the number of a connection")
      #expect(there.cost == notThere.cost, "cost is time, and time can be measured")
    }
  }

  @Test(arguments: lines)
  func aStrangerLearnsNothing(_ line: String) throws {
    let world = try AccessWorld([])
    world.stage.open("eve")
    let there = answer(line, from: "eve", in: world)
    world.stage.open("adam")
    let notThere = answer(Self.absent(line), from: "adam", in: world)
    let isAllowed = ["hello", "ping", "pong", "help"].contains(line.member("op") ?? "")
    #expect(there.lines.refusals == (isAllowed ? [] : ["auth_required"]))
    #expect(there.lines == notThere.lines || line.contains(#""op":"hello""#), "the number of a connection")
    #expect(there.ending == (isAllowed ? .open : .shutDown) && notThere.ending == there.ending)
    #expect(there.cost == notThere.cost)
    #expect(there.cost < 2000, "20 µs")
    #expect(world.stage.hear("boss") == [])
  }

  @Test func strangersLeaveNothingBehind() throws {
    let world = try AccessWorld([])
    let before = world.look()
    for number in 0..<3000 {
      let name = "eve\(number)"
      world.stage.open(name)
      world.stage.say(name, Self.lines[number % Self.lines.count])
      _ = world.stage.hear(name)
      if number >= 20 { world.stage.close("eve\(number - 20)") }
    }
    for number in 2980..<3000 { world.stage.close("eve\(number)") }
    #expect(world.look().filter { !$0.hasPrefix("{") } == before.filter { !$0.hasPrefix("{") })
  }

  /// Whoever may see something sees no more of `inspect` and `walks` than that, however many chains are hidden.
  @Test(arguments: [1, 2, 3, 7, 1000])
  func hiddenChainsLeaveNoTrace(pieces size: Int) throws {
    for place in ["a", "m", "z"] {
      var answers: [[String]] = []
      for hidden in [0, 1, 2, 3, 4, 9, 40] {
        var settings = Settings()
        settings.pieces = Settings.Pieces(size: size)
        let stage = Stage(settings, entries: ["boss": ["everything"], "me": ["see n"]])
        stage.signIn("boss")
        stage.say("boss", #"{"op":"insert","chain":"n","handler":"h"}"#)
        stage.signIn("me")
        for number in 0..<hidden {
          stage.say("boss", #"{"op":"insert","chain":"\#(place)\#(number)","handler":"h"}"#)
        }
        stage.say("me", #"{"op":"inspect"}"#, #"{"op":"walks"}"#)
        let got = stage.hear("me")
        // Behind many chains out of sight, a page may end early; the next one brings the rest.
        var links = got.joined()
        var after = got.first?.member("after")
        while let next = after {
          stage.say("me", #"{"op":"inspect","after":"\#(next)"}"#)
          let page = stage.hear("me").joined()
          links += page
          after = page.member("after")
        }
        #expect(!links.contains(#""\#(place)0""#))
        #expect(links.contains(#"{"chain":"n","version":"#), "\(hidden) chains hidden at \(place)")
        answers.append(hidden < size ? got.map { $0.replacing(/"version":\d+/, with: "") } : [])
      }
      #expect(answers.filter { !$0.isEmpty }.allSatisfy { $0 == answers[0] })
    }
  }
}
