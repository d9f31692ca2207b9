internal import CScan

/// What nearly every line from a handler looks like: `{"op":"continue","id":17}` or the same with `handled`, byte for
/// byte, as client libraries write them. Anything else is none, and is for the scanner to judge.
///
/// It is here for its cost: a third of what the router did for a hop, 640 of 2,400 instructions, was finding out that
/// these 25 bytes are JSON.
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
    var at = start
    var number = 0
    while at < end {
      let digit = line[at] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number &* 10 &+ Int(digit)
      at &+= 1
    }
    self.number = number
    id = MemberValue(from: start, to: end, kind: .integer)
  }

  /// The op's own text in the line.
  var opText: MemberValue { MemberValue(from: 6, to: Int(id.start) - 6, kind: .text) }

  @inline(__always)
  private static func begins(_ line: UnsafeRawBufferPointer, with text: StaticString) -> Bool {
    guard line.count > text.utf8CodeUnitCount, let base = line.baseAddress else { return false }
    return cscan_equal(base, text.utf8Start, text.utf8CodeUnitCount)
  }
}
