/// What has come from a peer and was not carried out: the beginning of a line, and the bytes behind it that wait. It counts
/// with the unfinished lines of all, but for what only waits for its turn.
extension Router {
  /// Keeps the beginning of a line.
  mutating func keepBeginning(_ bytes: UnsafeRawBufferPointer, of connection: Slot<Connection>, at now: Instant) {
    if connections[connection].unfinished.pending.isEmpty {
      connections[connection].unfinished.began = now
      armConnection(connection, at: now.advanced(milliseconds: settings.lineTimeoutMilliseconds))
    }
    connections[connection].unfinished.pending.append(bytes)
    spent &+= bytes.count >> 3
    unfinishedBytes += bytes.count
  }

  /// Removes the beginning of a line and returns it.
  mutating func takeOutBeginning(of connection: Slot<Connection>) -> OwnedBytes {
    unfinishedBytes -= connections[connection].unfinished.pending.count
    var begun = OwnedBytes()
    swap(&begun, &connections[connection].unfinished.pending)
    return begun
  }

  /// Keeps bytes that wait for the connection's next turn. It pays for the copy: otherwise short pieces of long reads would be
  /// nearly free.
  mutating func keepForTurn(_ bytes: UnsafeRawBufferPointer, of connection: Slot<Connection>) {
    spent &+= Cost.copying(bytes.count)
    connections[connection].backlog.append(bytes)
    park(connection)
  }

  /// Keeps bytes that came while the server does not read from the connection. Returns whether they count with the unfinished
  /// lines.
  mutating func keepForLater(
    _ bytes: UnsafeRawBufferPointer, of connection: Slot<Connection>, at now: Instant
  ) -> Bool {
    if connections[connection].backlog.isEmpty {
      connections[connection].unfinished.began = now
      connections[connection].isBacklogCounted = !connections[connection].isToBeRead
    }
    connections[connection].backlog.append(bytes)
    markChanged(connection)
    guard connections[connection].isBacklogCounted else { return false }
    unfinishedBytes += bytes.count
    return true
  }

  /// Removes the backlog of a connection and returns it.
  mutating func takeOutBacklog(of connection: Slot<Connection>) -> OwnedBytes {
    var kept = OwnedBytes()
    swap(&kept, &connections[connection].backlog)
    if connections[connection].isBacklogCounted { unfinishedBytes -= kept.count }
    connections[connection].isBacklogCounted = false
    return kept
  }

  /// Drops the unfinished line and the backlog of a connection.
  mutating func dropLine(of connection: Slot<Connection>) {
    _ = takeOutBeginning(of: connection)
    _ = takeOutBacklog(of: connection)
  }
}
