/// The op that was read last, and its spelling. The next line's op is often the same, and comparing one word costs a tenth
/// of finding out which of twenty it is.
///
/// With mixed peers: 13,503 instead of 13,634 instructions a request; chain of three: 6,228 instead of 6,302 a message
/// (`Benchmarks/compare --instructions`).
struct LatestOp {
  private var key = MemberKey(word: 0, count: 1)
  private var op = Op.ping

  /// The op that a text of the line is; behind the line stands its line feed.
  @inline(__always)
  mutating func read(_ value: MemberValue, in line: UnsafeRawBufferPointer) -> Op? {
    guard let base = line.baseAddress,
      let key = UncheckedBytes(line, at: base).key(from: Int(value.start) &+ 1, to: Int(value.end) &- 1)
    else { return nil }
    return key == self.key ? op : remember(key, value.rawText(in: line))
  }

  @inline(never)
  private mutating func remember(_ key: MemberKey, _ text: UnsafeRawBufferPointer) -> Op? {
    guard let op = Op(text) else { return nil }
    self.key = key
    self.op = op
    return op
  }
}
