/// Writes the frames of a server, which have no masks.
public enum FrameWriter {
  /// The most bytes that `textHead` writes.
  public static let longestHead = 10

  /// Writes the head of a whole text message of `count` bytes into `room`, which has at least 10. How many it takes.
  public static func textHead(of count: Int, into room: UnsafeMutableRawBufferPointer) -> Int {
    room[0] = 0x80 | Opcode.text.rawValue
    switch count {
    case ..<126:
      room[1] = UInt8(count)
      return 2
    case ..<0x1_0000:
      room[1] = 126
      room.storeBytes(of: UInt16(count).bigEndian, toByteOffset: 2, as: UInt16.self)
      return 4
    default:
      room[1] = 127
      room.storeBytes(of: UInt64(count).bigEndian, toByteOffset: 2, as: UInt64.self)
      return 10
    }
  }

  /// A close. Without a code it has no reason either. A reason is cut at a character, to at most 123 bytes.
  public static func close(_ code: UInt16?, reason: String) -> [UInt8] {
    guard let code else { return control(.close, []) }
    let words = Array(reason.utf8)
    var end = min(words.count, 123)
    while end < words.count, words[end] & 0xC0 == 0x80 { end -= 1 }
    return control(.close, [UInt8(code >> 8), UInt8(code & 0xFF)] + words[..<end])
  }

  /// A ping; of its payload at most 125 bytes.
  public static func ping(_ payload: [UInt8]) -> [UInt8] { control(.ping, payload) }

  /// The answer to a ping, with its payload.
  public static func pong(_ payload: [UInt8]) -> [UInt8] { control(.pong, payload) }

  private static func control(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
    let payload = payload.prefix(125)
    return [0x80 | opcode.rawValue, UInt8(payload.count)] + payload
  }
}

/// What a frame is (RFC 6455, section 5.2).
enum Opcode: UInt8, Sendable {
  case continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10
}
