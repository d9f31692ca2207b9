import Testing
import WorldKit

@testable import BatonCore

/// Greedy peers beside a modest one, from seeds: no turn costs more than it may, and the modest peer is answered within
/// a few turns, whatever the others do (contract, section 10, `Turns`).
@Suite struct GreedyPeersTests {
  /// What a world has shown.
  private struct Seen {
    var costliestTurn = 0
    var longestWait = 0
  }

  private final class World {
    private let stage: Stage
    private var luck: Generator
    private var greedy: [String] = []
    private var opened = 0
    private var asked: (number: Int, turn: Int)?
    private var answered = 0
    private var turns = 0
    private(set) var seen = Seen()

    init(seed: UInt64, _ pieces: Settings.Pieces) {
      luck = Generator(seed: seed)
      stage = Stage(
        Stage.settings {
          $0.pieces = pieces
          $0.maxOpenMessages = 20_000
        })
      stage.driver.settles = false
      stage.open("modest", "porter")
      stage.say("porter", #"{"op":"insert","chain":"own","handler":"porter"}"#)
      for _ in 0..<8 { openGreedy() }
    }

    private func openGreedy() {
      opened += 1
      greedy.append("greedy\(opened)")
      stage.open("greedy\(opened)")
    }

    func run(rounds: Int) {
      for _ in 0..<rounds {
        ask()
        for name in greedy where stage.wish(name).reading { stage.give(name, Array(chunk(of: name).utf8)) }
        if luck.chance(3) {
          stage.close(greedy.remove(at: luck.below(greedy.count)))
          openGreedy()
        }
        let isOffered = stage.hear("porter").compactMap { $0.member("op") == "offer" ? $0.member("id") : nil }
        for offer in isOffered { stage.say("porter", #"{"op":"handled","id":\#(offer)}"#) }
        hear()
        seen.costliestTurn = max(seen.costliestTurn, stage.driver.router.costOfTurn)
        stage.driver.pass(milliseconds: luck.below(3))
        _ = stage.driver.turn()
        turns += 1
        for name in greedy { _ = stage.hear(name) }
      }
      stage.driver.settles = true
      stage.driver.wake()
      stage.closeAll()
    }

    private func ask() {
      guard asked == nil else { return }
      asked = (answered + 1, turns)
      stage.say("modest", #"{"op":"send","id":\#(answered + 1),"topic":"a","chain":"own"}"#)
    }

    private func hear() {
      for line in stage.hear("modest") where line.member("op") == "result" {
        answered += 1
        if let asked { seen.longestWait = max(seen.longestWait, turns - asked.turn) }
        asked = nil
      }
      if let asked { seen.longestWait = max(seen.longestWait, turns - asked.turn) }
    }

    /// As much as the server reads at once, of one kind.
    private func chunk(of name: String) -> String {
      var text = ""
      let kind = luck.below(9)
      while text.utf8.count < 30_000 { text += line(kind, name) + "\n" }
      return text
    }

    private func line(_ kind: Int, _ name: String) -> String {
      let number = luck.below(100_000)
      switch kind {
      case 0: return #"{"op":"ping","reply":false}"#
      case 1: return #"{"op":"send","topic":"t\#(number).a.b","reply":false,"timeout_ms":5}"#
      case 2: return #"{"op":"insert","handler":"h\#(number)","accepts":["t\#(number).>","x.*.y"],"reply":false}"#
      case 3: return #"{"op":"insert","chain":"long","handler":"h\#(number)","shadow":true,"reply":false}"#
      case 4: return #"{"op":"send","chain":"long","topic":"a","reply":false,"timeout_ms":20}"#
      case 5: return #"{"op":"subscribe","topics":["a.b\#(number).*.*.c"],"reply":false}"#
      case 6: return #"{"op":"broadcast","topic":"a.b\#(number).c.d.c","reply":false}"#
      case 7: return #"{"op":"handled"}"#
      default: return #"{"op":"remove","handler":"h\#(number)","reply":false}"#
      }
    }
  }

  private func play(_ seed: UInt64, _ change: (inout Settings.Pieces) -> Void = { _ in }) -> Seen {
    var pieces = Settings.Pieces()
    change(&pieces)
    let world = World(seed: seed, pieces)
    world.run(rounds: 20)
    return world.seen
  }

  /// What all may cost, each connection's own little, the timers', the jobs', and one step more of each.
  private static let most = Cost.shared + 12 * Cost.little + 2 * Cost.own + 200_000

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func noTurnCostsMoreThanItMay(seed: UInt64) {
    let seen = play(seed)
    #expect(seen.costliestTurn <= Self.most)
    #expect(seen.longestWait <= 3)
  }

  /// The property is one that can fail: it does, where there is no credit.
  @Test func withoutCreditTurnsCostMore() {
    #expect((1...3).contains { play($0) { $0.areLimited = false }.costliestTurn > Self.most })
  }
}
