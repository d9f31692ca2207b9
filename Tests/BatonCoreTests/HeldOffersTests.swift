import FuzzKit
import Testing

@testable import BatonCore

/// Copies for shadows and lapsed offers count for the account of their handler (contract, section 10, `Held offers`).
@Suite struct HeldOffersTests {
  private static let day = #""timeout_ms":86400000"#

  private func stage(totalBytes: Int) -> Stage {
    Stage(
      Stage.settings {
        $0.maxTotalBytes = totalBytes
        $0.offersUnsentBytes = 1 << 40
        $0.maxUnsentBytes = 1 << 40
        $0.readingUnsentBytes = 1 << 40
      })
  }

  /// So many shadows of one connection get copies of so many messages, and answer none.
  private func storm(_ stage: Stage, shadows: Int, messages: Int) {
    stage.open("h", "sender")
    for number in 0..<shadows {
      stage.say("h", #"{"op":"insert","handler":"s\#(number)","shadow":true,"window":65536,"reply":false}"#)
    }
    for _ in 0..<messages {
      stage.say("sender", #"{"op":"send","topic":"t","reply":false,\#(Self.day)}"#)
      stage.hear("h")
    }
  }

  @Test func shadowsThatNeverAnswerLeaveRoomForOthers() throws {
    let stage = stage(totalBytes: 512 * 401)
    storm(stage, shadows: 50, messages: 20)
    #expect(stage.census["copies"] == 200)
    #expect(stage.census["open bytes"] == 200 * 512)
    var elsewhere = PeerFacts()
    elsewhere.address = 7
    stage.open("other", elsewhere)
    stage.say("other", #"{"op":"insert","handler":"other","shadow":true,"reply":false}"#)
    stage.say("sender", #"{"op":"send","topic":"t","reply":false}"#)
    #expect(stage.hear("other").ops == ["offer"])
    stage.closeAll()
    #expect(stage.census.isEmpty)
  }

  /// Offers that lapse and are never answered are kept as far as there is room, by whichever connection.
  @Test func lapsedOffersHaveAShare() {
    let stage = stage(totalBytes: 512 * 40)
    for name in ["a", "b", "c"] {
      stage.open(name)
      stage.say(name, #"{"op":"insert","handler":"\#(name)","timeout_ms":1,"reply":false}"#)
    }
    stage.open("sender")
    for _ in 0..<30 {
      stage.say("sender", #"{"op":"send","topic":"t","reply":false}"#)
      for _ in 0..<4 { stage.advance(milliseconds: 1) }
    }
    #expect(stage.census["walks"] == nil)
    #expect((stage.census["offers"] ?? 0) <= 20 && (stage.census["offers"] ?? 0) >= 15)
    #expect(stage.census["open bytes"] == (stage.census["offers"] ?? 0) * 512)
    stage.closeAll()
    #expect(stage.census.isEmpty)
  }

  /// What a storm took is given back when it is over, also directories and stubs of tables. A few empty pieces are kept, and
  /// stubs for what stood before them.
  @Test func tablesEndNearTheMemoryAtWhichTheyBegan() {
    let stage = stage(totalBytes: 1 << 30)
    storm(stage, shadows: 20, messages: 100)
    stage.closeAll()
    stage.advance(milliseconds: 10)
    let before = stage.driver.router.tableMemory
    storm(stage, shadows: 100, messages: 600)
    let most = stage.driver.router.tableMemory
    stage.closeAll()
    stage.advance(milliseconds: 10)
    let after = stage.driver.router.tableMemory
    #expect(most > 10 * before && after <= 2 * before, "\(before), \(most), \(after) bytes")
    #expect(stage.census.isEmpty)
  }
}
