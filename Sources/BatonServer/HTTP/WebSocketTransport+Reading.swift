internal import HTTP

/// Reads frames.
extension WebSocketTransport {
  /// Takes what has come: the text goes to the router, each message with an LF behind it. What costs too much for one
  /// turn waits.
  func read(_ bytes: UnsafeRawBufferPointer, isAll: Bool = false) {
    let text = door.text.bytes
    var position = 0
    var filled = 0
    // Where the latest whole message ends.
    var whole = 0
    let most = isAll ? Int.max : door.work + HTTPLimits.workOfFrames
    while !isBroken, !isClosing, last == nil {
      guard door.work < most else {
        tell(filled)
        if position < bytes.count { keep(UnsafeRawBufferPointer(rebasing: bytes[position...])) }
        return sayPongs()
      }
      // An LF has to fit behind the text.
      let room = UnsafeMutableRawBufferPointer(rebasing: text[filled..<text.count - 1])
      let before = position
      let event = reader.next(in: bytes, at: &position, into: room)
      door.work += HTTPLimits.costOfPart + (position - before) * HTTPLimits.costOfFrameByte
      switch event {
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
        door.work += HTTPLimits.costOfPong
      case .pong: break
      case .close(_, let reply):
        tell(filled)
        return ends(with: .close(reply: reply))
      case .fault(let code, let message):
        // Of the message that is not right, nothing counts.
        tell(whole)
        return ends(with: .fault(code, message))
      }
    }
  }

  /// Keeps what has come for one of the next turns. Meanwhile the peer is not read from. Without room for it, it is read
  /// at once.
  func keep(_ bytes: UnsafeRawBufferPointer) {
    guard !isClosing, last == nil else { return }
    guard door.mayHold(bytes.count, beside: kept.count) else {
      readKept(isAll: true)
      return read(bytes, isAll: true)
    }
    kept.append(contentsOf: bytes)
    do throws(TransportError) { try inner.setReading(false) } catch { failed(error.description) }
    if isReading { door.goOnLater(self) }
  }

  func readKept(isAll: Bool = false) {
    let bytes = kept
    dropKept()
    bytes.withUnsafeBytes { read($0, isAll: isAll) }
  }

  func dropKept() {
    door.letGo(kept.count)
    kept = []
  }

  /// With less room than this, the text is told before more is read.
  private static let leastRoom = 4 << 10

  private func tell(_ count: Int) {
    guard count > 0 else { return }
    connection?.received(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(door.text.bytes)[..<count]))
  }
}
