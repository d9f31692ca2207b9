internal import BatonCore

/// The end of a socket.
extension HTTPSocket {
  /// Refuses the socket, whatever it asks for. It is told so once it is encrypted; of too many that are not, the next is
  /// closed without a word.
  func refuseAll(_ refusal: HTTPRefusal) {
    if transport.isReady { return refuse(refusal) }
    guard door.asking.count(where: { $0.refusal != nil }) < HTTPLimits.mostRefused else { return close() }
    self.refusal = refusal
  }

  /// Makes room for another socket: it is told so, if that can be.
  func makeRoom(_ refusal: HTTPRefusal) {
    switch phase {
    case .idle, .head, .body, .greeting: if transport.isReady, writer.isEmpty { refuse(refusal) } else { closeNow() }
    case .answering, .ending, .over: closeNow()
    }
  }

  /// Makes room at once, although a request waits for its answer: it is told so, unless the answer has begun.
  func giveUp(_ refusal: HTTPRefusal) {
    if !isReporting { answer(closing: exchange?.accepted ?? refusal.answer(cors: cors)) }
    if phase != .over { closeNow() }
  }

  /// The last answer has been told: the socket ends when it is written.
  func end() {
    phase = .ending
    dropKept()
    if writer.isEmpty { finish() } else { door.set(self, after: door.limits.slow) }
  }

  /// Everything is written. A peer that still sends is read for a while, so that it gets the last answer.
  func finish() {
    guard phase != .over else { return }
    guard !hasEnded else { return close() }
    leave()
    LingeringSocket(transport, writer, address: address, door: door).begin(of: owner)
  }

  /// The peer has ended its side of a stream, which ends there.
  func leaveStream() {
    let isWhole = writer.isEmpty
    leave()
    // What is half written has no end in order.
    if isWhole { transport.closeInOrder() } else { transport.close() }
  }

  /// Closes at once.
  func close() {
    guard phase != .over else { return }
    leave()
    transport.closeInOrder()
  }

  /// The door has nothing to do with the socket any more, and nobody hears the answer to its request.
  func leave() {
    phase = .over
    let left = exchange
    exchange = nil
    left?.socketHasGone()
    dropKept()
    dropBody()
    forgetUnsent()
    head = nil
    plan = nil
    door.ask(self, false)
    door.forgetStranger(self)
    door.remove(self)
  }

  /// The socket is broken, or the peer has gone: what it sent walks on, and nobody hears the result.
  func failed(_ reason: String) {
    guard phase != .over else { return transport.close() }
    leave()
    transport.close()
  }

  func closed() { if phase != .over { failed("closed") } }

  /// The time of the phase is over.
  func isLate(at now: Instant) {
    switch phase {
    case .idle: if writer.isEmpty { close() } else { failed("the peer does not read") }
    case .head, .greeting, .body: refuse(.late(milliseconds: requestTime, isKnown: isKnown))
    case .answering:
      // A stream that is not read misses events, and stays.
      if !writer.isEmpty, exchange?.isStream != true { return failed("the peer does not read") }
      exchange?.clockRings(at: now)
    case .ending: failed("the peer does not read")
    case .over: break
    }
  }

}
