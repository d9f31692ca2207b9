/// The bytes of one line as the scanner reads them. Behind the last byte stands a line feed, which no rule of JSON takes
/// inside a line, so that every loop ends there without a comparison of offsets.
///
/// There are two: `UncheckedBytes` believes that, `CheckedBytes` traps where the scanner would read further. Both run the
/// same scanner; a fuzzer compares what they find.
protocol ByteSource {
  /// The line without its line feed.
  var line: UnsafeRawBufferPointer { get }

  /// The byte at an offset in `0...line.count`.
  subscript(offset: Int) -> UInt8 { get }

  /// The offset, at or after `start`, of the first byte that cannot be skipped in a string: a quote, a backslash, a
  /// control character or one beyond ASCII. The line feed is such a byte.
  func endOfPlainText(from start: Int) -> Int

  /// The key of the bytes in `start..<end`, or nil where they cannot be a member's name.
  func key(from start: Int, to end: Int) -> MemberKey?

  /// The sixteen bytes from `start` on, the first one lowest; nil where the line and its line feed end before.
  func words(at start: Int) -> (low: UInt64, high: UInt64)?

  /// True if the four bytes at `start` are those of `word`, the first one lowest.
  func hasWord(_ word: UInt32, at start: Int) -> Bool
}

extension ByteSource {
  /// How many bytes the line has; the offset of its line feed.
  @inline(__always)
  var count: Int { line.count }
}
