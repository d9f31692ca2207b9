import DoorKit
import Testing

@testable import BatonCore

/// Limits that a reload changes (contract, section 11; Docs/settings.md, "Reloads").
@Suite struct ReloadedLimitsTests {
  private func settings(_ change: (inout Settings) -> Void) -> Settings { Stage.settings(change) }

  private func stage(_ names: [String], _ change: (inout Settings) -> Void) -> Stage {
    let stage = Stage(settings(change))
    for name in names { stage.open(name) }
    return stage
  }

  private func send(_ id: Int, _ bytes: Int = 0) -> String {
    #"{"op":"send","id":\#(id),"topic":"t","payload":"\#(String(repeating: "x", count: bytes))"}"#
  }

  private func ids(_ lines: [String]) -> [String?] {
    lines.filter { $0.member("op") == "offer" }.map { $0.member("id") }
  }

  // MARK: Higher limits wake

  @Test func allThatWaitForTheTotalGoOn() {
    let stage = stage(["h"] + (1...5).map { "s\($0)" }) { $0.maxTotalBytes = 1000 }
    stage.say("h", #"{"op":"insert","handler":"h"}"#)
    for number in 1...5 { stage.say("s\(number)", send(number, 1000)) }
    #expect(ids(stage.hear("h")) == ["1"])
    stage.reload(settings { $0.maxTotalBytes = 1 << 20 })
    #expect(ids(stage.hear("h")) == ["2", "3", "4", "5"])
  }

  @Test func whoHasItsShareGoesOn() {
    let stage = stage(["h", "a"]) { $0.maxTotalBytes = 4000 }
    stage.say("h", #"{"op":"insert","handler":"h"}"#)
    stage.say("a", send(1, 2000))
    stage.say("a", send(2))
    #expect(ids(stage.hear("h")) == ["1"])
    stage.reload(settings { $0.maxTotalBytes = 1 << 20 })
    #expect(ids(stage.hear("h")) == ["2"])
  }

  @Test func offersThatWaitForASlowHandlerGoOn() {
    let stage = stage(["h", "a"]) { $0.offersUnsentBytes = 100 }
    stage.say("h", #"{"op":"insert","handler":"h"}"#)
    _ = stage.hear("h")
    for number in 1...5 { stage.say("a", send(number, 50)) }
    let before = stage.unsent("h")
    stage.reload(settings { $0.offersUnsentBytes = 1 << 20 })
    #expect(stage.unsent("h") > before)
    #expect(ids(stage.hear("h")) == ["1", "2", "3", "4", "5"])
  }

  @Test func whoHasNotReadIsReadFromAgain() {
    let stage = stage(["a"]) { $0.readingUnsentBytes = 100 }
    for number in 1...10 { stage.say("a", #"{"op":"ping","id":\#(number)}"#) }
    #expect(!stage.wish("a").reading)
    stage.reload(settings { $0.readingUnsentBytes = 1 << 20 })
    #expect(stage.wish("a").reading)
    #expect(stage.hear("a").last?.member("id") == "10")
  }

  // MARK: Lower limits leave what there is

  @Test func nobodyIsClosedForWhatIsUnsentAlready() {
    let stage = stage(["a", "b", "c"]) { $0.maxTotalUnsentBytes = 1 << 20 }
    for name in ["a", "b"] {
      stage.say(name, #"{"op":"subscribe","topics":[">"]}"#)
      _ = stage.hear(name)
    }
    for _ in 0..<4 {
      stage.say("c", #"{"op":"publish","topic":"t","payload":"\#(String(repeating: "x", count: 900))"}"#)
    }
    stage.say("c", #"{"op":"help"}"#)
    let total = stage.driver.router.unsentBytes
    stage.reload(settings { $0.maxTotalUnsentBytes = 1000 })
    #expect(stage.driver.router.unsentBytes == total)
    #expect(stage.driver.router.settings.maxTotalUnsentBytes == total + total / 4)
    stage.say("a", #"{"op":"ping"}"#)
    #expect(stage.wish("c").ending == .open)
    _ = stage.hear("c")
    #expect(stage.driver.router.settings.maxTotalUnsentBytes < total)
    for name in ["a", "b", "c"] {
      #expect(stage.wish(name).ending == .open)
      _ = stage.hear(name)
    }
    #expect(stage.driver.router.settings.maxTotalUnsentBytes == 1000 && stage.driver.router.sinking == nil)
  }

  @Test func unfinishedLinesMayEnd() {
    let stage = stage((1...20).map { "p\($0)" }) { $0.maxUnfinishedBytes = 100_000 }
    for number in 1...20 { stage.give("p\(number)", #"{"op":"ping","#.utf8) }
    stage.reload(settings { $0.maxUnfinishedBytes = 1 })
    for number in 1...20 {
      #expect(stage.wish("p\(number)").ending == .open)
      stage.give("p\(number)", "\"id\":\(number)}\n".utf8)
      #expect(stage.hear("p\(number)").last?.member("id") == "\(number)")
    }
    #expect(stage.driver.router.settings.maxUnfinishedBytes == 1)
  }

  @Test func aPieceOfALineEndsOneConnectionAtMost() {
    let stage = stage((1...20).map { "p\($0)" }) { $0.maxUnfinishedBytes = 100_000 }
    for number in 1...20 { stage.give("p\(number)", #"{"op":"ping","#.utf8) }
    stage.reload(settings { $0.maxUnfinishedBytes = 1 })
    stage.give("p20", String(repeating: " ", count: 150).utf8)
    #expect((1...20).filter { stage.wish("p\($0)").ending != .open }.count == 1)
  }

  // MARK: What is kept shrinks in pieces

  @Test func keptMessagesAreForgottenInPieces() {
    let pieces = Settings.Pieces(size: 4)
    let stage = stage(["a"]) { $0.pieces = pieces }
    for number in 1...50 { stage.say("a", send(number)) }
    #expect(stage.driver.router.failedWalks.count == 50)
    stage.driver.settles = false
    stage.driver.settings = settings { $0.maxKeptWalks = 10 }
    stage.driver.reload()
    #expect(stage.driver.router.failedWalks.count == 50)
    var last = 50
    while stage.driver.turn() {
      let count = stage.driver.router.failedWalks.count
      #expect(count >= 10 && count <= last)
      last = count
    }
    #expect(stage.driver.router.failedWalks.count == 10 && !stage.driver.router.isForgetting)
    stage.driver.settings = settings { $0.maxKeptBytes = 1 }
    stage.driver.reload()
    while stage.driver.turn() {}
    #expect(stage.driver.router.failedWalks.count == 0)
  }

  @Test func historiesAreForgottenInPieces() {
    let stage = stage(["h", "a"]) { $0.pieces = Settings.Pieces(size: 2) }
    for number in 1...9 { stage.say("h", #"{"op":"insert","handler":"h\#(number)"}"#) }
    stage.say("a", send(1))
    for number in 1...9 { stage.say("h", #"{"op":"continue","id":\#(number)}"#) }
    #expect(stage.driver.router.histories.count == 9)
    stage.reload(settings { $0.maxHistories = 3 })
    #expect(stage.driver.router.histories.count == 3)
  }

  @Test func listsAreDroppedAsNewOnesCome() {
    let stage = stage(["h", "a"]) { _ in }
    stage.say("h", #"{"op":"insert","handler":"h","accepts":["none"]}"#)
    for number in 1...20 { stage.say("a", #"{"op":"send","topic":"t\#(number)"}"#) }
    #expect(stage.driver.router.acceptLists.count == 20)
    stage.reload(settings { $0.maxCachedTopics = 5 })
    #expect(stage.driver.router.acceptLists.count == 20)
    for number in 21...40 { stage.say("a", #"{"op":"send","topic":"t\#(number)"}"#) }
    #expect(stage.driver.router.acceptLists.count == 5)
  }

  // MARK: Which settings change

  @Test func whatNeedsAStartStays() {
    var (old, new) = (Settings(), Settings())
    for setting in Settings.table { new[keyPath: setting.path] = setting.range.lowerBound + 1 }
    old.takeNewLimits(of: new)
    for setting in Settings.table {
      let value = setting.needsStart ? Settings()[keyPath: setting.path] : new[keyPath: setting.path]
      #expect(old[keyPath: setting.path] == value, "\(setting.name)")
    }
    #expect(
      Settings.table.filter(\.needsStart).map(\.name) == [
        "max_line", "max_depth", "max_topic_words", "max_pattern_stars", "lease_ms", "renew_ms", "store_ms",
        "log_bytes", "max_unsent_bytes", "max_lapsed_offers", "share_of_free",
      ])
  }
}
