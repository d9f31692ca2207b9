/// Escapes what must not stand in a JSON string as it is. A megabyte takes about a millisecond, whatever is in it: that
/// is one step of the server.
enum Escapes {
  /// The bytes of one call.
  static let piece = 512
  /// The most bytes that one byte becomes.
  static let most = 6

  /// Copies `text` to the start of `room`, with a backslash and what belongs to it in the place of `"`, `\` and control
  /// characters. `room` has `most` bytes for each of the text. Returns how many are filled.
  static func copy(_ text: UnsafeRawBufferPointer, to room: UnsafeMutableBufferPointer<UInt8>) -> Int {
    precondition(text.count * most <= room.count)
    guard let from = text.baseAddress, let to = room.baseAddress else { return 0 }
    var (at, filled) = (0, 0)
    while at < text.count {
      let isWord = at + 8 <= text.count
      if isWord, case let word = from.loadUnaligned(fromByteOffset: at, as: UInt64.self), isPlain(word) {
        UnsafeMutableRawPointer(to + filled).storeBytes(of: word, as: UInt64.self)
        at += 8
        filled += 8
        continue
      }
      let end = isWord ? at + 8 : text.count
      while at < end {
        filled += escape(from.load(fromByteOffset: at, as: UInt8.self), to + filled)
        at += 1
      }
    }
    return filled
  }

  /// Whether none of eight bytes has to be escaped. It may say no where none has to.
  @inline(__always)
  private static func isPlain(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    let low = (word &- ones &* 0x20) & ~word
    return (low | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & (ones &* 0x80) == 0
  }

  /// Writes one byte, escaped if it has to be. Without branches, but for the rare control characters: which bytes follow
  /// each other is the peer's choice.
  @inline(__always)
  private static func escape(_ byte: UInt8, _ to: UnsafeMutablePointer<UInt8>) -> Int {
    let isControl = byte < 0x20
    let isEscaped = isControl || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    let letter = isControl ? letters.utf8Start[Int(byte & 31)] : byte
    to[0] = UInt8(ascii: "\\")
    let before = isEscaped ? 1 : 0
    to[before] = letter
    guard isControl, letter == UInt8(ascii: "u") else { return before + 1 }
    let low = byte & 15
    to[2] = UInt8(ascii: "0")
    to[3] = UInt8(ascii: "0")
    to[4] = byte >> 4 + UInt8(ascii: "0")
    to[5] = low < 10 ? low + UInt8(ascii: "0") : low - 10 + UInt8(ascii: "a")
    return most
  }

  /// What stands behind the backslash for each control character.
  private static let letters: StaticString = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu"
}
