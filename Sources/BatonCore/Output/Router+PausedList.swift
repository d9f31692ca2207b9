/// The list of open connections that the server does not read from, the longest paused first. `inspect` tells its
/// beginning, and does not look at the other connections.
extension Router {
  /// Adds an open connection that the server has just stopped to read from.
  mutating func listPaused(_ connection: Slot<Connection>) {
    guard connections[connection].phase == .open, !connections[connection].isListedAsPaused else { return }
    connections[connection].isListedAsPaused = true
    connections[connection].previousPaused = lastPaused
    connections[connection].nextPaused = .nobody
    if lastPaused == .nobody { firstPaused = connection } else { connections[lastPaused].nextPaused = connection }
    lastPaused = connection
  }

  /// Removes a connection if it is in the list.
  mutating func unlistPaused(_ connection: Slot<Connection>) {
    guard connections[connection].isListedAsPaused else { return }
    connections[connection].isListedAsPaused = false
    let (previous, next) = (connections[connection].previousPaused, connections[connection].nextPaused)
    if previous == .nobody { firstPaused = next } else { connections[previous].nextPaused = next }
    if next == .nobody { lastPaused = previous } else { connections[next].previousPaused = previous }
  }
}
