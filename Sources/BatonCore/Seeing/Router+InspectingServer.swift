/// `inspect` of the server: its counts, and the connections that it does not read from (contract, section 8).
extension Router {
  /// The most paused connections that one reply has.
  private static let mostPaused = 100

  /// `,"server":{…}`.
  mutating func describeServer(at now: Instant) -> OwnedBytes {
    spent &+= Cost.system
    var text = OwnedBytes()
    let bound = 1280 + LineWriter.bound(text: settings.version.utf8.count)
    var writer = LineWriter(at: text.reserve(bound + LineWriter.slack), room: bound)
    writer.literal(",\"server\":{\"version\":")
    writer.text(settings.version)
    writer.count(",\"uptime_ms\":", now.milliseconds(since: started))
    writer.count(",\"connections\":", connections.count)
    writer.count(",\"subscriptions\":", subscriptions.count)
    writer.count(",\"links\":", countedLinks)
    writer.count(",\"open\":", messagesUnderWay)
    writer.count(",\"per_second\":", messagesPerSecond(at: now))
    writer.count(",\"messages\":", messages.total)
    writer.count(",\"open_bytes\":", openBytes)
    writer.count(",\"unsent_bytes\":", unsentBytes)
    writer.count(",\"unfinished_bytes\":", unfinishedBytes + settings.process.heldBytes())
    writer.count(",\"missed\":", missedEvents)
    writer.count(",\"memory_bytes\":", settings.process.residentBytes())
    writer.count(",\"file_limit\":", settings.process.fileLimit)
    if drainDeadline != nil { writer.literal(",\"draining\":true") }
    writer.literal(",\"limits\":{")
    for (number, limit) in settings.totalsInForce.enumerated() {
      writer.literal(number == 0 ? "\"" : ",\"")
      writer.raw(limit.name)
      writer.count("\":", limit.value)
    }
    writer.literal("}")
    if let short = settings.process.limitsLoweredBy {
      writer.literal(",\"limits_lowered_by\":\"")
      writer.raw(short.rawValue)
      writer.literal("\"")
    }
    writer.raw(describeStore())
    writer.literal(",\"paused\":[")
    text.extend(to: writer.cursor)
    var (paused, count) = (firstPaused, 0)
    while paused != .nobody, count < Router.mostPaused {
      spent &+= Cost.entry
      writePaused(paused, isFirst: count == 0, to: &text, at: now)
      count += 1
      paused = connections[paused].nextPaused
    }
    text.append(Array("]".utf8))
    if request.flag(.history) == true { writeHistory(to: &text, at: now) }
    text.append(Array("}".utf8))
    return text
  }

  private mutating func writePaused(
    _ other: Slot<Connection>, isFirst: Bool, to text: inout OwnedBytes, at now: Instant
  ) {
    let since = connections[other].stoppedAt ?? now
    let bound = 256 + connections[other].from.count
    var writer = LineWriter(at: text.reserve(bound + LineWriter.slack), room: bound)
    writer.literal(isFirst ? "{\"connection\":" : ",{\"connection\":")
    writer.integer(connections[other].number)
    writer.member(",\"name\":", connections[other].from.bytes)
    writer.literal(",\"why\":\"")
    writer.literal(connections[other].pauses.spelling)
    writer.literal("\"")
    writer.count(",\"for_ms\":", now.milliseconds(since: since))
    writer.count(",\"open\":", connections[other].openMessages)
    writer.count(",\"unsent_bytes\":", connections[other].outbox.count)
    writer.literal("}")
    text.extend(to: writer.cursor)
  }
}
