import Testing

@testable import BatonCore

/// Every op with just the rights that it needs, and without each of them (contract, section 11).
@Suite struct EveryOpTests {
  private static let cases = Op.allCases.flatMap { OpCase.all(of: $0) }

  @Test func everyOpHasCases() {
    let without = Op.allCases.filter { op in !Self.cases.contains { $0.op == op } }
    #expect(without == [.handled, .continue, .reject, .failed, .working], "verdicts have a test of their own")
  }

  @Test func helpShowsAnExampleOfEach() throws {
    let told = try AccessWorld([]).ask(#"{"op":"help"}"#)
    #expect(told == [#"{"op":"help","ops":[\#(Op.allCases.map(\.example).joined(separator: ","))]}"#])
    for op in Op.allCases { #expect(op.example.hasPrefix(#"{"op":"\#(op.spelling)""#)) }
  }

  @Test(arguments: cases)
  func isCarriedOutWithItsRights(_ play: OpCase) throws {
    let world = try AccessWorld(play.needs)
    for line in play.before { _ = world.ask(line) }
    #expect(world.ask(play.line).refusals == (play.code.map { [$0] } ?? []))
  }

  @Test(arguments: cases.filter { !$0.needs.isEmpty }, [false, true])
  func isRefusedWithoutEachOfThem(_ play: OpCase, afterReload: Bool) throws {
    for missing in play.needs {
      let rest = play.needs.filter { $0 != missing } + AccessWorld.useless
      let world = try AccessWorld(afterReload ? play.needs : rest)
      for line in play.before { _ = world.ask(line) }
      if afterReload { world.stage.reload("me", may: rest) }
      _ = world.stage.hear("boss")
      let before = world.look()
      let told = try #require(rightsTold(by: world.ask(play.line)), "without \(missing)")
      #expect([missing, play.told].contains(told), "without \(missing)")
      #expect(world.stage.hear("boss") == [], "nobody hears of it")
      #expect(world.look() == before, "nothing changes")
    }
  }

  /// The right that a refusal names, if the lines are one refusal that says nothing else.
  private func rightsTold(by lines: [String]) -> String? {
    guard lines.count == 1, let line = lines.first else { return nil }
    let (start, end) = (#"{"op":"error","id":7,"code":"not_allowed","message":"me needs \""#, #"\""}"#)
    guard line.hasPrefix(start), line.hasSuffix(end) else { return nil }
    let text = String(line.dropFirst(start.count).dropLast(end.count))
    return (try? Right(parsing: text)).map { $0.spelling == text || $0.spelling + " on >" == text ? text : "\(text)?" }
  }

  @Test(arguments: [Op.handled, .continue, .reject, .failed, .working])
  func aVerdictNeedsTheRightToItsLink(_ op: Op) throws {
    for isAllowed in [true, false] {
      let world = try AccessWorld(["serve other/mine"])
      #expect(world.ask(#"{"op":"insert","chain":"other","handler":"mine"}"#).ops == ["ok"])
      world.stage.say("boss", #"{"op":"send","chain":"other","topic":"t"}"#)
      #expect(world.stage.hear("me").ops == ["offer"])
      if !isAllowed { world.stage.reload("me", may: AccessWorld.useless) }
      #expect(world.stage.hear("me").ops == (isAllowed ? [] : ["removed"]))
      _ = world.stage.hear("boss")
      let before = world.look()
      let got = world.ask(#"{"op":"\#(op.spelling)","id":1}"#)
      #expect(got.codes == (isAllowed ? [] : ["not_allowed"]))
      if isAllowed {
        #expect(world.stage.hear("boss").contains { $0.member("op") == "result" } == (op != .working))
      } else {
        #expect(world.stage.hear("boss") == [], "nobody hears of it")
        // Its answer is not waited for any more: the verdict takes the offer out of its row, and nobody pays for it.
        let others = { (lines: [String]) in
          lines.filter { !$0.hasPrefix("offers ") && !$0.hasPrefix("open bytes ") }
            .map { $0.replacing(/"open_bytes":[0-9]+/, with: "") }
        }
        #expect(others(world.look()) == others(before))
      }
    }
  }
}
