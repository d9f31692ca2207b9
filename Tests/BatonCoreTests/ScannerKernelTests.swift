import CScan
import FuzzKit
import Testing

/// The C kernels that skip plain text: each form is compared with the simplest one.
@Suite struct ScannerKernelTests {
  /// Each length, and each place of a byte at which they stop, around the sizes of the blocks. The memory ends with the
  /// line.
  @Test(arguments: [0x00, 0x1F, 0x22, 0x5C, 0x80, 0xC3, 0xFF] as [UInt8])
  func stopsAtTheFirstByteThatIsNotPlain(_ stop: UInt8) throws {
    let memory = GuardedLine()
    for length in Array(0...40) + [63, 64, 65, 79, 80, 81, 127, 128, 129, 143, 144, 145, 200] {
      for place in 0...length {
        var line = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        if place < length { line[place] = stop }
        try memory.with(line) { bytes in
          let base = try #require(bytes.baseAddress).assumingMemoryBound(to: UInt8.self)
          for start in Set([0, 1, place / 2, max(0, place - 1), place]) where start <= place {
            #expect(cscan_plain_text_end(base, start, length + 1) == place)
            #expect(cscan_plain_text_end_portable(base, start, length + 1) == place)
            #expect(cscan_plain_text_end_bytewise(base, start) == place)
          }
        }
      }
    }
  }

  @Test func eachByteIsPlainOrNot() throws {
    let memory = GuardedLine()
    for byte in UInt8.min...UInt8.max {
      let plain = byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      for length in [1, 9, 17, 70] {
        try memory.with([UInt8](repeating: byte, count: length)) { bytes in
          let base = try #require(bytes.baseAddress).assumingMemoryBound(to: UInt8.self)
          #expect(cscan_plain_text_end(base, 0, length + 1) == (plain ? length : 0))
          #expect(cscan_plain_text_end_portable(base, 0, length + 1) == (plain ? length : 0))
        }
      }
    }
  }

  /// Each byte at each place, in topics around the size of a block. The memory ends with the line.
  @Test func aTopicIsPlainOrNot() throws {
    let memory = GuardedLine()
    var wrong: [[UInt8]] = []
    for length in [1, 2, 3, 8, 15, 16, 17, 18, 31, 32, 33, 40] {
      for place in 0..<length {
        for byte in UInt8.min...UInt8.max {
          var topic = [UInt8](repeating: UInt8(ascii: "a"), count: length)
          topic[place] = byte
          for dot in [1, 15, 17, 30] where dot + 1 < length && dot != place { topic[dot] = UInt8(ascii: ".") }
          let text = String(decoding: topic, as: UTF8.self)
          let signs = topic.allSatisfy {
            $0 < 128 && (Unicode.Scalar($0).properties.isAlphabetic || "0123456789-_.".utf8.contains($0))
          }
          let isPlain = signs && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
          let beyond = [UInt8](repeating: UInt8(ascii: "\""), count: (16 - length % 16) % 16)
          try memory.with(topic + beyond) { bytes in
            let base = try #require(bytes.baseAddress).assumingMemoryBound(to: UInt8.self)
            let found = [cscan_plain_topic_bytewise(base, length), cscan_plain_topic(base, length)]
            if found != [isPlain, isPlain] { wrong.append(topic) }
          }
        }
      }
    }
    #expect(wrong == [])
  }
}
