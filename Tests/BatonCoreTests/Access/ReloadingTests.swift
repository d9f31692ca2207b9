import DoorKit
import Testing

@testable import BatonCore

/// Reloads that come while another one is carried out (contract, section 11).
@Suite struct ReloadingTests {
  private func stage() -> Stage {
    var settings = Settings()
    settings.pieces = Settings.Pieces(size: 1)
    return Stage(
      settings, entries: ["ann": ["manage server"], "web": ["subscribe >"], "late": ["subscribe >", "serve main"]])
  }

  private func entries(_ all: (String, [String])...) -> AccessRules {
    AccessRules(forTests: all.map { AccessRules.Peer($0.0, may: $0.1) })
  }

  @Test(arguments: 1...4)
  func whatTheFirstTookAwayEndsNevertheless(times: Int) {
    let stage = stage()
    for name in ["ann", "web", "late"] { stage.signIn(name) }
    stage.say("web", #"{"op":"subscribe","topics":["a"]}"#)
    stage.say("late", #"{"op":"subscribe","topics":["a","b","c"]}"#, #"{"op":"insert","handler":"h"}"#)
    _ = (stage.hear("web"), stage.hear("late"))
    stage.driver.settles = false
    for _ in 0..<times {
      stage.driver.access = entries(("ann", ["manage server"]), ("web", ["subscribe >"]), ("late", ["subscribe b"]))
      stage.driver.reload()
    }
    stage.driver.wake()
    #expect(stage.hear("web") == [])
    let told = stage.hear("late")
    #expect(told.filter { $0.member("op") == "removed" }.count == 1)
    #expect(told.filter { $0.hasSuffix(#""topics":["a"]}"#) || $0.hasSuffix(#""topics":["c"]}"#) }.count == 2)
  }

  /// A server that lets the anonymous in does not know yet who this is: nothing of it changes.
  @Test func aHandshakeGoesOn() {
    let stage = Stage(entries: ["anonymous": ["see main"], "web": ["see main"]])
    var facts = PeerFacts()
    facts.isHandshaking = true
    stage.open("eve", facts)
    stage.reload("web", may: [])
    #expect(stage.hear("eve") == [] && stage.wish("eve").ending == .open)
  }

  @Test func aConnectionWaitsForOneReload() {
    let stage = stage()
    stage.signIn("ann")
    stage.driver.settles = false
    stage.say("ann", #"{"op":"reload","id":1}"#, #"{"op":"reload","id":2}"#)
    stage.driver.wake()
    let told = stage.hear("ann")
    #expect(told.codes == ["busy"])
    #expect(told.map { $0.member("id") } == ["2", "1"])
  }

  /// What was read before it asked may be older than what it means.
  @Test func whoAsksWhileTheFileIsReadWaitsForTheNextReading() {
    let stage = Stage(entries: ["ann": ["manage server"], "bob": ["manage server"]])
    for name in ["ann", "bob"] { stage.signIn(name) }
    stage.driver.settles = false
    stage.say("ann", #"{"op":"reload","id":1}"#)
    stage.driver.router.reloadBegins()
    stage.say("bob", #"{"op":"reload","id":2}"#)
    stage.driver.router.reload(.refused([]), at: stage.driver.now)
    #expect(stage.hear("ann").count == 1 && stage.hear("bob") == [])
    stage.driver.wake()
    #expect(stage.hear("bob").count == 1)
  }

  // MARK: Checks

  /// Each text that waits takes memory, so a few may wait; each gets its reply in its turn, and one whose asker has gone is
  /// forgotten.
  @Test func fewTextsWaitToBeChecked() {
    let names = (0..<10).map { "p\($0)" }
    let stage = Stage(entries: ["ann": ["manage server"]])
    for name in names { stage.signIn(name, as: "ann") }
    stage.driver.settles = false
    var read: [String] = []
    stage.driver.readText = { text in
      read.append(String(decoding: text, as: UTF8.self))
      return .refused([ConfigurationFault(line: 2, column: 3, message: "no")])
    }
    for name in names { stage.say(name, #"{"op":"reload","id":"\#(name)","check":"a\n\#(name)"}"#) }
    for name in names.suffix(2) { #expect(stage.hear(name).codes == ["busy"]) }
    stage.say("p1", #"{"op":"reload"}"#)
    #expect(stage.hear("p1").codes == ["busy"], "who waits for a check waits for no reload")
    stage.close("p3")
    for _ in 0..<8 { _ = stage.driver.turn() }
    #expect(read == ["p0", "p1", "p2", "p4", "p5", "p6", "p7"].map { "a\n\($0)" })
    for name in ["p0", "p2", "p7"] {
      #expect(
        stage.hear(name) == [
          #"{"op":"error","id":"\#(name)","code":"bad_config","message":"this file has mistakes; nothing has changed","#
            + #""errors":[{"line":2,"column":3,"message":"no"}]}"#
        ])
    }
    let isLeft = stage.driver.router.wantsCheck
    #expect(!isLeft)
    stage.say("p9", #"{"op":"reload","check":"\#(String(repeating: "x", count: 1_048_577))"}"#)
    stage.driver.wake()
    #expect(["bad_member", "line_too_long"].contains(stage.hear("p9").codes.first))
  }

  /// A link with many open offers is taken away in pieces. Meanwhile its handler answers some of them and somebody else
  /// works on; each message has one result.
  @Test(arguments: [0, 1, 2, 5]) func openOffersEndInPieces(answered: Int) {
    var settings = Settings()
    settings.pieces = Settings.Pieces(size: 4)
    let stage = Stage(
      settings, entries: ["ann": ["everything"], "late": ["serve main"], "web": ["send to main"]])
    for name in ["ann", "late", "web"] { stage.signIn(name) }
    stage.say("late", #"{"op":"insert","handler":"h","window":4000}"#)
    for id in 1...4000 { stage.say("web", #"{"op":"send","id":\#(id),"topic":"t"}"#) }
    #expect(stage.hear("late").filter { $0.member("op") == "offer" }.count == 4000)
    stage.driver.settles = false
    stage.driver.access = entries(("ann", ["everything"]), ("late", []), ("web", ["send to main"]))
    stage.driver.reload()
    var turns = 0
    for id in 1...4000 {
      turns += stage.driver.turn() ? 1 : 0
      if answered > 0, id % answered == 0 { stage.say("late", #"{"op":"handled","id":\#(id)}"#) }
    }
    #expect(turns > 1, "in pieces")
    stage.driver.settles = true
    stage.driver.wake()
    let results = stage.hear("web").filter { $0.member("op") == "result" }
    #expect(Set(results.compactMap { $0.member("id") }).count == 4000 && results.count == 4000)
    #expect(results.contains { $0.contains(#""cause":"disconnect""#) })
    #expect(stage.hear("late").codes.allSatisfy { $0 == "not_allowed" })
  }
}
