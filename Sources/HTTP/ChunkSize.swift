/// The line before a chunk: its size in hexadecimal digits, and extensions, which mean nothing here
/// (RFC 9112, section 7.1). It comes byte by byte and keeps none of them.
struct ChunkSize: Sendable {
  private enum Place {
    case digits, beforeName, name, beforeValue, token, quoted, escaped, afterQuoted, lineFeed
  }

  /// The size so far, in bytes.
  private(set) var value = 0
  private var place = Place.digits
  /// Digits of the size.
  private var count = 0

  /// Reads on. Whether the line has ended.
  ///
  /// - Parameters:
  ///   - extensions: bytes of extensions in this request so far.
  ///   - most: how many there may be.
  mutating func read(
    _ bytes: RawSpan, at position: inout Int, extensions: inout Int, most: Int
  ) throws(RequestFault) -> Bool {
    while position < bytes.byteCount {
      let byte = bytes[position]
      position += 1
      if place == .lineFeed {
        guard byte == 0x0A else { throw RequestFault("a CR without its LF stands behind the size of a chunk") }
        return true
      }
      if place == .digits, let digit = hexValue(byte) {
        count += 1
        // Fifteen digits are less than 2⁶⁰.
        if count > 15 { throw RequestFault("the size of a chunk has more than 15 digits") }
        value = value << 4 | Int(digit)
        continue
      }
      if place != .digits {
        extensions += 1
        if extensions > most { throw RequestFault("the extensions of chunks take more than \(most) bytes") }
      }
      guard let next = following(byte) else {
        throw RequestFault("the size of a chunk is not hexadecimal digits, with CR LF or ;NAME=VALUE behind it")
      }
      place = next
    }
    return false
  }

  /// What comes behind a byte; nil if it must not stand here.
  private func following(_ byte: UInt8) -> Place? {
    switch place {
    case .digits: count > 0 ? end(byte) : nil
    case .beforeName: isTokenByte(byte) ? .name : nil
    case .name: isTokenByte(byte) ? .name : byte == UInt8(ascii: "=") ? .beforeValue : end(byte)
    case .beforeValue: byte == UInt8(ascii: "\"") ? .quoted : isTokenByte(byte) ? .token : nil
    case .token: isTokenByte(byte) ? .token : end(byte)
    case .quoted:
      switch byte {
      case UInt8(ascii: "\""): .afterQuoted
      case UInt8(ascii: "\\"): .escaped
      case 0x09, 0x20...0x7E: .quoted
      default: nil
      }
    case .escaped: byte == 0x09 || 0x20...0x7E ~= byte ? .quoted : nil
    case .afterQuoted: end(byte)
    case .lineFeed: nil
    }
  }

  private func end(_ byte: UInt8) -> Place? {
    byte == 0x0D ? .lineFeed : byte == UInt8(ascii: ";") ? .beforeName : nil
  }
}
