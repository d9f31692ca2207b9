import HTTP
import HTTPKit
import Testing

/// A frame as a client sends it.
struct ClientFrame {
  var first: UInt8
  var payload: [UInt8]
  var mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
  /// How many bytes say the length; nil for as few as need be.
  var lengthBytes: Int?
  var isMasked = true

  static func text(_ text: String, isFinal: Bool = true) -> [UInt8] { frame(isFinal ? 0x81 : 0x01, Array(text.utf8)) }

  static func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    ClientFrame(first: first, payload: payload).bytes
  }

  var bytes: [UInt8] {
    let count = payload.count
    let extended = lengthBytes ?? (count < 126 ? 0 : count < 0x1_0000 ? 2 : 8)
    let short = extended == 0 ? UInt8(count) : extended == 2 ? 126 : 127
    var bytes = [first, (isMasked ? 0x80 : 0) | short]
    for index in (0..<extended).reversed() { bytes.append(UInt8(truncatingIfNeeded: count >> (8 * index))) }
    if isMasked { bytes += mask }
    return bytes + payload.enumerated().map { index, byte in isMasked ? byte ^ mask[index % 4] : byte }
  }
}

@Suite struct FrameReaderTests {
  private static let euro = Array("€".utf8)

  /// What comes, and what is read.
  private static let cases: [([UInt8], [String])] = [
    ([], []),
    (ClientFrame.text("hi"), ["text 6869"]),
    (ClientFrame.text(""), ["text "]),
    (ClientFrame.text("a") + ClientFrame.text("b"), ["text 61", "text 62"]),
    (ClientFrame.text("a", isFinal: false) + ClientFrame.frame(0x80, [0x62]), ["text 6162"]),
    (ClientFrame.text("", isFinal: false) + ClientFrame.frame(0x00) + ClientFrame.frame(0x80), ["text "]),
    (ClientFrame.text("a", isFinal: false), ["part 61"]),
    (
      ClientFrame.text("a", isFinal: false) + ClientFrame.frame(0x89, [1, 2]) + ClientFrame.frame(0x80, [0x62]),
      ["part 61", "ping 0102", "text 62"]
    ),
    (ClientFrame.frame(0x89), ["ping "]), (ClientFrame.frame(0x8A, [9]), ["pong"]),
    (
      ClientFrame.frame(0x89, [UInt8](repeating: 7, count: 125)), ["ping \(hex([UInt8](repeating: 7, count: 125)))"]
    ),
    // A character cut by fragments.
    (
      ClientFrame.frame(0x01, [euro[0]]) + ClientFrame.frame(0x00, [euro[1]]) + ClientFrame.frame(0x80, [euro[2]]),
      ["text e282ac"]
    ),
    // Form.
    (ClientFrame(first: 0x81, payload: [0x61], isMasked: false).bytes, ["fault 1002"]),
    (ClientFrame.frame(0xC1), ["fault 1002"]), (ClientFrame.frame(0xA1), ["fault 1002"]),
    (ClientFrame.frame(0x91), ["fault 1002"]), (ClientFrame.frame(0x80), ["fault 1002"]),
    (ClientFrame.frame(0x00), ["fault 1002"]),
    (ClientFrame.text("a", isFinal: false) + ClientFrame.text("b"), ["part 61", "fault 1002"]),
    (ClientFrame.text("a", isFinal: false) + ClientFrame.frame(0x82), ["part 61", "fault 1002"]),
    (ClientFrame.frame(0x09), ["fault 1002"]), (ClientFrame.frame(0x08), ["fault 1002"]),
    (ClientFrame.frame(0x0A), ["fault 1002"]),
    (ClientFrame.frame(0x89, [UInt8](repeating: 0, count: 126)), ["fault 1002"]),
    (ClientFrame(first: 0x8A, payload: [], lengthBytes: 8).bytes, ["fault 1002"]),
    (ClientFrame(first: 0x81, payload: [UInt8](repeating: 0x61, count: 125), lengthBytes: 2).bytes, ["fault 1002"]),
    (ClientFrame(first: 0x81, payload: [UInt8](repeating: 0x61, count: 126), lengthBytes: 8).bytes, ["fault 1002"]),
    ([0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], ["fault 1002"]), ([0x81, 0xFF, 0x80], ["fault 1002"]),
    ([0x81, 0xFF, 0x7F, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0x61], ["part 61"]),
    (ClientFrame.frame(0x82, [1]), ["fault 1003"]), (ClientFrame.frame(0x02, [1]), ["fault 1003"]),
    ([0x82], ["fault 1003"]),
    (ClientFrame.text("a") + ClientFrame.frame(0x83), ["text 61", "fault 1002"]),
    // Text.
    (ClientFrame.frame(0x81, [0x61, 0xFF, 0x62]), ["part 61", "fault 1007"]),
    (ClientFrame.frame(0x81, [0xFF]), ["fault 1007"]),
    (ClientFrame.frame(0x81, [0x61, 0xE2, 0x82]), ["part 61e282", "fault 1007"]),
    (ClientFrame.frame(0x01, [0xE2, 0x82]) + ClientFrame.frame(0x80), ["part e282", "fault 1007"]),
    (ClientFrame.frame(0x01, [0xE2]) + ClientFrame.frame(0x80, [0x61]), ["part e2", "fault 1007"]),
    (
      ClientFrame.frame(0x01, [0xE2]) + ClientFrame.frame(0x89) + ClientFrame.frame(0x80, [0x82, 0xAC]),
      ["part e2", "ping ", "text 82ac"]
    ),
    // As soon as it is certain: the rest of the frame has not come.
    (Array(ClientFrame.frame(0x81, [0xED, 0xA0, 0x80, 0x61]).prefix(8)), ["part ed", "fault 1007"]),
    // Closes.
    (ClientFrame.frame(0x88), ["close - 1000"]), (ClientFrame.frame(0x88, [3]), ["close - 1002"]),
    (ClientFrame.frame(0x88, [0x03, 0xE8]) + ClientFrame.text("late"), ["close 1000 1000"]),
    (ClientFrame.frame(0x88, [0x03, 0xE8] + euro), ["close 1000 1000"]),
    (ClientFrame.frame(0x88, [0x03, 0xE8] + euro.prefix(2)), ["close 1000 1007"]),
    (ClientFrame.frame(0x88, [0x03, 0xE8, 0xFF]), ["close 1000 1007"]),
    (ClientFrame.text("a", isFinal: false) + ClientFrame.frame(0x88, [0x03, 0xE9]), ["part 61", "close 1001 1001"]),
  ]

