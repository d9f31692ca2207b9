/// The op that was read last, and its spelling: the next line's is most likely the same, and comparing one word costs a
/// tenth of finding out which of twenty it is.
struct LatestOp {
  private var key = MemberKey(word: 0, count: 1)
  private var op = Op.ping

  /// The op that a text of the line is; behind the line stands its line feed.
  @inline(__always)
  mutating func read(_ value: MemberValue, in line: UnsafeRawBufferPointer) -> Op? {
    let (start, count) = (Int(value.start) &+ 1, value.count &- 2)
    guard count > 0, count <= 8, start &+ 8 <= line.count &+ 1, let base = line.baseAddress else {
      return Op(value.rawText(in: line))
    }
    let word = base.loadUnaligned(fromByteOffset: start, as: UInt64.self)
    let key = MemberKey(word: UInt64(littleEndian: word), count: count)
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
