internal import CScan

/// The fast source. It reads without a look at the line's length, because the line feed after the line ends each loop.
struct UncheckedBytes: ByteSource {
  private let base: UnsafePointer<UInt8>
  let count: Int
  /// Becomes true at a CR between two tokens; nil if nobody wants to know.
  private let hasReturn: UnsafeMutablePointer<Bool>?

  /// The byte after `line` must be readable and a line feed. `base` is the address of the line's first byte.
  @inline(__always)
  init(_ line: UnsafeRawBufferPointer, at base: UnsafeRawPointer, noting hasReturn: UnsafeMutablePointer<Bool>? = nil) {
    self.base = base.assumingMemoryBound(to: UInt8.self)
    count = line.count
    self.hasReturn = hasReturn
  }

  @inline(__always)
  var line: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  @inline(__always)
  subscript(offset: Int) -> UInt8 { base[offset] }

  @inline(__always)
  func endOfPlainText(from start: Int) -> Int {
    cscan_plain_text_end(base, start, count &+ 1)
  }

  func endOfText(from start: Int) -> Int { cscan_text(base, start, count) }

  func endOfValue(from start: Int, most: Int, open: UInt64) -> Int {
    cscan_value(base, start, count, Int32(truncatingIfNeeded: most), open)
  }

  /// Loads a whole word if it lies within the line and its line feed. Only the last few bytes of a line do not.
  @inline(__always)
  func key(from start: Int, to end: Int) -> MemberKey? {
    let count = end &- start
    if count &- 1 < 8, count > 0, start &+ 8 <= self.count &+ 1 {
      let word = UnsafeRawPointer(base + start).loadUnaligned(as: UInt64.self)
      return MemberKey(word: UInt64(littleEndian: word), count: count)
    }
    return longKey(from: start, to: end)
  }

  @inline(never)
  private func longKey(from start: Int, to end: Int) -> MemberKey? {
    MemberKey(UnsafeBufferPointer(start: base + start, count: end &- start))
  }

  @inline(__always)
  func words(at start: Int) -> (low: UInt64, high: UInt64)? {
    guard start &+ 16 <= count &+ 1 else { return nil }
    let bytes = UnsafeRawPointer(base + start)
    return (
      UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
  }

  @inline(__always)
  func hasWord(_ word: UInt32, at start: Int) -> Bool {
    guard start &+ 4 <= count else { return false }
    return UInt32(littleEndian: UnsafeRawPointer(base + start).loadUnaligned(as: UInt32.self)) == word
  }

  func noteReturn() { hasReturn?.pointee = true }
}
