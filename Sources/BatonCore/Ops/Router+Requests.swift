// Ops: what each request does, one op after the other. It owns nothing: it looks at the request, refuses it, or has
// the rooms below carry it out.

/// From a line to what it asks for.
extension Router {
  /// Takes one line, its LF aside, which stands behind it in memory. False where it has to wait: then nothing has come
  /// of it.
  @inline(__always)
  mutating func takeLine(_ line: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant) -> Bool {
    if BlankLine.isBlank(line) { return true }
    isLeftForLater = false
    do throws(Fault) {
      try request.read(line)
      try carryOutRequest(from: connection, at: now)
    } catch {
      refuse(error, to: connection, at: now)
    }
    publishAnnouncements(at: now)
    return !isLeftForLater
  }

  @inline(__always)
  private mutating func carryOutRequest(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    switch request.op {
    case .send: try send(from: connection, at: now)
    case .handled, .continue, .reject, .failed, .working: try takeVerdict(request.op, from: connection, at: now)
    case .broadcast: try broadcast(from: connection, at: now)
    case .insert: try insertLink(from: connection, at: now)
    case .replace: try replaceLink(from: connection, at: now)
    case .remove: try removeLink(from: connection, at: now)
    case .mount: try mountChain(from: connection, at: now)
    case .unmount: try unmountChain(from: connection, at: now)
    case .subscribe: try subscribe(from: connection, at: now)
    case .unsubscribe: unsubscribe(from: connection, at: now)
    case .hello: hello(from: connection, at: now)
    case .ping: pong(to: connection, at: now)
    case .pong: break
    case .help: help(to: connection, at: now)
    case .inspect: inspect(to: connection, at: now)
    case .explain: explain(to: connection, at: now)
    }
  }
}
