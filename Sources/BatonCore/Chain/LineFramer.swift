/// What one connection has sent of a line that is not finished. Lines that come in whole never get here: they are read
/// where they lie in the caller's buffer.
struct LineFramer: ~Copyable {
  /// The beginning of a line, without an LF.
  var pending = OwnedBytes()
  /// When its first byte came.
  var began = Instant(microseconds: 0)
  /// Whether a byte that is not white space has come: the first tells what the peer speaks (contract, section 2).
  var hasSpoken = false

  /// Lines of nothing but JSON white space, and comments, are ignored.
  static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let first = line.first else { return true }
    if first == UInt8(ascii: "{") { return false }
    return first == UInt8(ascii: "#") || line.allSatisfy(isSpace)
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
