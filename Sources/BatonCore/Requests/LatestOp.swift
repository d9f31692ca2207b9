/// The latest op and its spelling. The op of the next line is often the same. To compare one word costs a tenth
/// of the search among twenty ops.
///
/// With mixed peers: 13,503 instead of 13,634 instructions a request; chain of three: 6,228 instead of 6,302 a message
/// (`Benchmarks/compare --instructions`).
struct LatestOp {
  private var key = MemberKey(word: 0, count: 1)
  private var op = Op.ping

  /// The op that the text `value` of the line names; nil if there is no such op. A line feed must follow the line in
  /// memory.
  @inline(__always)
  mutating func read(_ value: MemberValue, in line: UnsafeRawBufferPointer) -> Op? {
    guard let base = line.baseAddress,
      let key = UncheckedBytes(line, at: base).key(from: Int(value.start) &+ 1, to: Int(value.end) &- 1)
    else { return nil }
    return key == self.key ? op : remember(key, value, in: line)
  }

  @inline(never)
  private mutating func remember(_ key: MemberKey, _ value: MemberValue, in line: UnsafeRawBufferPointer) -> Op? {
    guard let op = Op(value.rawText(in: line)) else { return nil }
    self.key = key
    self.op = op
    return op
  }
}
