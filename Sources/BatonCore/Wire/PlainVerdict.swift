internal import CScan

/// What nearly every line from a handler looks like: `{"op":"continue","id":17}` or the same with `handled`, byte for
/// byte, as client libraries write them. Anything else is none, and is for the scanner to judge.
///
/// With mixed peers: 13,503 instead of 14,156 instructions a request; chain of three: 6,228 instead of 7,959 a message
/// (`Benchmarks/compare --instructions`).
struct PlainVerdict {
  let op: Op
  /// Where the offer's id stands, and what it is.
  let id: MemberValue
  let number: Int

  /// The verdict that the line, its LF aside, is; nil where it is anything else, or spelled otherwise.
  @inline(__always)
  init?(_ line: UnsafeRawBufferPointer) {
    let start: Int
    if PlainVerdict.begins(line, with: "{\"op\":\"continue\",\"id\":") {
      (op, start) = (.continue, 22)
    } else if PlainVerdict.begins(line, with: "{\"op\":\"handled\",\"id\":") {
      (op, start) = (.handled, 21)
    } else {
      return nil
    }
    let end = line.count &- 1
    // Ids have no leading zero, and the longest that there is has nineteen digits: leave that to those who count.
    guard end > start, end &- start <= 18, line[start] != UInt8(ascii: "0"), line[end] == UInt8(ascii: "}") else {
      return nil
    }
    guard let number = PlainVerdict.number(line, from: start, to: end) else { return nil }
    self.number = number
    id = MemberValue(from: start, to: end, kind: .integer)
  }

  /// The op's own text in the line.
  var opText: MemberValue { MemberValue(from: 6, to: Int(id.start) - 6, kind: .text) }

  /// The number that the bytes spell, of which at least eight stand before `end`; nil where they are no digits.
  @inline(__always)
  private static func number(_ line: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
    guard end &- start <= 8 else { return longNumber(line, from: start, to: end) }
    let zeros: UInt64 = 0x3030_3030_3030_3030
    // Its digits stand in the highest bytes; what stands before them becomes zeros.
    let before: UInt64 = (1 &<< UInt64((8 &- (end &- start)) &* 8)) &- 1
    let word = UInt64(littleEndian: line.loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self))
    let text = (word & ~before) | (zeros & before)
    let digits = text &- zeros
    guard (digits | (text &+ 0x4646_4646_4646_4646)) & 0x8080_8080_8080_8080 == 0 else { return nil }
    // Pairs, then fours, then all eight: side by side in one word.
    let pairs = digits &* 10 &+ digits >> 8
    let high = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let low = (pairs >> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return Int(truncatingIfNeeded: (high &+ low) >> 32)
  }

  @inline(never)
  private static func longNumber(_ line: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
    guard line[start..<end].allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    return MemberValue(from: start, to: end, kind: .integer).integer(in: line).map(Int.init)
  }

  @inline(__always)
  private static func begins(_ line: UnsafeRawBufferPointer, with text: StaticString) -> Bool {
    guard line.count > text.utf8CodeUnitCount, let base = line.baseAddress else { return false }
    return cscan_equal(base, text.utf8Start, text.utf8CodeUnitCount)
  }
}
