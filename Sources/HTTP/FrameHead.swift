/// The head of a client's frame: 6 to 14 bytes, which may come one by one.
struct FrameHead: Sendable {
  /// What is wrong with it.
  struct Fault: Error {
    var code = CloseCode.protocolError
    var message: String
  }

  /// Bytes that have come.
  var count = 0
  private(set) var opcode = Opcode.continuation
  private(set) var isFinal = false
  /// Bytes of the payload.
  private(set) var length = 0
  /// Its first byte is the lowest.
  private(set) var mask: UInt32 = 0
  /// Bytes of an extended length: 0, 2 or 8.
  private var lengthCount = 0

  /// Reads on. Whether the head is whole. Throws with the byte that makes it wrong.
  ///
  /// - Parameter isInsideText: whether a text message has begun and not ended.
  @inline(__always)
  mutating func read(_ bytes: RawSpan, at position: inout Int, isInsideText: Bool) throws(Fault) -> Bool {
    // A short frame that is there whole.
    if count == 0, bytes.byteCount - position >= 8 {
      let word = bytes.word(at: position)
      if UInt8(truncatingIfNeeded: word >> 8) & 0x7F < 126 {
        try begin(UInt8(truncatingIfNeeded: word), isInsideText: isInsideText)
        try takeLength(UInt8(truncatingIfNeeded: word >> 8))
        mask = UInt32(truncatingIfNeeded: word >> 16)
        position += 6
        return true
      }
    }
    return try readByByte(bytes, at: &position, isInsideText: isInsideText)
  }

  private mutating func readByByte(
    _ bytes: RawSpan, at position: inout Int, isInsideText: Bool
  ) throws(Fault) -> Bool {
    while position < bytes.byteCount {
      let byte = bytes[position]
      position += 1
      count += 1
      switch count {
      case 1: try begin(byte, isInsideText: isInsideText)
      case 2: try takeLength(byte)
      case ...(2 + lengthCount): try takeExtended(byte)
      default:
        mask = mask >> 8 | UInt32(byte) << 24
        if count == 6 + lengthCount { return true }
      }
    }
    return false
  }

  @inline(__always)
  private mutating func begin(_ byte: UInt8, isInsideText: Bool) throws(Fault) {
    if byte & 0x70 != 0 { throw Fault(message: "a frame has reserved bits set; no extension is used here") }
    guard let opcode = Opcode(rawValue: byte & 0x0F) else { throw Fault(message: "a frame has a reserved opcode") }
    isFinal = byte & 0x80 != 0
    self.opcode = opcode
    switch opcode {
    case .continuation where !isInsideText: throw Fault(message: "a continuation without a message that it continues")
    case .text where isInsideText, .binary where isInsideText:
      throw Fault(message: "a message begins within another one")
    case .binary: throw Fault(code: .notText, message: "messages must be text, not binary")
    case .close, .ping, .pong:
      if !isFinal { throw Fault(message: "a control frame comes in fragments") }
    default: break
    }
  }

  @inline(__always)
  private mutating func takeLength(_ byte: UInt8) throws(Fault) {
    if byte & 0x80 == 0 { throw Fault(message: "a frame of a client has no mask") }
    let short = byte & 0x7F
    if short > 125, opcode.rawValue >= Opcode.close.rawValue {
      throw Fault(message: "a control frame is longer than 125 bytes")
    }
    lengthCount = short == 126 ? 2 : short == 127 ? 8 : 0
    length = lengthCount == 0 ? Int(short) : 0
  }

  private mutating func takeExtended(_ byte: UInt8) throws(Fault) {
    if count == 3, lengthCount == 8, byte >= 0x80 {
      throw Fault(message: "the length of a frame has its first bit set")
    }
    length = length << 8 | Int(byte)
    let isWhole = count == 2 + lengthCount
    if isWhole, length < (lengthCount == 2 ? 126 : 0x1_0000) {
      throw Fault(message: "the length of a frame takes more bytes than it needs")
    }
  }
}
