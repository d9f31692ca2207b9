// Ops: the requests, by op. A function here checks its request, refuses it, or calls the rooms below to carry it out.
// This room owns nothing.

/// Takes a line, and carries out the request in it.
extension Router {
  /// Takes one line, without its LF, which must stand behind it in memory. Returns false if the line has to wait: its
  /// request was not carried out then.
  @inline(__always)
  mutating func takeLine(_ line: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant) -> Bool {
    if BlankLine.isBlank(line) { return true }
    beginTaking()
    do throws(Fault) {
      if connections[connection].isStranger {
        guard try readStrangersLine(line, from: connection, at: now) else {
          request.forget()
          return true
        }
      } else {
        try request.read(line)
      }
      try carryOutRequest(from: connection, at: now)
    } catch {
      refuse(error, to: connection, at: now)
    }
    endStep(at: now)
    request.forget()
    return !isLeftForLater
  }

  /// Whether the connection has the right to what a line asks for, of which the rest may come later. If not, it is told
  /// so. What else is wrong with the line is told when all of it has come.
  mutating func looksAhead(
    _ line: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant
  ) -> Bool {
    guard identities.isAsked else { return true }
    if connections[connection].isStranger {
      guard letsIn(connection, at: now) else { return false }
      if connections[connection].isStranger { return true }
    }
    defer { request.forget() }
    do throws(Fault) { try request.read(line) } catch { return true }
    do throws(Fault) {
      try permit(connection, at: now)
      return true
    } catch {
      refuse(error, to: connection, at: now)
      return false
    }
  }

  @inline(__always)
  private mutating func carryOutRequest(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    // A verdict needs no right, and there is one for each offer.
    if identities.isAsked, !request.op.isVerdict { try permit(connection, at: now) }
    switch request.op {
    case .send: try send(from: connection, at: now)
    case .handled, .continue, .reject, .failed, .working: try takeVerdict(request.op, from: connection, at: now)
    case .broadcast: try broadcast(from: connection, at: now)
    case .hello: try hello(from: connection, at: now)
    case .ping: pong(to: connection, at: now)
    case .pong: break
    default: try carryOutRarer(from: connection, at: now)
    }
  }

  /// Carries out a request that may cost more than a little. It waits while others have used up what all have in common.
  @inline(never)
  private mutating func carryOutRarer(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    if mustWaitForAll(connection) {
      readAgain()
      return
    }
    switch request.op {
    case .cancel: cancelMessage(for: connection, at: now)
    case .insert: try insertLink(from: connection, at: now)
    case .replace: try replaceLink(from: connection, at: now)
    case .remove where request.isAboutEmptyPlaces: removeEmptyPlaces(for: connection, at: now)
    case .remove: try removeLink(from: connection, at: now)
    case .move: try moveLink(from: connection, at: now)
    case .mount: try mountChain(from: connection, at: now)
    case .unmount: try unmountChain(from: connection, at: now)
    case .subscribe: try subscribe(from: connection, at: now)
    case .unsubscribe: unsubscribe(from: connection, at: now)
    case .help: help(to: connection, at: now)
    case .inspect: try inspect(to: connection, at: now)
    case .explain: try explain(to: connection, at: now)
    case .walks: try tellWalks(to: connection, at: now)
    case .findings: tellFindings(to: connection, at: now)
    case .reload: try requestReload(for: connection)
    case .close: try closeOther(for: connection, at: now)
    case .stored: try askStored(for: connection, at: now)
    case .dead: try askDead(for: connection, at: now)
    case .resend: try resend(for: connection, at: now)
    case .discard: try discard(for: connection, at: now)
    case .nodes: try tellNodes(to: connection, at: now)
    case .handOver: try handOver(for: connection, at: now)
    // The others have been carried out.
    case .send, .handled, .continue, .reject, .failed, .working, .broadcast, .hello, .ping, .pong: break
    }
  }
}
