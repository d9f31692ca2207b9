/// Reads the frames of one client (RFC 6455): text messages, in frames and pieces of any length, and what controls the
/// connection. The events do not depend on how the bytes were cut, but for the lengths of pieces of text.
///
/// It keeps at most 14 bytes of a head and 125 of a control frame.
public struct FrameReader: Sendable {
  /// What the bytes say.
  public enum Event: Equatable, Sendable {
    /// All bytes were read.
    case needsMore
    /// So many bytes of a text message, unmasked, stand at the start of the room. The message may go on within a
    /// character, and it may end with a piece of no bytes.
    case text(count: Int, endsMessage: Bool)
    /// To be answered by a pong with the same payload.
    case ping([UInt8])
    case pong
    /// The peer closes, with this code or with none. `reply` is the code to answer: its own, 1000 for none, and 1002 or
    /// 1007 for a close that is not right. Nothing follows.
    case close(code: UInt16?, reply: UInt16)
    /// The connection must be closed with this code; the words are for people. Nothing follows.
    case fault(CloseCode, String)
  }

  private enum State { case head, text, control, fault, closed }

  private var state = State.head
  private var head = FrameHead()
  /// Bytes of the payload that have not come, and the mask of the next ones: its lowest byte first.
  private var missing = 0
  private var mask: UInt32 = 0
  private var control: [UInt8] = []
  private var isInsideText = false
  private var validator = UTF8Validator()

  /// A reader before the first byte.
  public init() {}

  /// Whether a message or a frame has begun, and not ended.
  public var isInsideMessage: Bool {
    state != .closed && (isInsideText || state != .head || head.count > 0)
  }

  /// Reads on in `bytes` from `position`, and moves it. Returns with each event: call it until it needs more. An event
  /// has at most `room.count` bytes of text; the room has at least one byte.
  public mutating func next(
    in bytes: UnsafeRawBufferPointer, at position: inout Int, into room: UnsafeMutableRawBufferPointer
  ) -> Event {
    while true {
      switch state {
      case .head:
        if let event = readHead(bytes.bytes, at: &position) { return event }
      case .text:
        if let event = readText(bytes, at: &position, into: room) { return event }
      case .control:
        guard readControl(bytes.bytes, at: &position) else { return .needsMore }
        return controlEvent()
      case .fault:
        return fault(.badText, "the text of a message is not UTF-8", &position, bytes.count)
      case .closed:
        position = bytes.count
        return .needsMore
      }
    }
  }

  /// Reads the head of a frame. Nil if it has changed the state.
  @inline(__always)
  private mutating func readHead(_ bytes: RawSpan, at position: inout Int) -> Event? {
    while position < bytes.byteCount {
      let isWhole: Bool
      do {
        isWhole = try head.read(bytes, at: &position, isInsideText: isInsideText)
      } catch {
        return fault(error.code, error.message, &position, bytes.byteCount)
      }
      if !isWhole { return .needsMore }
      (missing, mask) = (head.length, head.mask)
      let (opcode, isFinal) = (head.opcode, head.isFinal)
      head.count = 0
      if opcode.rawValue >= Opcode.close.rawValue {
        state = .control
        return nil
      }
      isInsideText = true
      if missing > 0 {
        state = .text
        return nil
      }
      if isFinal { return textEnds(after: 0) }
    }
    return .needsMore
  }

  /// Reads a piece of text. Nil if it has changed the state.
  @inline(__always)
  private mutating func readText(
    _ bytes: UnsafeRawBufferPointer, at position: inout Int, into room: UnsafeMutableRawBufferPointer
  ) -> Event? {
    precondition(room.count > 0, "the room for text has at least one byte")
    let count = min(missing, room.count, bytes.count - position)
    guard count > 0 else { return .needsMore }
    let isASCII = Unmasking.copy(
      UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]), mask: mask, to: room)
    position += count
    missing -= count
    // The mask goes on where it was.
    let turned = UInt32(truncatingIfNeeded: count & 3) * 8
    mask = mask >> turned | mask << ((32 - turned) & 31)
    if !(isASCII && validator.isComplete),
      let bad = validator.firstBad(0..<count, in: UnsafeRawBufferPointer(room).bytes)
    {
      state = .fault
      // What stands before it is told, as if it had come alone.
      return bad > 0 ? .text(count: bad, endsMessage: false) : nil
    }
    if missing > 0 { return .text(count: count, endsMessage: false) }
    state = .head
    return head.isFinal ? textEnds(after: count) : .text(count: count, endsMessage: false)
  }

  /// The end of a text message, whose last bytes are `count`. Nil if it ends within a character, and nothing is to be
  /// told before.
  private mutating func textEnds(after count: Int) -> Event? {
    guard validator.isComplete else {
      state = .fault
      return count > 0 ? .text(count: count, endsMessage: false) : nil
    }
    isInsideText = false
    return .text(count: count, endsMessage: true)
  }

  private mutating func fault(_ code: CloseCode, _ message: String, _ position: inout Int, _ end: Int) -> Event {
    state = .closed
    position = end
    return .fault(code, message)
  }
}

/// Frames that control the connection.
extension FrameReader {
  /// Whether the payload is whole.
  private mutating func readControl(_ bytes: RawSpan, at position: inout Int) -> Bool {
    let start = position
    position += min(missing, bytes.byteCount - position)
    missing -= position - start
    for offset in start..<position {
      control.append(bytes[offset] ^ UInt8(truncatingIfNeeded: mask))
      mask = mask >> 8 | mask << 24
    }
    return missing == 0
  }

  private mutating func controlEvent() -> Event {
    let payload = control
    control = []
    state = .head
    switch head.opcode {
    case .ping: return .ping(payload)
    case .close:
      state = .closed
      return FrameReader.close(payload)
    default: return .pong
    }
  }

  private static func close(_ payload: [UInt8]) -> Event {
    if payload.isEmpty { return .close(code: nil, reply: CloseCode.normal.rawValue) }
    guard payload.count >= 2 else { return .close(code: nil, reply: CloseCode.protocolError.rawValue) }
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    guard CloseCode.isAllowed(code) else { return .close(code: code, reply: CloseCode.protocolError.rawValue) }
    var validator = UTF8Validator()
    let isText = validator.firstBad(2..<payload.count, in: payload.span.bytes) == nil && validator.isComplete
    return .close(code: code, reply: isText ? code : CloseCode.badText.rawValue)
  }
}
