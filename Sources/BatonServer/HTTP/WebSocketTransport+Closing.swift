internal import BatonCore
internal import HTTP

/// How a WebSocket ends.
extension WebSocketTransport {
  /// The peer has closed. It gets its code back, and waits for nothing more.
  func peerCloses(reply: UInt16) {
    tellAtHand()
    if !hasSaidClose {
      hasSaidClose = true
      if !isInFrame { say(FrameWriter.close(reply, reason: "")) }
    }
    guard let connection else { return }
    connection.ended()
    // The router may owe it results. Nobody waits for them.
    closeInOrder()
  }

  /// The door itself ends the WebSocket: the peer is told why, if no frame is half written.
  func end(_ code: CloseCode, code word: String, _ message: String) {
    tellAtHand()
    guard !hasSaidClose else { return }
    if !isInFrame {
      var line: [UInt8] = []
      line += "{\"op\":\"error\",\"code\":\"\(word)\",\"message\":".utf8
      line.appendQuoted(message)
      line.append("}")
      var head = [UInt8](repeating: 0, count: 10)
      let count = head.withUnsafeMutableBytes { FrameWriter.textHead(of: line.count, into: $0) }
      say(Array(head[..<count]) + line)
    }
    hasSaidClose = true
    if !isInFrame { say(FrameWriter.close(code.rawValue, reason: message)) }
    connection?.failed(message)
  }

  /// What the router has said already goes out before the end.
  private func tellAtHand() { connection?.carryOut(at: door.server.now) }

  /// Says the close that belongs to the router's reason.
  func sayClose() {
    guard !hasSaidClose, !isBroken, let connection else { return }
    hasSaidClose = true
    guard !isInFrame else { return }
    let reason = door.server.router.pointee.wish(for: connection.id).reason
    say(FrameWriter.close(CloseCode.of(reason).rawValue, reason: reason?.rawValue ?? ""))
  }
}

extension CloseCode {
  /// The code of the router's reason to end a connection (contract, section 13).
  static func of(_ reason: CloseReason?) -> CloseCode {
    switch reason {
    case .finished: .normal
    case .lineTooLong: .tooLong
    case .lineTimeout, .notJSONLines: .protocolError
    case .tooManyErrors, .tooSlow, .idle, .closedByPeer, .authRequired, .authFailed, .identityChanged: .policy
    case .tooManyConnections: .tryAgain
    case .draining, nil: .goingAway
    }
  }
}
