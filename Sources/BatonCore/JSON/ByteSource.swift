/// The bytes of one line, as the scanner reads them. A line feed follows the last byte. No rule of JSON accepts a line
/// feed inside a line, so each loop ends there without a comparison of offsets.
///
/// There are two sources. `UncheckedBytes` relies on the line feed. `CheckedBytes` traps if the scanner reads beyond
/// the line. Both serve the same scanner, and a fuzzer compares the results.
protocol ByteSource {
  /// The line without its line feed.
  var line: UnsafeRawBufferPointer { get }

  /// The byte at an offset in `0...line.count`.
  subscript(offset: Int) -> UInt8 { get }

  /// The offset, at or after `start`, of the first byte of a string that is not plain text: a quote, a backslash, a
  /// control character or a byte beyond ASCII. The line feed is such a byte.
  func endOfPlainText(from start: Int) -> Int

  /// An offset, at or after `start`, where a character of a string begins or the string ends: all before it is right in UTF-8,
  /// and nothing but text. `start` if the source does not look.
  func endOfText(from start: Int) -> Int

  /// The offset after the object or array of which `open` is open at `start`, where a value begins; 0 if it is not plainly
  /// right, or the source does not look. No more than `most` levels may be open (CScan.h).
  func endOfValue(from start: Int, most: Int, open: UInt64) -> Int

  /// The key of the bytes in `start..<end`; nil if they cannot be the name of a member.
  func key(from start: Int, to end: Int) -> MemberKey?

  /// The 16 bytes from `start` on, the first byte lowest; nil if the line and its line feed end before that.
  func words(at start: Int) -> (low: UInt64, high: UInt64)?

  /// Whether the four bytes at `start` are those of `word`, the first byte lowest.
  func hasWord(_ word: UInt32, at start: Int) -> Bool

  /// A CR stands between two tokens.
  func noteReturn()
}

extension ByteSource {
  /// The number of bytes in the line, which is the offset of its line feed.
  @inline(__always)
  var count: Int { line.count }
}
