import FuzzKit
import Testing

@testable import BatonCore

/// A JSON value that stands alone is right exactly if it is right as a member of a line.
@Suite struct LoneValueTests {
  private static let seeds = [
    "1", " -0.5e3 ", "\"a\\u00e9\\n\"", "{\"a\":[1,{\"b\":null}],\"a\":true}", "[]", "[[[[1]]]]", "\t[ 1 , 2 ]\r",
    "nul", "{",
    "1,2", "1}", "\"", "", " ", "\"\\ud83d\\ude00\"", "[1,]", "{\"x\":1}{",
  ]

  /// The value of a line's payload, and whether the line has nothing else.
  private func asMember(_ text: [UInt8], maximumDepth: Int) -> Range<Int>? {
    let begin = Array("{\"payload\":".utf8)
    let line = begin + text + Array("}\n".utf8)
    var scanner = LineScanner(maximumDepth: maximumDepth)
    return line.withUnsafeBytes { bytes in
      guard scanner.scan(UnsafeRawBufferPointer(rebasing: bytes.dropLast())) == nil, !scanner.hasUnknown,
        scanner.repeated == 0, scanner.present == Member.payload.mask
      else { return nil }
      let value = scanner[.payload].range
      return value.lowerBound - begin.count..<value.upperBound - begin.count
    }
  }

  /// What is found in steps of `most` bytes, each of them in memory of its own.
  private func inSteps(_ text: [UInt8], _ most: Int, maximumDepth: Int) -> Result<MemberValue, ScanFault> {
    var reading = LoneValue.Reading(maximumDepth: maximumDepth)
    return Result { () throws(ScanFault) in
      while true {
        let step: Result<MemberValue?, ScanFault> = (text + [10]).withUnsafeBytes { bytes in
          Result { () throws(ScanFault) in
            try reading.goOn(in: UnsafeRawBufferPointer(rebasing: bytes.dropLast()), most)
          }
        }
        if let value = try step.get() { return value }
      }
    }
  }

  private func check(_ text: [UInt8], maximumDepth: Int = 128) -> Bool {
    let alone = (text + [10]).withUnsafeBytes {
      LoneValue.read(UnsafeRawBufferPointer(rebasing: $0.dropLast()), maximumDepth: maximumDepth)
    }
    let checked = text.withUnsafeBytes { LoneValue.readChecked($0, maximumDepth: maximumDepth) }
    let comment = Comment(rawValue: String(decoding: text, as: UTF8.self))
    #expect(alone == checked, comment)
    for most in [1, 5] { #expect(inSteps(text, most, maximumDepth: maximumDepth) == alone, comment) }
    let member = asMember(text, maximumDepth: maximumDepth)
    #expect((try? alone.get())?.range == member, comment)
    if case .failure(let fault) = alone { #expect((0...text.count).contains(fault.offset), comment) }
    return member != nil
  }

  @Test func whatIsRightAloneIsRightInALine() {
    var generator = SeededGenerator(seed: 4)
    let signs = Array("\"\\{}[],: 019-.eEtfn\n\r\tu".utf8) + [0x80, 0xC3, 0xFF, 0]
    var (right, wrong) = (0, 0)
    for round in 0..<20_000 {
      var text = Array(Self.seeds[round % Self.seeds.count].utf8)
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        let at = Int.random(in: 0...text.count, using: &generator)
        let sign = signs[Int.random(in: 0..<signs.count, using: &generator)]
        if at < text.count, Bool.random(using: &generator) { text[at] = sign } else { text.insert(sign, at: at) }
      }
      if check(text) { right += 1 } else { wrong += 1 }
    }
    #expect(right > 1000 && wrong > 1000)
  }

  @Test(arguments: [2, 3, 128]) func theDepthIsThatOfTheLine(depth: Int) {
    let nested = { (levels: Int) in
      [UInt8](repeating: UInt8(ascii: "["), count: levels) + [UInt8](repeating: UInt8(ascii: "]"), count: levels)
    }
    #expect(check(nested(depth - 1), maximumDepth: depth))
    #expect(!check(nested(depth), maximumDepth: depth))
  }

  @Test func aStepIsShort() throws {
    let text = Array("[\(String(repeating: "1,", count: 500))1]\n".utf8)
    var reading = LoneValue.Reading(maximumDepth: 2)
    var steps = 1
    try text.withUnsafeBytes { bytes in
      while try reading.goOn(in: UnsafeRawBufferPointer(rebasing: bytes.dropLast()), 100) == nil { steps += 1 }
    }
    #expect((10...11).contains(steps))
  }

  @Test func noMemoryIsNoValue() {
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(throws: ScanFault.self) { try LoneValue.read(empty, maximumDepth: 128).get() }
  }
}
