public import HTTP

/// The events of frames that come in pieces, as lines. However the bytes are cut, the lines must be the same.
///
/// - Parameter room: how many bytes of text an event may have.
public func frameEvents(of pieces: [[UInt8]], room: Int = 65536) -> [String] {
  var reader = FrameReader()
  var events = FrameEvents(room: room)
  for piece in pieces { events.read(piece, with: &reader) }
  return events.lines
}

/// Collects the events of a reader of frames.
public struct FrameEvents {
  /// An event each; text is in hexadecimal, and between two other events there is one line of it.
  public var lines: [String] { text.isEmpty ? told : told + ["part \(hex(text))"] }
  private var told: [String] = []
  private var text: [UInt8] = []
  private var room: [UInt8]
  private var isOver = false

  /// Before the first event.
  public init(room: Int) { self.room = [UInt8](repeating: 0xEE, count: room) }

  /// Gives the reader a piece. Traps where it breaks its word.
  public mutating func read(_ piece: [UInt8], with reader: inout FrameReader) {
    // Taken out, so that this value can change meanwhile.
    var room = self.room
    self.room = []
    piece.withUnsafeBytes { bytes in
      room.withUnsafeMutableBytes { room in
        var position = 0
        while take(&reader, bytes, &position, room) {}
      }
    }
    self.room = room
  }

  private mutating func take(
    _ reader: inout FrameReader, _ bytes: UnsafeRawBufferPointer, _ position: inout Int,
    _ room: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let before = position
    let event = reader.next(in: bytes, at: &position, into: room)
    precondition(before <= position && position <= bytes.count)
    precondition(!isOver || event == .needsMore, "\(event) after the end")
    switch event {
    case .needsMore:
      precondition(position == bytes.count, "bytes are left")
      return false
    case .text(let count, let endsMessage):
      precondition(count <= room.count && (count > 0 || endsMessage) && reader.isInsideMessage != endsMessage)
      text += room[..<count]
      if endsMessage { tell("text") }
    case .ping(let payload): tell("ping \(hex(payload))")
    case .pong: tell("pong")
    case .close(let code, let reply):
      isOver = true
      tell("close \(code.map { "\($0)" } ?? "-") \(reply)")
    case .fault(let code, let message):
      isOver = true
      tell("fault \(code.rawValue) \(message)")
    }
    return true
  }

  private mutating func tell(_ line: String) {
    if line == "text" {
      told.append("text \(hex(text))")
      text = []
      return
    }
    if !text.isEmpty { told.append("part \(hex(text))") }
    text = []
    told.append(line)
  }
}
