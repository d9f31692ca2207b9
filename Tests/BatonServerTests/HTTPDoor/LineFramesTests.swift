import Testing

@testable import BatonServer

/// Lines of the router as frames of a WebSocket, and as server-sent events, however the bytes are cut.
@Suite struct LineFramesTests {
  private static let lines = [
    "{\"op\":\"pong\"}", "{\"op\":\"event\",\"topic\":\"\(String(repeating: "a", count: 200))\"}",
    "{\"op\":\"missed\",\"count\":3}", "{\"op\":\"draining\",\"deadline_ms\":5}",
    "{\"op\":\"missedx\"}", "{\"op\":\"error\",\"code\":\"idle\"}",
    "{\"op\":\"result\",\"payload\":\"\(String(repeating: "x", count: 70_000))\"}",
  ]
  private static let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)

  /// Gives `body` the bytes in pieces, each as two buffers.
  private func cut(
    every size: Int, _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>, _ start: Int) -> Void
  ) {
    LineFramesTests.bytes.withUnsafeBytes { all in
      var start = 0
      while start < all.count {
        let end = min(start + size, all.count)
        let middle = (start + end) / 2
        let parts = [
          UnsafeRawBufferPointer(rebasing: all[start..<middle]), UnsafeRawBufferPointer(rebasing: all[middle..<end]),
        ]
        parts.withUnsafeBufferPointer { body($0, start) }
        start = end
      }
    }
  }

  @Test(arguments: [1, 2, 3, 7, 16, 17, 100, 1000, 65_536, 1_000_000])
  func eachLineIsOneFrame(_ size: Int) {
    var frames = LineFrames()
    var written: [UInt8] = []
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 * LineFramesTests.bytes.count, alignment: 8)
    defer { room.deallocate() }
    cut(every: size) { buffers, start in
      let count = frames.frame(buffers, into: room) { offset in
        LineFramesTests.bytes[(start + offset)...].prefix { $0 != 10 }.count
      }
      written += room[..<count]
    }
    #expect(!frames.isInFrame)
    var at = 0
    for line in LineFramesTests.lines {
      #expect(written[at] == 0x81)
      var count = Int(written[at + 1])
      at += 2
      let more = count == 126 ? 2 : count == 127 ? 8 : 0
      if more > 0 { count = written[at..<at + more].reduce(0) { $0 << 8 | Int($1) } }
      at += more
      #expect(written[at..<at + count].elementsEqual(line.utf8))
      at += count
    }
    #expect(at == written.count)
  }

  @Test func aFrameThatHasBegunIsKnown() {
    var frames = LineFrames()
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)
    defer { room.deallocate() }
    for (text, isOpen) in [("{\"op\":", true), ("\"pong\"}", true), ("\n", false)] {
      Array(text.utf8).withUnsafeBytes { bytes in
        withUnsafePointer(to: bytes) { one in
          _ = frames.frame(UnsafeBufferPointer(start: one, count: 1), into: room) { _ in 13 }
        }
      }
      #expect(frames.isInFrame == isOpen)
    }
  }

  @Test(arguments: [1, 2, 3, 7, 15, 16, 17, 100, 65_536])
  func eachLineIsOneEvent(_ size: Int) {
    var frames = EventFrames()
    var written: [UInt8] = []
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 * LineFramesTests.bytes.count, alignment: 8)
    defer { room.deallocate() }
    cut(every: size) { buffers, _ in
      let count = frames.frame(buffers, into: room)
      written += room[..<count]
    }
    let expected = LineFramesTests.lines.map { line in
      let events = ["missed": "missed", "draining": "draining", "error": "refused"]
      let event = events.first { line.hasPrefix("{\"op\":\"\($0.key)\"") }
      return (event.map { "event: \($0.value)\n" } ?? "") + "data: \(line)\n\n"
    }
    #expect(String(decoding: written, as: UTF8.self) == expected.joined())
    #expect(frames.hasRefused)
  }

  /// Lines of kept events get their place behind them, also where a payload looks like the end of one.
  @Test(arguments: [1, 2, 3, 7, 16, 17, 31, 32, 33, 100, 65_536])
  func aKeptEventTellsItsPlace(_ size: Int) {
    let lines: [(String, String?)] = [
      (##"{"op":"event","topic":"a","payload":1,"from":"ann","seq":7}"##, "id: x7:7\n"),
      (
        ##"{"op":"event","topic":"a","payload":"\##(String(repeating: "p", count: 300))","from":"ann","seq":12345678901}"##,
        "id: x7:12345678901\n"
      ),
      (##"{"op":"event","topic":"a","payload":{"seq":7},"from":"ann"}"##, nil),
      (##"{"op":"event","topic":"a","from":"ann","seq":7,"retained":true}"##, nil),
      (##"{"op":"missed","gone":true,"count":3,"seq":7}"##, nil), (##"{"op":"event","seq":8}"##, "id: x7:8\n"),
    ]
    var expected = ""
    for (line, field) in lines {
      expected += (line.contains("missed") ? "event: missed\n" : "") + "data: \(line)\n\(field ?? "")\n"
    }
    let bytes = Array(lines.map { $0.0 + "\n" }.joined().utf8)
    var frames = EventFrames()
    frames.epoch = Array("x7".utf8)
    var written: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      let piece = Array(bytes[start..<min(start + size, bytes.count)])
      let room = UnsafeMutableRawBufferPointer.allocate(
        byteCount: EventFrames.mostAdded(to: piece.count) + piece.count, alignment: 8)
      defer { room.deallocate() }
      piece.withUnsafeBytes { raw in
        withUnsafePointer(to: raw) { one in
          let count = frames.frame(UnsafeBufferPointer(start: one, count: 1), into: room)
          written += room[..<count]
        }
      }
    }
    #expect(String(decoding: written, as: UTF8.self) == expected)
  }
}
