import Testing

@testable import BatonCore

/// Numbers whose digits are kept from one write to the next.
@Suite struct SpelledNumberTests {
  @Test func areWrittenAsAnyOther() {
    var kept = SpelledNumber()
    var numbers = [0, 0, 1, 7, 8, 9, 10, 11, 5, -1, 0, .max, .min, 3]
    var power = 1
    for _ in 0..<18 {
      power *= 10
      numbers += (-3...12).map { power + $0 } + [power - 2, power - 2]
    }
    for number in numbers {
      var memory = [UInt8](repeating: 0, count: 20 + LineWriter.slack)
      let count = memory.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return 0 }
        var writer = LineWriter(at: base, room: 20)
        kept.write(number, to: &writer)
        return writer.cursor - base
      }
      #expect(String(decoding: memory[..<count], as: UTF8.self) == "\(number)")
    }
  }
}
