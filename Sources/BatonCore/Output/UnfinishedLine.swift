/// The beginning of a line whose end has not come yet, for one connection. A line that comes whole is never here: the
/// server reads it in the caller's buffer.
struct UnfinishedLine: ~Copyable {
  /// The bytes of the line so far. There is no LF among them.
  var pending = OwnedBytes()
  /// When the first byte of the line came.
  var began = Instant(microseconds: 0)
  /// Whether a byte other than white space has come. The first such byte shows which protocol the peer speaks
  /// (contract, section 2).
  private(set) var hasSpoken = false

  mutating func noteSpoken() { hasSpoken = true }
}
