/// From a line to what it asks for.
extension Router {
  /// Takes one line, its LF aside, which stands behind it in memory. False where it has to wait: then nothing has come
  /// of it.
  @inline(__always)
  mutating func take(_ line: UnsafeRawBufferPointer, from connection: UInt32, at now: Instant) -> Bool {
    if LineFramer.isBlank(line) { return true }
    isLeftForLater = false
    do throws(Fault) {
      let op = try reader.read(line)
      try carryOut(op, from: connection, at: now)
    } catch {
      refuse(error, to: connection, at: now)
    }
    publishAnnouncements(at: now)
    return !isLeftForLater
  }

  @inline(__always)
  private mutating func carryOut(_ op: Op, from connection: UInt32, at now: Instant) throws(Fault) {
    switch op {
    case .send: try send(from: connection, at: now)
    case .handled, .continue, .reject, .failed, .working: try verdict(op, from: connection, at: now)
    case .broadcast: try broadcast(from: connection, at: now)
    case .insert: try insert(from: connection, at: now)
    case .replace: try replace(from: connection, at: now)
    case .remove: try remove(from: connection, at: now)
    case .mount: try mount(from: connection, at: now)
    case .unmount: try unmount(from: connection, at: now)
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