  @Test(arguments: cases.indices)
  func reads(_ index: Int) {
    let (bytes, expected) = FrameReaderTests.cases[index]
    let found = frameEvents(of: [bytes])
    #expect(
      found.count == expected.count && zip(found, expected).allSatisfy { $0 == $1 || $0.hasPrefix($1 + " ") },
      "\(found), not \(expected)")
    #expect(disagreement(over: bytes, everywhere: true) { frameEvents(of: $0) } == nil)
    for room in [1, 2, 5] { #expect(frameEvents(of: [bytes], room: room) == found) }
  }

  /// The codes that a peer may send come back; the others are a fault of the protocol.
  @Test func closeCodes() {
    let right = Set<UInt16>([1000, 1001, 1002, 1003] + Array(1007...1014) + Array(3000...4999))
    for code in UInt16.min...UInt16.max {
      let frame = ClientFrame.frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])
      #expect(frameEvents(of: [frame]) == ["close \(code) \(right.contains(code) ? code : 1002)"])
    }
  }

  /// Every length around the borders of its forms, with text that is not ASCII at each place in a word.
  @Test func lengths() {
    for count in Array(0...70) + Array(120...135) + [65530, 65535, 65536, 65537] {
      for euroAt in [count, max(0, count - 3), count / 2, 0] where euroAt + 3 <= count || euroAt == count {
        var payload = (0..<count).map { UInt8(97 + $0 % 26) }
        if euroAt < count { payload.replaceSubrange(euroAt..<euroAt + 3, with: FrameReaderTests.euro) }
        let bytes = ClientFrame.frame(0x81, payload) + ClientFrame.text("z")
        let whole = frameEvents(of: [bytes])
        #expect(whole == ["text \(hex(payload))", "text 7a"])
        for size in [1, 3, 8, 13] where count < 200 {
          #expect(frameEvents(of: cut(bytes, at: stride(from: size, to: bytes.count, by: size))) == whole)
        }
        #expect(frameEvents(of: [bytes], room: 7) == whole)
      }
    }
  }

  @Test func knowsWhetherAMessageIsUnderWay() {
    var reader = FrameReader()
    var events = FrameEvents(room: 100)
    #expect(!reader.isInsideMessage)
    for (index, byte)
      in (ClientFrame.text("ab", isFinal: false) + ClientFrame.frame(0x89) + ClientFrame.frame(0x80)
      + ClientFrame.frame(0x89, [1])).enumerated()
    {
      events.read([byte], with: &reader)
      // The message ends with the 20th byte; the ping behind it with the 27th.
      #expect(reader.isInsideMessage == ![19, 26].contains(index), "\(index)")
    }
    #expect(events.lines == ["part 6162", "ping ", "text ", "ping 01"])
  }
}

@Suite struct FrameWriterTests {
  @Test(
    arguments: [
      (0, [0x81, 0]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]), (65535, [0x81, 126, 255, 255]),
      (65536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]), (1 << 32, [0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0]),
    ] as [(Int, [UInt8])])
  func headsOfText(count: Int, expected: [UInt8]) {
    var room = [UInt8](repeating: 0xEE, count: FrameWriter.longestHead)
    let taken = room.withUnsafeMutableBytes { FrameWriter.textHead(of: count, into: $0) }
    #expect(Array(room[..<taken]) == expected)
  }

  @Test func control() {
    #expect(FrameWriter.ping([1, 2]) == [0x89, 2, 1, 2])
    #expect(FrameWriter.pong([]) == [0x8A, 0])
    #expect(FrameWriter.close(nil, reason: "not said") == [0x88, 0])
    #expect(FrameWriter.close(1001, reason: "go") == [0x88, 4, 3, 0xE9, 0x67, 0x6F])
  }

  /// A reason is cut at a character, so that it fits into a control frame.
  @Test(arguments: [
    (String(repeating: "a", count: 123), 123), (String(repeating: "a", count: 124), 123),
    (String(repeating: "€", count: 41), 123), (String(repeating: "a", count: 122) + "é", 122),
    (String(repeating: "a", count: 121) + "€", 121), (String(repeating: "a", count: 120) + "😀", 120),
    (String(repeating: "a", count: 121) + "éx", 123), (String(repeating: "a", count: 119) + "😀😀", 123),
  ])
  func reasons(reason: String, bytes: Int) {
    let frame = FrameWriter.close(1000, reason: reason)
    #expect(frame.count == bytes + 4 && Int(frame[1]) == bytes + 2)
    #expect(reason.utf8.starts(with: frame[4...]))
    var validator = UTF8Validator()
    let isText = frame[4...].withUnsafeBytes { validator.accepts($0) }
    #expect(isText && validator.isComplete)
  }
}
