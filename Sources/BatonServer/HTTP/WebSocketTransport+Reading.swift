internal import HTTP

/// Reads frames.
extension WebSocketTransport {
  /// Takes what has come: the text goes to the router, each message with an LF behind it.
  func read(_ bytes: UnsafeRawBufferPointer) {
    let text = door.text.bytes
    var position = 0
    var filled = 0
    // Where the latest whole message ends.
    var whole = 0
    while !isBroken, !isClosing {
      // An LF has to fit behind the text.
      let room = UnsafeMutableRawBufferPointer(rebasing: text[filled..<text.count - 1])
      switch reader.next(in: bytes, at: &position, into: room) {
      case .needsMore:
        tell(filled)
        return sayPongs()
      case .text(let count, let endsMessage):
        filled += count
        if endsMessage {
          text[filled] = 10
          filled += 1
          whole = filled
        }
        guard text.count - filled < WebSocketTransport.leastRoom else { continue }
        tell(filled)
        (filled, whole) = (0, 0)
      case .ping(let payload):
        latestPong = FrameWriter.pong(payload)
        pongs += latestPong
      case .pong: break
      case .close(_, let reply):
        tell(filled)
        return peerCloses(reply: reply)
      case .fault(let code, let message):
        // Of the message that is not right, nothing counts.
        tell(whole)
        return end(code, code: "bad_request", message)
      }
    }
  }

  /// With less room than this, the text is told before more is read.
  private static let leastRoom = 4 << 10

  private func tell(_ count: Int) {
    guard count > 0 else { return }
    connection?.received(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(door.text.bytes)[..<count]))
  }
}
