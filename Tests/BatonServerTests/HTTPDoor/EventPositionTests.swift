import Testing

@testable import BatonServer

/// The places of kept events, as `id:` spells them and as readers say them again.
@Suite struct EventPositionTests {
  private func members(_ lastEventID: String) -> String {
    var line: [UInt8] = []
    EventPosition(lastEventID).append(to: &line)
    return String(decoding: line, as: UTF8.self)
  }

  @Test func aPlaceIsReadAsItWasTold() {
    #expect(members("x7:812") == #","after":812,"epoch":"x7""#)
    #expect(members("a.b-c_d:0") == #","after":0,"epoch":"a.b-c_d""#)
    #expect(String(decoding: EventPosition.field(Array("x7".utf8), 812), as: UTF8.self) == "id: x7:812\n")
  }

  @Test(arguments: [
    "", "x7", "x7:", ":5", "x7:-1", "x7:+1", "x7: 1", "x7:1.5", "x\"7:1", "x7:1:2", "x7:9999999999999999999",
    "\u{e9}:1",
    String(repeating: "e", count: 65) + ":1", "x 7:1",
  ])
  func whatIsNoPlaceIsOneOfWhichNothingIsKnown(_ text: String) {
    #expect(members(text) == #","after":0,"epoch":"unknown""#)
  }

  @Test func theAnswerToSubscribeTellsOne() {
    func place(_ line: String) -> EventPosition? { Array(line.utf8).withUnsafeBytes { EventPosition(ok: $0) } }
    #expect(place(#"{"op":"ok","id":1,"seq":5,"epoch":"x7"}"# + "\n") == EventPosition("x7:5"))
    #expect(place(#"{"op":"ok","id":1,"seq":0,"epoch":"0"}"#) == EventPosition("0:0"))
    #expect(place(#"{"op":"ok","id":1}"#) == nil)
    #expect(place(#"{"op":"ok","id":1,"seq":5,"epoch":"x\n7"}"#) == nil)
    #expect(place(#"{"op":"ok","id":1,"seq":5,"epoch":""}"#) == nil)
  }
}
