/// `inspect` of the server: what it holds, and whom it does not read from (contract, section 8).
extension Router {
  /// Paused connections told at most in one reply.
  private static let most = 100

  /// Writes `,"server":{…}`.
  mutating func writeServer(to connection: UInt32, at now: Instant) {
    let paused = pausedConnections()
    var writer = line(to: connection, atMost: 1024 + LineWriter.bound(text: settings.version.utf8.count))
    writer.literal(",\"server\":{\"version\":")
    writer.text(settings.version)
    Router.write("uptime_ms", now.milliseconds(since: started), to: &writer)
    Router.write("connections", connections.count, to: &writer)
    Router.write("subscriptions", subscriptions.count, to: &writer)
    Router.write("links", countedLinks, to: &writer)
    Router.write("open", walks.count, to: &writer)
    Router.write("per_second", messages.perSecond(at: now), to: &writer)
    Router.write("messages", messages.total, to: &writer)
    Router.write("open_bytes", openBytes, to: &writer)
    Router.write("unsent_bytes", unsentBytes, to: &writer)
    Router.write("unfinished_bytes", unfinishedBytes, to: &writer)
    Router.write("missed", missedEvents, to: &writer)
    Router.write("memory_bytes", settings.process.residentBytes(), to: &writer)
    Router.write("file_limit", settings.process.fileLimit, to: &writer)
    if drainDeadline != nil { writer.literal(",\"draining\":true") }
    writer.literal(",\"paused\":[")
    commit(writer, to: connection, at: now)
    for (number, other) in paused.enumerated() { writePaused(other, isFirst: number == 0, to: connection, at: now) }
    writer = line(to: connection, atMost: 8)
    writer.literal("]}")
    commit(writer, to: connection, at: now)
  }

  /// The first connections that are not read from.
  private mutating func pausedConnections() -> [UInt32] {
    var paused: [UInt32] = []
    for index in 0..<connections.extent where connections.isTaken(index) && paused.count < Router.most {
      if connections[index].stoppedAt != nil, connections[index].phase == .open { paused.append(index) }
    }
    return paused
  }

  private mutating func writePaused(_ other: UInt32, isFirst: Bool, to connection: UInt32, at now: Instant) {
    let since = connections[other].stoppedAt ?? now
    var writer = line(to: connection, atMost: 256 + connections[other].from.count)
    writer.literal(isFirst ? "{\"connection\":" : ",{\"connection\":")
    writer.raw(connections[other].from.bytes)
    writer.literal(",\"why\":\"")
    writer.literal(connections[other].pauses.spelling)
    writer.literal("\"")
    Router.write("for_ms", now.milliseconds(since: since), to: &writer)
    Router.write("open", connections[other].openMessages, to: &writer)
    Router.write("unsent_bytes", connections[other].outbox.count, to: &writer)
    writer.literal("}")
    commit(writer, to: connection, at: now)
  }
}
