/// `inspect` of the server: its counts, and the connections that it does not read from (contract, section 8).
extension Router {
  /// The most paused connections that one reply has.
  private static let mostPaused = 100

  /// Writes `,"server":{…}`.
  mutating func writeServer(to connection: Slot<Connection>, at now: Instant) {
    let paused = pausedConnections()
    var writer = beginLine(to: connection, atMost: 1024 + LineWriter.bound(text: settings.version.utf8.count))
    writer.literal(",\"server\":{\"version\":")
    writer.text(settings.version)
    writer.count(",\"uptime_ms\":", now.milliseconds(since: started))
    writer.count(",\"connections\":", connections.count)
    writer.count(",\"subscriptions\":", subscriptions.count)
    writer.count(",\"links\":", countedLinks)
    writer.count(",\"open\":", walks.count)
    writer.count(",\"per_second\":", messages.perSecond(at: now))
    writer.count(",\"messages\":", messages.total)
    writer.count(",\"open_bytes\":", openBytes)
    writer.count(",\"unsent_bytes\":", unsentBytes)
    writer.count(",\"unfinished_bytes\":", unfinishedBytes)
    writer.count(",\"missed\":", missedEvents)
    writer.count(",\"memory_bytes\":", settings.process.residentBytes())
    writer.count(",\"file_limit\":", settings.process.fileLimit)
    if drainDeadline != nil { writer.literal(",\"draining\":true") }
    writer.literal(",\"paused\":[")
    commitLine(writer, to: connection, at: now)
    for (number, other) in paused.enumerated() { writePaused(other, isFirst: number == 0, to: connection, at: now) }
    writer = beginLine(to: connection, atMost: 8)
    writer.literal("]}")
    commitLine(writer, to: connection, at: now)
  }

  /// The connections that are not read from, in the order of their slots, as many as one reply has.
  private mutating func pausedConnections() -> [Slot<Connection>] {
    var paused: [Slot<Connection>] = []
    for other in connections.slots where connections.isTaken(other) && paused.count < Router.mostPaused {
      if connections[other].stoppedAt != nil, connections[other].phase == .open { paused.append(other) }
    }
    return paused
  }

  private mutating func writePaused(
    _ other: Slot<Connection>, isFirst: Bool, to connection: Slot<Connection>, at now: Instant
  ) {
    let since = connections[other].stoppedAt ?? now
    var writer = beginLine(to: connection, atMost: 256 + connections[other].from.count)
    writer.literal(isFirst ? "{\"connection\":" : ",{\"connection\":")
    writer.raw(connections[other].from.bytes)
    writer.literal(",\"why\":\"")
    writer.literal(connections[other].pauses.spelling)
    writer.literal("\"")
    writer.count(",\"for_ms\":", now.milliseconds(since: since))
    writer.count(",\"open\":", connections[other].openMessages)
    writer.count(",\"unsent_bytes\":", connections[other].outbox.count)
    writer.literal("}")
    commitLine(writer, to: connection, at: now)
  }
}
