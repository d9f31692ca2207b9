/// A server that is full makes room for a newcomer (contract, section 10).
extension Router {
  /// The least time between two searches for silent connections, in milliseconds. A search looks at every connection, so
  /// newcomers must not cause one each.
  private static let searchMilliseconds = 1000

  /// Ends the connection that holds nothing and has been silent longest, for at least `make_room_ms`. Returns false if
  /// there is none.
  mutating func makeRoom(at now: Instant) -> Bool {
    if silentListedAt.map({ now >= $0.advanced(milliseconds: Router.searchMilliseconds) }) ?? true {
      listSilent(at: now)
    }
    while let (ref, heard) = silent.popLast() {
      guard connections.contains(ref), connections[ref.slot].lastHeard == heard, holdsNothing(ref.slot) else {
        continue
      }
      endSilent(ref.slot, at: now)
      return true
    }
    return false
  }

  private mutating func listSilent(at now: Instant) {
    silentListedAt = now
    silent.removeAll(keepingCapacity: true)
    let latest = now.advanced(milliseconds: -settings.makeRoomMilliseconds)
    for connection in connections.slots
    where connections.isTaken(connection) && connections[connection].lastHeard <= latest && holdsNothing(connection) {
      silent.append((connections.ref(connection), connections[connection].lastHeard))
    }
    // The one that has been silent longest stands last; of several, the one that connected first.
    let numbered = silent.map { (number: connections[$0.connection.slot].number, one: $0) }
    silent = numbered.sorted { ($0.one.heard, $0.number) > ($1.one.heard, $1.number) }.map(\.one)
  }

  /// Whether nothing is lost if the connection ends.
  private mutating func holdsNothing(_ connection: Slot<Connection>) -> Bool {
    connections[connection].phase == .open && !connections[connection].isStranger
      && connections[connection].serving.firstReplica == .nobody
      && connections[connection].listening.firstSubscription == .nobody && connections[connection].openMessages == 0
      && connections[connection].owed == 0 && connections[connection].asking.firstTicket == .nobody
      && connections[connection].unfinishedBytes == 0
      && connections[connection].handling.offers.count == connections[connection].handling.lapsed
  }

  private mutating func endSilent(_ connection: Slot<Connection>, at now: Instant) {
    endToMakeRoom(
      connection, .idle, setting: "make_room_ms",
      says: "nothing has come from you for \(settings.makeRoomMilliseconds) ms, and the server needs room for another "
        + "connection; send a ping now and then", at: now)
  }

  /// Tells a connection why it ends, and closes it at once. Otherwise there would be more connections than may be, for
  /// as long as the server lingers.
  mutating func endToMakeRoom(
    _ connection: Slot<Connection>, _ reason: CloseReason, setting: StaticString, says message: String,
    at now: Instant
  ) {
    let reads = connections[connection].outbox.count == 0
    if let code = ErrorCode(rawValue: reason.rawValue) {
      sayError(Fault(code, message), id: .empty, isOffer: false, to: connection, at: now)
    }
    cut(connection, reason, reads ? .closeWhenWritten : .close, setting: setting, at: now)
    beginSlowClock(of: connection, at: now)
    endLingering(connection)
  }
}
