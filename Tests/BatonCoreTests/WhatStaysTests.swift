import FuzzKit
import Testing

@testable import BatonCore

/// What stays when its connection goes counts for who left it (contract, section 10, `What outlives its connection`).
@Suite struct WhatStaysTests {
  private func insert(_ name: String, _ more: String = "", chain: String = "main") -> String {
    #"{"op":"insert","handler":"\#(name)","chain":"\#(chain)","reply":false\#(more)}"#
  }

  /// What is known of a peer at another address.
  private var elsewhere: PeerFacts {
    var facts = PeerFacts()
    facts.address = 7
    return facts
  }

  private func stage(links: Int = 200, patterns: Int = 1000, places: Int = 100) -> Stage {
    Stage(
      Stage.settings {
        ($0.maxLinks, $0.maxTotalPatterns, $0.maxEmptyPlaces) = (links, patterns, places)
      })
  }

  /// Many short connections, and many at once, get no more than one long one.
  @Test(arguments: [false, true])
  func connectionsTakeNoMoreThanOne(areAtOnce: Bool) {
    let stage = stage()
    for number in 1...30 {
      stage.open("p\(number)")
      for place in 1...20 { stage.say("p\(number)", insert("h\(number)-\(place)", #","required":true"#)) }
      for place in 1...5 {
        stage.say("p\(number)", #"{"op":"mount","chain":"c\#(number)","on":"m\#(number)-\#(place)","reply":false}"#)
      }
      if !areAtOnce { stage.close("p\(number)") }
    }
    if areAtOnce { for number in 1...30 { stage.close("p\(number)") } }
    #expect(stage.census["counted links"] == 100)
    stage.open("other", elsewhere)
    stage.say("other", #"{"op":"insert","id":1,"handler":"other","required":true}"#)
    #expect(stage.hear("other").first?.member("op") == "ok")
  }

  @Test func heldPlacesOfOneAddressLeaveRoomForOthers() {
    let stage = stage()
    for number in 1...30 {
      stage.open("p\(number)")
      for place in 1...10 { stage.say("p\(number)", insert("h\(number)-\(place)", #","hold_ms":60000"#)) }
      stage.close("p\(number)")
    }
    #expect(stage.census["empty places"] == 50)
    stage.open("other", elsewhere)
    stage.say("other", insert("other", #","hold_ms":60000"#))
    stage.close("other")
    #expect(stage.census["empty places"] == 51)
    stage.advance(milliseconds: 60_001)
    #expect(stage.census.isEmpty)
  }

  /// An account lives as long as something of it stays, and no longer.
  @Test func nothingIsLeftOfWhoPaid() {
    let stage = stage()
    stage.open("a", "b")
    stage.say("a", insert("a", #","required":true"#), #"{"op":"mount","on":"side","reply":false}"#)
    stage.close("a")
    #expect(stage.census["accounts"] == 1)
    stage.open("c", elsewhere)
    stage.say("c", insert("a"))
    stage.say("b", #"{"op":"unmount","on":"side","reply":false}"#)
    stage.close("b")
    #expect(stage.census["accounts"] == 1)
    stage.close("c")
    #expect(stage.census.isEmpty)
  }

  /// Many empty places are taken out in pieces. The request has one reply, and no other link goes.
  @Test func manyPlacesAreTakenOutInPieces() {
    let stage = stage(links: 20_000, patterns: 50_000)
    stage.open("a", "ops", "other")
    for number in 1...3000 { stage.say("a", insert("h\(number)", number % 3 == 0 ? "" : #","required":true"#)) }
    stage.say("other", insert("other", #","required":true"#))
    stage.close("a")
    stage.say("ops", #"{"op":"remove","id":1,"empty":true}"#, #"{"op":"ping","id":2}"#)
    #expect(
      stage.hear("ops") == [#"{"op":"ok","id":1,"chain":"main","removed":2000}"#, #"{"op":"pong","id":2}"#])
    #expect(stage.census["counted links"] == 1)
    stage.close("ops")
    stage.say("other", #"{"op":"remove","handler":"other","reply":false}"#)
    stage.close("other")
    #expect(stage.census.isEmpty)
  }
}
