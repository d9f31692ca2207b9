import Testing

@testable import BatonCore

/// From bytes to lines (contract, section 2): the replies are the same, however the bytes are cut.
@Suite struct FramingTests {
  /// The replies to a peer that sends these bytes, cut at these places. A second peer has a handler and a message
  /// there.
  private func replies(_ bytes: [UInt8], cutAt cuts: [Int], settings: Settings) -> [UInt8] {
    let stage = Stage(settings)
    stage.open("other", "peer")
    stage.say("other", #"{"op":"insert","handler":"h","reply":false}"#, #"{"op":"send","topic":"t","reply":false}"#)
    var start = 0
    for cut in cuts + [bytes.count] {
      stage.give("peer", bytes[start..<cut])
      start = cut
    }
    let all = stage.take("peer")
    stage.closeAll()
    stage.takeOutWhatStays()
    #expect(stage.census.isEmpty)
    return all
  }

  private var patient: Settings { Stage.settings { $0.maxErrors = 100_000 } }

  /// Each line of the table, with a second line behind it that shows where the next line begins.
  private static let lines = LineCases.all.map { $0.line + "\n" + #"{"op":"ping","id":"end"}"# + "\n" }

  @Test func byteByByteAndAtOnceAreTheSame() {
    for line in Self.lines {
      let bytes = Array(line.utf8)
      let whole = replies(bytes, cutAt: [], settings: patient)
      let drip = replies(bytes, cutAt: Array(1..<bytes.count), settings: patient)
      #expect(whole == drip && whole.count > 20, "\(line.prefix(200))")
    }
  }

  @Test func cutAnywhereIsTheSame() {
    // Only every seventh line, because each is played once for each of its bytes.
    for line in stride(from: 0, to: Self.lines.count, by: 7).map({ Self.lines[$0] }) where line.utf8.count < 300 {
      let bytes = Array(line.utf8)
      let whole = replies(bytes, cutAt: [], settings: patient)
      for cut in 1..<bytes.count {
        let parts = replies(bytes, cutAt: [cut], settings: patient)
        #expect(parts == whole, "\(line.prefix(200)) cut at \(cut)")
      }
    }
  }

  @Test func manyAtOnceAreTheSameAsOneByOne() {
    let all = Array(Self.lines.joined().utf8)
    let ends = all.indices.filter { all[$0] == 0x0A }.map { $0 + 1 }.dropLast()
    let settings = Stage.settings {
      $0.maxErrors = 100_000
      $0.maxOpenMessages = 100_000
    }
    let atOnce = replies(all, cutAt: [], settings: settings)
    #expect(atOnce == replies(all, cutAt: Array(ends), settings: settings))
    #expect(atOnce.count { $0 == 0x0A } >= Self.lines.count * 2 - 100)
  }

  // MARK: Lines that are ignored, and ends of lines

  @Test func blankLinesAndCommentsAreIgnored() {
    let stage = Stage()
    stage.open("peer")
    stage.give("peer", Array("\n\r\n \t \r\n# a comment\n#\r\n".utf8) + [0x23, 0xFF, 0xFE, 0x0A])
    stage.give("peer", Array("{\"op\":\"ping\"}\r\n \t{\"op\":\"ping\",\"id\":2}  \r\n\n".utf8))
    #expect(stage.hear("peer") == [#"{"op":"pong"}"#, #"{"op":"pong","id":2}"#])
    stage.say("peer", " # not in the first place", "\u{0}", "[]", "{}")
    #expect(stage.hear("peer").codes == ["bad_json", "bad_json", "bad_json", "missing_member"])
  }

  @Test(arguments: ["GET / HTTP/1.1\r\n", "\u{16}\u{3}\u{1}", " \r\n\t[", "\u{FEFF}{}", "\u{0}", "\""])
  func anotherProtocolIsToldAtItsFirstByte(_ text: String) {
    let bytes = Array(text.utf8)
    guard let first = bytes.firstIndex(where: { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }) else { return }
    for cuts in [[], Array(1..<max(1, bytes.count))] {
      let stage = Stage()
      stage.open("peer")
      var start = 0
      for cut in cuts + [bytes.count] {
        stage.give("peer", bytes[start..<cut])
        #expect(stage.wish("peer").ending == (cut > first ? .shutDown : .open))
        start = cut
      }
      #expect(stage.hear("peer").codes == ["not_json_lines"] && stage.wish("peer").reason == .notJSONLines)
    }
  }

  // MARK: Long lines

  /// A comment that is as long as a line may be, with its LF, and one that is a byte longer, in pieces of several
  /// sizes.
  @Test(arguments: [1, 7, 4096, 100_000])
  func aLineMayBeAsLongAsItMay(piece: Int) {
    let settings = Stage.settings { $0.maxLine = 8192 }
    for (length, isTaken) in [(8191, true), (8192, true), (8193, false), (20_000, false)] {
      let stage = Stage(settings)
      stage.open("peer")
      let line = "#" + String(repeating: "x", count: length - 2) + "\n" + "{\"op\":\"ping\"}\n"
      var rest = Array(line.utf8)[...]
      while !rest.isEmpty {
        stage.give("peer", rest.prefix(piece))
        rest = rest.dropFirst(piece)
      }
      let heard = stage.hear("peer")
      #expect(isTaken ? heard.ops == ["pong"] : heard.codes == ["line_too_long"], "\(length)")
      #expect(stage.wish("peer").reason == (isTaken ? nil : .lineTooLong))
      #expect(stage.census["unfinished bytes"] == nil)
    }
  }

  @Test func aLineThatNeverEndsIsRefusedBeforeItIsKept() {
    let stage = Stage(Stage.settings { $0.maxLine = 8192 })
    stage.open("peer")
    stage.give("peer", Array("{".utf8) + [UInt8](repeating: 0x20, count: 8190))
    #expect(stage.wish("peer").ending == .open)
    stage.give("peer", [0x20])
    #expect(stage.hear("peer").codes == ["line_too_long"])
  }

  @Test func anUnfinishedLineHasItsTime() {
    let stage = Stage(Stage.settings { $0.lineTimeoutMilliseconds = 100 })
    stage.open("slow", "idle")
    stage.say("idle", #"{"op":"ping"}"#)
    stage.give("slow", Array("{\"op\":".utf8))
    stage.advance(milliseconds: 60)
    stage.give("slow", Array("\"ping\"}\n{".utf8))
    stage.advance(milliseconds: 99)
    #expect(stage.hear("slow").ops == ["pong"], "each line's time counts from its own first byte")
    stage.advance(milliseconds: 2)
    #expect(stage.hear("slow").codes == ["line_timeout"] && stage.wish("idle").ending == .open)
  }

  @Test func theWorstUnfinishedLineHasToGo() {
    let stage = Stage(
      Stage.settings {
        $0.maxUnfinishedBytes = 1000
        $0.shareOfFree = 1000
      })
    stage.open("first", "second", "third")
    for name in ["second", "first", "third"] {
      stage.give(name, Array("{".utf8) + [UInt8](repeating: 0x20, count: 399))
      stage.advance(milliseconds: 1)
    }
    #expect(["first", "second", "third"].map { stage.wish($0).reason } == [nil, .lineTimeout, nil])
    #expect(stage.census["unfinished bytes"] == 800)
  }

  // MARK: Half-close

  @Test func aLastLineWithoutItsEndIsNotCarriedOut() {
    for (rest, codes) in [(#"{"op":"ping"}"#, ["bad_json"]), ("{", ["bad_json"]), (" \r", []), ("# bye", []), ("", [])]
    {
      let stage = Stage()
      stage.open("peer")
      stage.give("peer", Array(("{\"op\":\"ping\"}\n" + rest).utf8))
      stage.end("peer")
      let heard = stage.hear("peer")
      #expect(heard.ops.first == "pong" && heard.codes == codes, "\(rest)")
      #expect(stage.wish("peer").ending == .closeWhenWritten && stage.wish("peer").reason == .finished)
    }
  }

  @Test func whoHasHalfClosedStillGetsItsResults() {
    let stage = Stage()
    stage.open("sender", "handler")
    stage.say("handler", #"{"op":"insert","handler":"h"}"#)
    stage.say("sender", #"{"op":"send","id":1,"topic":"t"}"#, #"{"op":"subscribe","topics":[">"]}"#)
    stage.end("sender")
    #expect(stage.hear("sender").ops == ["ok"] && stage.wish("sender").ending == .open)
    stage.say("handler", #"{"op":"handled"}"#, #"{"op":"broadcast","topic":"t"}"#)
    #expect(stage.hear("sender").ops == ["result"] && stage.wish("sender").ending == .closeWhenWritten)
    #expect(stage.hear("handler").last == #"{"op":"ok","delivered":0}"#)
  }

  @Test func whatWasCutOffIsDroppedAndClosed() {
    let stage = Stage(Stage.settings { $0.lingerMilliseconds = 50 })
    stage.open("peer")
    stage.give("peer", Array("HELO\n{\"op\":\"ping\"}\n".utf8))
    stage.say("peer", #"{"op":"ping"}"#)
    #expect(stage.hear("peer").ops == ["error"] && stage.wish("peer").ending == .shutDown)
    #expect(stage.wish("peer").reading, "what still comes is read and dropped")
    stage.advance(milliseconds: 51)
    #expect(stage.wish("peer").ending == .close)
  }
}
