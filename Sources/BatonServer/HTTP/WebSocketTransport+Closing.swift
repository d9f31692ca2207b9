internal import BatonCore
internal import HTTP

/// How a WebSocket ends.
extension WebSocketTransport {
  /// Nothing behind this is read. The lines in front of it may still wait for their turn.
  func ends(with word: LastWord) {
    guard last == nil else { return }
    last = word
    do throws(TransportError) { try inner.setReading(false) } catch { return failed(error.description) }
    // The router says what it wishes: if it does not read now, it says so later.
    tellAtHand()
    sayLast()
  }

  /// Ends it, if the lines in front have been carried out, and what is to be written has been.
  func sayLast() {
    guard !isClosing, let last, let connection else { return }
    let wish = door.server.router.pointee.wish(for: connection.id)
    guard hasHeardAll || wish.reading || wish.ending != .open else { return }
    if case .fault(let code, let message) = last {
      // Within a frame the peer would not hear why.
      guard !isInFrame else { return }
      return end(code, code: "bad_request", message)
    }
    if !hasHeardAll {
      hasHeardAll = true
      connection.ended()
      tellAtHand()
    }
    // The router may owe it results. Nobody waits for them.
    guard !isClosing, !isWriting, door.server.router.pointee.unsentCount(of: connection.id) == 0 else { return }
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
  private func tellAtHand() { connection?.carryOut() }

  /// Says the close that belongs to the router's reason.
  func sayClose() {
    guard !hasSaidClose, !isBroken, let connection else { return }
    hasSaidClose = true
    guard !isInFrame else { return }
    let wish = door.server.router.pointee.wish(for: connection.id)
    // A peer that closes gets its code back, if it has got all that was said to it.
    if case .close(let reply) = last, wish.reason == nil || wish.reason == .finished {
      return say(FrameWriter.close(wish.ending == .close ? CloseCode.policy.rawValue : reply, reason: ""))
    }
    let reason = wish.reason
    say(FrameWriter.close(CloseCode.of(reason).rawValue, reason: reason?.rawValue ?? ""))
  }
}

/// What a peer says last.
enum LastWord {
  /// It closes. This code is answered.
  case close(reply: UInt16)
  /// A frame that breaks the rules, and why.
  case fault(CloseCode, String)
}

extension CloseCode {
  /// The code of the router's reason to end a connection (contract, section 13).
  static func of(_ reason: CloseReason?) -> CloseCode {
    switch reason {
    case .finished: .normal
    case .lineTooLong: .tooLong
    case .lineTimeout, .notJSONLines: .protocolError
    case .tooManyErrors, .tooSlow, .idle, .closedByPeer, .authRequired, .authFailed, .identityChanged: .policy
    case .tooManyConnections, .notLeading: .tryAgain
    case .draining, nil: .goingAway
    }
  }
}
