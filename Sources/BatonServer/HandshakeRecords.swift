/// Counts the records that come in a handshake, without decrypting anything: so a thread is asked only when there is
/// something for it to do, and a handshake has an end.
struct HandshakeRecords {
  /// Bytes that have come.
  private(set) var bytes = 0
  /// Records that are here to their ends.
  private(set) var whole = 0
  /// Bytes of the present record's head that have come, and the length that they say.
  private var head = 0
  private var length = 0
  /// Bytes that the present record still needs.
  private var left = 0

  /// A handshake with long chains of certificates takes a tenth of this.
  private static let mostBytes = 64 << 10
  private static let mostRecords = 64
  private static let headSize = 5
  /// The most that a record may have, encrypted.
  private static let longest = 16640

  /// Whether a peer that still is not done has sent more than a handshake takes.
  var areTooMany: Bool { bytes > HandshakeRecords.mostBytes || whole > HandshakeRecords.mostRecords }

  /// Counts what has come. Returns whether a record came to its end, or can only be refused.
  mutating func take(_ news: UnsafeRawBufferPointer) -> Bool {
    bytes += news.count
    let before = whole
    var rest = news[...]
    while let next = rest.first {
      guard head == HandshakeRecords.headSize else {
        head += 1
        length = (length << 8 | Int(next)) & 0xFFFF
        rest = rest.dropFirst()
        if head == HandshakeRecords.headSize {
          left = length > HandshakeRecords.longest ? 0 : length
          endIfWhole()
        }
        continue
      }
      let part = min(left, rest.count)
      left -= part
      rest = rest.dropFirst(part)
      endIfWhole()
    }
    return whole > before
  }

  private mutating func endIfWhole() {
    guard left == 0 else { return }
    whole += 1
    head = 0
  }
}
