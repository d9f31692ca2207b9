internal import CScan

/// A verdict in the spelling of nearly all handlers: `{"op":"continue","id":17}`, or the same with `handled`, byte for
/// byte, as client libraries write it. A line with any other byte is not a plain verdict, and the scanner reads it.
///
/// With mixed peers: 13,503 instead of 14,156 instructions a request; chain of three: 6,228 instead of 7,959 a message
/// (`Benchmarks/compare --instructions`).
struct PlainVerdict {
  /// The op: `continue` or `handled`.
  let op: Op
  /// The range of the offer's id in the line, and the id itself.
  let id: MemberValue
  let number: Int

  /// The verdict in a line, which is given without its LF; nil if the line is anything else, or is spelled otherwise.
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
    // An id has no leading zero. The largest ids have nineteen digits and may overflow. The scanner reads such lines.
    guard end > start, end &- start <= 18, line[start] != UInt8(ascii: "0"), line[end] == UInt8(ascii: "}") else {
      return nil
    }
    guard let number = PlainVerdict.number(line, from: start, to: end) else { return nil }
    self.number = number
    id = MemberValue(from: start, to: end, kind: .integer)
  }

  /// The text of `op` in the line.
  var opText: MemberValue { MemberValue(from: 6, to: Int(id.start) - 6, kind: .text) }

  /// The number in the digits from `start` to `end`; nil if another byte is among them. At least eight bytes of the
  /// line are before `end`.
  @inline(__always)
  private static func number(_ line: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
    guard end &- start <= 8 else { return longNumber(line, from: start, to: end) }
    let zeros: UInt64 = 0x3030_3030_3030_3030
    // The digits are the highest bytes of the word. The bytes before them become zeros.
    let before: UInt64 = (1 &<< UInt64((8 &- (end &- start)) &* 8)) &- 1
    let word = UInt64(littleEndian: line.loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self))
    let text = (word & ~before) | (zeros & before)
    let digits = text &- zeros
    guard (digits | (text &+ 0x4646_4646_4646_4646)) & 0x8080_8080_8080_8080 == 0 else { return nil }
    // Pairs of digits, then groups of four, then all eight are added up side by side in one word.
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
