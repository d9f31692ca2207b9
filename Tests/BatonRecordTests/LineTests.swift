import BatonCore
import Testing

@testable import BatonRecord

/// Lines are JSON in ASCII, and times are in UTC (Docs/record.md, "What is written").
@Suite struct LineTests {
  @Test func nothingActsInALine() {
    var line = LineText()
    line.text("", "a\r\n\u{2028}\u{1B}[31m\"\\é😀\u{7F}")
    #expect(
      String(decoding: line.bytes, as: UTF8.self) == #""a\u000d\u000a\u2028\u001b[31m\"\\\u00e9\ud83d\ude00\u007f""#)
    line.removeAll()
    line.json("", Array("{\"a\":\"é\\n\",\t\"b\":1}".utf8)[...])
    #expect(String(decoding: line.bytes, as: UTF8.self) == #"{"a":"\u00e9\n", "b":1}"#)
  }

  @Test(arguments: [
    (0 as Int64, "1970-01-01T00:00:00.000Z"), (1_709_210_096_123, "2024-02-29T12:34:56.123Z"),
    (4_102_444_799_999, "2099-12-31T23:59:59.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
  ])
  func timesAreSpelled(wall: Int64, text: String) {
    var time = LineTime()
    #expect(time.text(wall) == text)
  }

  @Test func aChainOfLines() throws {
    var maker = LineMaker(
      after: 0, Digests.zeros, start: "s", RecordOptions(), salt: { Array(repeating: 7, count: 16) })
    maker.addStart(version: "1", before: nil, isClean: true, torn: 0, isAnew: false, at: 0)
    maker.add(.missed(3, ago: 1_000_000), at: 5000)
    maker.addHead(nil, at: 6000)
    let lines = maker.chain.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 3)
    var previous = Digests.zeros
    for (number, line) in lines.enumerated() {
      let padded = Array(line) + [10]
      let read = padded.withUnsafeBytes { RecordLine(UnsafeRawBufferPointer(rebasing: $0.dropLast()), isChain: true) }
      let one = try #require(read)
      #expect(one.n == number + 1)
      #expect(Array(one.previous.utf8) == previous)
      previous = one.hash
    }
    #expect(
      String(decoding: lines[1], as: UTF8.self).hasSuffix(
        #""kind":"missed","count":3,"since":"1970-01-01T00:00:04.000Z"}"#))
  }

  @Test(arguments: [
    #"{"n":1,"previous":"x","at":"","kind":""}"#, #"{"previous":"","n":1,"at":"","kind":""}"#, "[]", "{}", #"{"n":0}"#,
  ])
  func whatIsNoLineIsNone(text: String) {
    let bytes = Array(text.utf8) + [10]
    #expect(bytes.withUnsafeBytes { RecordLine(UnsafeRawBufferPointer(rebasing: $0.dropLast()), isChain: true) } == nil)
  }

  @Test func aMemberTwiceIsNone() {
    let zeros = String(repeating: "0", count: 64)
    for end in ["", #","kin\u0064":"x""#, #","x":1,"x":2"#] {
      let bytes = Array("{\"n\":1,\"previous\":\"\(zeros)\",\"at\":\"\",\"kind\":\"end\"\(end)}\n".utf8)
      let line = bytes.withUnsafeBytes { RecordLine(UnsafeRawBufferPointer(rebasing: $0.dropLast()), isChain: true) }
      #expect((line != nil) == end.isEmpty)
    }
  }
}
