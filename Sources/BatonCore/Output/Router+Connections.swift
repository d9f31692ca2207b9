/// Connections come and go. Of those that there are, the caller has to look at some, because what is unsent to them, or what
/// to do with them, has changed.
extension Router {
  /// A peer has connected.
  mutating func addConnection(through door: PeerDoor, at now: Instant) -> Slot<Connection> {
    connectionNumber += 1
    let connection = connections.insert(Connection(number: connectionNumber, door: door, at: now))
    if door != .lines { connections[connection].marked = markedLines.insert(MarkedLines()) }
    return connection
  }

  /// Nothing of the connection is left.
  mutating func endConnection(_ connection: Slot<Connection>) { connections.remove(connection) }

  /// Notes that the caller must look at the connection after this call.
  @inline(__always)
  mutating func markChanged(_ connection: Slot<Connection>) {
    if connections[connection].isChanged { return }
    connections[connection].isChanged = true
    changed.append(connection)
  }

  /// The caller must look at it once more, behind all others.
  mutating func markPostponed(_ connection: Slot<Connection>) {
    if connections[connection].isChanged { return }
    connections[connection].isChanged = true
    postponed.append(connection)
  }

  /// The next connection that was marked; nil if there is none.
  @inline(__always)
  mutating func takeChanged() -> Slot<Connection>? {
    while let connection = popChanged() {
      guard connections.isTaken(connection), connections[connection].isChanged else { continue }
      connections[connection].isChanged = false
      if !connections[connection].isGone { return connection }
    }
    return nil
  }

  /// The next one of either queue. An event that goes to thousands keeps no reply and no offer waiting.
  private mutating func popChanged() -> Slot<Connection>? {
    returned &+= 1
    if returned & 15 == 0, let connection = postponed.popFirst() { return connection }
    while let connection = changed.popFirst() {
      guard connections.isTaken(connection), isWrittenLater(connection) else { return connection }
      if connections[connection].isChanged { postponed.append(connection) }
    }
    return postponed.popFirst()
  }

  /// Whether much is unsent to the connection, or nothing but events.
  @inline(__always)
  private mutating func isWrittenLater(_ connection: Slot<Connection>) -> Bool {
    let unsent = connections[connection].outbox.count
    return unsent > Router.muchUnsent || unsent > 0 && unsent == connections[connection].unsentEvents
  }

  /// More unsent bytes than that are much: writing or copying them takes longer than most other things.
  public static let muchUnsent = 64 << 10
}
