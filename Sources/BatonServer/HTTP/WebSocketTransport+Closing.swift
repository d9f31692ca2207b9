internal import BatonCore
internal import HTTP

/// How a WebSocket ends.
extension WebSocketTransport {
  /// The peer has closed. It gets its code back, and waits for nothing more.
  func peerCloses(_ code: UInt16?, reply: UInt16) {
    if !hasSaidClose {
      hasSaidClose = true
      // A close without a code is answered by one without a code.
      say(FrameWriter.close(code == nil && reply == CloseCode.normal.rawValue ? nil : reply, reason: ""))
    }
    guard let connection else { return }
    connection.ended()
    // The router may owe it results. Nobody waits for them.
    closeInOrder()
  }

  /// The door itself ends the WebSocket: the peer is told why, if no line is half written.
  func end(_ code: CloseCode, code word: String, _ message: String) {
    guard !hasSaidClose else { return }
    if !isInLine {
      var line: [UInt8] = []
      line += "{\"op\":\"error\",\"code\":\"\(word)\",\"message\":".utf8
      line.appendQuoted(message)
      line.append("}")
      var head = [UInt8](repeating: 0, count: 10)
      let count = head.withUnsafeMutableBytes { FrameWriter.textHead(of: line.count, into: $0) }
      say(Array(head[..<count]) + line)
    }
    hasSaidClose = true
    say(FrameWriter.close(code.rawValue, reason: message))
    connection?.failed(message)
  }

  /// Says the close that belongs to the router's reason.
  func sayClose() {
    guard !hasSaidClose, !isBroken, let connection else { return }
    hasSaidClose = true
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
