import DoorKit
import Testing
import WorldKit

@testable import BatonCore

/// An identity that may only send, and one that may only serve a link behind the guard, try everything against the
/// guarded place of their chain: it stays first, served, required and closed, its handler gets its offers, and nothing
/// passes it (contract, sections 5 and 11).
@Suite struct GuardAttackTests {
  /// A chain with a guard that lets only messages of the topic `good.…` pass.
  private final class World {
    let stage: Stage
    /// Topics that the guard let pass, and those that came to the link behind it.
    private(set) var passed: Set<String> = []
    private(set) var reached: [String] = []
    private(set) var isGuarded = false
    private var sent = 0
    var attackers: [String] = []
    private var opened = 0

    static let sender = "sender"
    static let server = "server"

    init(_ change: (inout Settings) -> Void = { _ in }) throws {
      var settings = Settings()
      settings.declareGuard(try GuardedPlace("main/policy"))
      settings.maxErrors = 1_000_000
      change(&settings)
      stage = Stage(
        settings,
        entries: [
          "boss": ["everything"], "policy": ["serve main/policy"], "sender": ["send to main"],
          "server": ["serve main/other"], "web": ["send to main"],
        ], store: MemoryStore())
      stage.signIn("boss")
      stage.signIn("web")
      guardComes()
      open(World.server)
      stage.say(attackers[0], #"{"op":"insert","handler":"other"}"#)
    }

    func guardComes() {
      stage.signIn("policy")
      stage.say("policy", #"{"op":"insert","handler":"policy"}"#)
      isGuarded = true
    }

    func guardDies() {
      stage.close("policy")
      isGuarded = false
    }

    func open(_ entry: String) {
      opened += 1
      let name = "\(entry)-\(opened)"
      stage.signIn(name, as: entry)
      attackers.append(name)
    }

    func close(_ name: String) {
      stage.close(name)
      attackers.removeAll { $0 == name }
    }

    /// The guard answers what it has been offered, and so does the link behind it.
    func answer() {
      if isGuarded {
        for offer in stage.hear("policy") where offer.member("op") == "offer" {
          let isGood = offer.member("topic")?.hasPrefix("good.") == true
          if isGood { passed.insert(offer.member("topic") ?? "") }
          stage.say("policy", #"{"op":"\#(isGood ? "continue" : "reject")","id":\#(offer.member("id") ?? "0")}"#)
        }
      }
      for name in attackers {
        for line in stage.hear(name) where ["offer", "notice"].contains(line.member("op") ?? "") {
          if line.member("handler") != "policy" { reached.append(line.member("topic") ?? "?") }
          #expect(line.member("handler") != "policy", "\(name) stands in the guard's place")
          if let id = line.member("id") { stage.say(name, #"{"op":"handled","id":\#(id)}"#) }
        }
      }
    }

    /// Looks at the guard, as one who may see everything, and by a message of somebody else.
    func check(after what: @autoclosure () -> String) {
      answer()
      _ = stage.hear("boss")
      stage.say("boss", #"{"op":"inspect","chain":"main"}"#)
      let first = stage.hear("boss").joined().split(separator: #""links":[{"#).last.map(String.init) ?? ""
      #expect(first.hasPrefix(#""handler":"policy","rank":1,"position":1,"accepts":[">"],"#), "\(what()): \(first)")
      #expect(first.member("connections") == (isGuarded ? "1" : "0"), "\(what())")
      #expect(isGuarded ? first.member("state") != "absent" : first.member("state") == "absent", "\(what())")
      #expect(reached.allSatisfy { passed.contains($0) }, "\(what()): a message passed the guard")
    }

    /// A message of somebody else still comes to the guard, or fails there if it is away; and a good one passes it.
    func checkMessages(after what: @autoclosure () -> String) {
      for kind in ["good", "bad"] {
        sent += 1
        _ = stage.hear("web")
        stage.say("web", #"{"op":"send","id":\#(sent),"topic":"\#(kind).web\#(sent)"}"#)
        var result: String?
        for _ in 0..<1000 where result == nil {
          answer()
          result = stage.hear("web").first
        }
        let status = result?.member("status")
        if isGuarded {
          #expect(kind == "good" ? ["handled", "unhandled"].contains(status) : status == "rejected", "\(what())")
        } else {
          #expect(status == "failed" && result?.member("by") == "policy", "\(what()): \(result ?? "nothing")")
        }
      }
    }
  }

  // MARK: Every line

  private static let handlers = ["policy", "other", "x"]
  private static let chains = ["", #","chain":"main""#, #","chain":"other""#]
  private static let members = [
    "", #""at":"front""#, #""at":"back""#, #""before":"policy""#, #""after":"policy""#, #""before":"other""#,
    #""rank":-1000000000"#, #""rank":0.5"#, #""rank":1"#, #""rank":1e-300"#, #""accepts":["x"]"#,
    #""accepts":["good.*","*"]"#, #""on_failure":"continue""#, #""on_failure":{"disconnect":"continue"}"#,
    #""required":false"#, #""required":true"#, #""hold_ms":1"#, #""hold_ms":86400000"#, #""shadow":true"#,
    #""shadow":false"#, #""share":true"#, #""window":1"#, #""window":65536"#, #""timeout_ms":1"#,
    #""share":true,"required":true,"on_failure":"stop""#, #""required":true,"on_failure":"stop","accepts":[">"]"#,
  ]

  private static let lines: [String] = {
    var lines: [String] = []
    for chain in chains {
      for handler in handlers {
        for member in members.map({ $0.isEmpty ? "" : ",\($0)" }) {
          lines.append(#"{"op":"insert","handler":"\#(handler)"\#(chain)\#(member)}"#)
          lines.append(#"{"op":"replace","handler":"\#(handler)"\#(chain)\#(member)}"#)
        }
        for name in handlers {
          lines.append(#"{"op":"replace","handler":"\#(handler)","as":"\#(name)"\#(chain)}"#)
          lines.append(#"{"op":"replace","handler":"\#(handler)","as":"\#(name)"\#(chain),"required":false}"#)
        }
        lines.append(#"{"op":"remove","handler":"\#(handler)"\#(chain)}"#)
        for place in [#""at":"front""#, #""at":"back""#, #""before":"policy""#, #""rank":-5"#] {
          lines.append(#"{"op":"move","handler":"\#(handler)"\#(chain),\#(place)}"#)
        }
      }
      for inner in ["policy", "main", "other"] {
        for place in ["", #","at":"front""#, #","before":"policy""#, #","rank":-5"#] {
          lines.append(#"{"op":"mount","on":"\#(inner)"\#(chain)\#(place)}"#)
        }
        lines.append(#"{"op":"unmount","on":"\#(inner)"\#(chain)}"#)
        lines.append(#"{"op":"move","on":"\#(inner)"\#(chain),"at":"front"}"#)
      }
    }
    lines += (1...4).map { #"{"op":"close","connection":\#($0)}"# }
    lines += (1...3).map { #"{"op":"cancel","request":\#($0)}"# }
    lines += ["handled", "continue", "reject", "failed", "working"].flatMap { op in
      [#"{"op":"\#(op)"}"#] + (1...3).map { #"{"op":"\#(op)","id":\#($0)}"# }
    }
    lines +=
      [
        #"{"op":"hello","name":"policy"}"#, #"{"op":"hello","heartbeat_ms":100}"#,
        #"{"op":"subscribe","topics":[">"]}"#, #"{"op":"subscribe","topics":["$baton.>"]}"#, #"{"op":"unsubscribe"}"#,
        #"{"op":"broadcast","topic":"bad.a"}"#, #"{"op":"broadcast","topic":"bad.a","via":"main"}"#,
        #"{"op":"inspect","chain":"main","server":true}"#, #"{"op":"explain","topic":"bad"}"#,
      ] + Op.allCases.map(\.example)
    lines += ["first", "all", "notify"].map { #"{"op":"send","topic":"bad.a","mode":"\#($0)"}"# }
    lines += [
      #"{"op":"send","topic":"bad.a","key":"k","timeout_ms":1}"#, #"{"op":"send","topic":"bad.a","trace":true}"#,
      #"{"op":"send","topic":"good.a","key":"k","reply":false}"#,
      #"{"op":"send","topic":"bad.a","durable":true,"retry_ms":1}"#,
      #"{"op":"send","topic":"bad.a","durable":true,"key":"k","once":"o","mode":"all"}"#,
    ]
    return lines
  }()

  @Test(arguments: [World.sender, World.server], [true, false])
  func noLineMovesTheGuard(_ entry: String, isServed: Bool) throws {
    let world = try World()
    world.open(entry)
    let attacker = try #require(world.attackers.last)
    if !isServed { world.guardDies() }
    for line in Self.lines {
      world.stage.say(attacker, line)
      world.check(after: line)
    }
    world.checkMessages(after: "all lines of \(entry)")
  }

  // MARK: Much of it

  @Test func floodsDoNotDrownTheGuard() throws {
    let world = try World()
    for _ in 0..<4 { world.open(World.sender) }
    // Messages of all kinds, without reading what comes, and without anybody's answer.
    for round in 0..<600 {
      for name in world.attackers.dropFirst() {
        let mode = ["first", "all", "notify"][round % 3]
        let key = mode != "notify" && round % 2 == 0 ? #","key":"k\#(round % 5)""# : ""
        world.stage.say(name, #"{"op":"send","topic":"bad.\#(round)","mode":"\#(mode)"\#(key),"reply":false}"#)
      }
    }
    world.check(after: "a flood")
    world.checkMessages(after: "a flood")
    // All of them leave in the middle of their messages: some with a half-close, some at once.
    for round in 0..<100 {
      for name in world.attackers.dropFirst() { world.stage.say(name, #"{"op":"send","topic":"bad.\#(round)"}"#) }
    }
    for (number, name) in world.attackers.dropFirst().enumerated() {
      if number % 2 == 0 { world.stage.end(name) } else { world.close(name) }
    }
    world.check(after: "half-closes")
    world.checkMessages(after: "half-closes")
  }

  /// The guard's queue, windows and breaker: what many messages fill stops messages, and lets none pass.
  @Test func aGuardThatDoesNotAnswerLetsNothingPass() throws {
    let world = try World {
      $0.maxQueueMessages = 5
      $0.maxOpenMessages = 50
      $0.window = 2
    }
    world.open(World.sender)
    let attacker = try #require(world.attackers.last)
    for round in 0..<8 {
      for number in 0..<12 {
        world.stage.say(attacker, #"{"op":"send","id":\#(number),"topic":"bad.\#(round)","timeout_ms":1500}"#)
      }
      world.stage.advance(milliseconds: 2000)
      let results = world.stage.hear(attacker).filter { $0.member("op") == "result" }
      #expect(results.count == 12)
      #expect(
        results.allSatisfy { ["failed", "timeout"].contains($0.member("status")) && $0.member("by") == "policy" })
    }
    #expect(world.reached == [])
    world.answer()
    world.check(after: "timeouts")
    world.stage.advance(milliseconds: 11_000)
    world.checkMessages(after: "timeouts")
  }

  @Test func manyLinksAndPatternsDoNotMoveTheGuard() throws {
    let world = try World {
      $0.maxLinks = 40
      $0.maxTotalPatterns = 2000
    }
    let list = (1...64).map { #""bad.p\#($0)""# }.joined(separator: ",")
    for round in 0..<100 {
      world.open(World.server)
      let name = try #require(world.attackers.last)
      world.stage.say(
        name, #"{"op":"replace","handler":"other","accepts":[\#(list),"good.>"],"share":true}"#,
        #"{"op":"insert","handler":"other","share":true}"#,
        #"{"op":"insert","handler":"other\#(round)","chain":"c\#(round)","accepts":[\#(list)]}"#)
      world.check(after: "link \(round)")
      if round % 3 == 0 { world.close(world.attackers[round % world.attackers.count]) }
    }
    world.checkMessages(after: "many links")
    world.guardDies()
    world.check(after: "the guard dies")
    world.checkMessages(after: "the guard dies")
    world.guardComes()
    world.check(after: "the guard comes back")
    world.checkMessages(after: "the guard comes back")
  }

  // MARK: By chance

  @Test(arguments: 1...12)
  func randomAttacksDoNotMoveTheGuard(seed: UInt64) throws {
    var luck = Generator(seed: seed)
    let world = try World {
      $0.pieces = Settings.Pieces(size: seed % 2 == 0 ? 1 : 32)
      $0.maxQueueMessages = 20
    }
    for _ in 0..<3 {
      world.open(World.sender)
      world.open(World.server)
    }
    for step in 0..<1500 {
      let attacker = world.attackers[luck.below(world.attackers.count)]
      switch luck.below(40) {
      case 0:
        world.close(attacker)
        world.open(luck.chance(2) ? World.sender : World.server)
      case 1:
        world.stage.end(attacker)
        world.close(attacker)
        world.open(luck.chance(2) ? World.sender : World.server)
      case 2: if world.isGuarded { world.guardDies() } else { world.guardComes() }
      case 3...6: world.stage.advance(milliseconds: luck.below(400))
      case 7...20: world.stage.say(attacker, Self.lines[luck.below(Self.lines.count)])
      default:
        let topic = luck.chance(3) ? "good.\(step)" : "bad.\(step)"
        let rest = ["", #","mode":"all""#, #","mode":"notify""#, #","key":"k""#, #","timeout_ms":50"#][luck.below(5)]
        world.stage.say(attacker, #"{"op":"send","topic":"\#(topic)"\#(rest)}"#)
      }
      if luck.chance(4) { world.check(after: "seed \(seed), step \(step)") }
    }
    if !world.isGuarded { world.guardComes() }
    world.stage.advance(milliseconds: 60_000)
    world.check(after: "seed \(seed)")
    world.checkMessages(after: "seed \(seed)")
  }
}
