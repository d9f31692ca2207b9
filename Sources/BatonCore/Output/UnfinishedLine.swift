/// What one connection has sent of a line that is not finished. Lines that come in whole never get here: they are read
/// where they lie in the caller's buffer.
struct UnfinishedLine: ~Copyable {
  /// The beginning of a line, without an LF.
  var pending = OwnedBytes()
  /// When its first byte came.
  var began = Instant(microseconds: 0)
  /// Whether a byte that is not white space has come: the first tells what the peer speaks (contract, section 2).
  var hasSpoken = false
}
