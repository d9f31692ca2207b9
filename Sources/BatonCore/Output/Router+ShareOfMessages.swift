/// Connections that are not read from because a share of the bytes of all messages is used: their own, or that of what their
/// identity or address has left (contract, section 10, `Shares` and `What was left`).
struct WaitingForShare: ~Copyable {
  /// The first one has waited longest.
  fileprivate var list = Queue<Ref<Connection>>()
  /// How many of the first ones are still to be looked at, and whether all are to be looked at after that.
  fileprivate var left = 0
  fileprivate var isToBeginAnew = false

  /// Whether one of them may have its share back.
  var mayHaveRoom: Bool { !list.isEmpty && (left > 0 || isToBeginAnew) }

  /// Messages give bytes back, or more are allowed.
  @inline(__always)
  mutating func noteRoom() { isToBeginAnew = true }

  /// The next one to be looked at. nil: all have been looked at since bytes were last given back.
  fileprivate mutating func next() -> Ref<Connection>? {
    if left == 0 {
      guard isToBeginAnew else { return nil }
      (left, isToBeginAnew) = (list.count, false)
    }
    guard left > 0 else { return nil }
    left -= 1
    return list.popFirst()
  }
}

extension Router {
  /// Keeps the line that is read now for later. The server stops reading from the sender.
  mutating func waitForShare(_ connection: Slot<Connection>, _ why: Connection.Pauses, at now: Instant) {
    readAgain()
    Router.forgetGone(in: &waitingForShare.list, above: connections.count, connections)
    waitingForShare.list.append(connections.ref(connection))
    pause(connection, why, at: now)
  }

  /// Reads again from the connection that has waited longest of those that are below their share now. Each is looked at once
  /// when bytes have been given back, in pieces, and keeps its place.
  mutating func letInBelowShare(at now: Instant) {
    for _ in 0..<settings.pieces.size {
      guard parked.isEmpty, let ref = waitingForShare.next() else { return }
      sharedCredit &-= Cost.look
      guard connections.contains(ref), let why = connections[ref.slot].pauses.share else { continue }
      if hasShareAgain(ref.slot, why) { resume(ref.slot, why, at: now) } else { waitingForShare.list.append(ref) }
    }
  }

  private mutating func hasShareAgain(_ connection: Slot<Connection>, _ why: Connection.Pauses) -> Bool {
    let account = connections[connection].account
    return why == .share ? hasShareOfOpenBytes(connection) : account == .nobody || newcomersHaveRoom(account)
  }

  /// Reads again from those that have waited longest for room, one after the other.
  mutating func letIn(at now: Instant) {
    letInNext(at: now)
    letInBelowShare(at: now)
    letInWaiting(at: now)
  }
}
