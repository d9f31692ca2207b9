/// The checked counterpart of `UncheckedBytes`. It reads each byte alone, and traps if the byte is outside of the line.
struct CheckedBytes: ByteSource {
  let line: UnsafeRawBufferPointer
  private let hasReturn: UnsafeMutablePointer<Bool>?

  init(_ line: UnsafeRawBufferPointer, noting hasReturn: UnsafeMutablePointer<Bool>? = nil) {
    self.line = line
    self.hasReturn = hasReturn
  }

  func noteReturn() { hasReturn?.pointee = true }

  /// The byte at `offset`. The line feed after the line is not read: its value is known. So the line may end where its
  /// memory ends.
  subscript(offset: Int) -> UInt8 {
    if offset == line.count { return UInt8(ascii: "\n") }
    precondition(offset >= 0 && offset < line.count, "read outside of the line")
    return line[offset]
  }

  func endOfPlainText(from start: Int) -> Int {
    var offset = start
    while true {
      let byte = self[offset]
      guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return offset }
      offset += 1
    }
  }

  func endOfText(from start: Int) -> Int { start }
  func endOfValue(from start: Int, most: Int, open: UInt64) -> Int { 0 }

  func key(from start: Int, to end: Int) -> MemberKey? {
    MemberKey((start..<end).lazy.map { self[$0] })
  }

  func words(at start: Int) -> (low: UInt64, high: UInt64)? {
    guard start + 16 <= count + 1 else { return nil }
    func word(at start: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(self[start + $1]) << UInt64($1 * 8) } }
    return (word(at: start), word(at: start + 8))
  }

  func hasWord(_ word: UInt32, at start: Int) -> Bool {
    (0..<4).allSatisfy { index in
      start + index < line.count && self[start + index] == UInt8(truncatingIfNeeded: word >> UInt32(index * 8))
    }
  }

  /// What `body` finds from the first byte of the line on, if it reads nothing at or behind the offset that it gets.
  func skip(to end: Int, _ body: (UnsafePointer<UInt8>, Int) -> Int) -> Int {
    guard let base = line.baseAddress else { return end }
    return body(base.assumingMemoryBound(to: UInt8.self), min(end, line.count))
  }
}
