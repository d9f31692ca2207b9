/// The `server` part of `inspect` (contract, section 8), as far as it does not depend on bytes and clocks.
extension Model {
  mutating func describeServer(withHistory: Bool) -> String {
    seen.insert(.inspectedServer)
    var line = Line()
    line.add("version", settings.version)
    line.add("uptime_ms", json: Line.anyNumber)
    line.add("connections", peers.count { $0.phase != .gone })
    line.add("subscriptions", peers.reduce(0) { $0 + $1.patterns.count })
    // The contract leaves open whether lost links to which walks still come are counted.
    line.add("links", json: Line.anyNumber)
    line.add("open", walks.count { !$0.isOver })
    line.add("per_second", json: Line.anyNumber)
    line.add("messages", walks.count)
    for figure in ["open_bytes", "unsent_bytes", "unfinished_bytes"] { line.add(figure, json: Line.anyNumber) }
    line.add("missed", missedInAll)
    for figure in ["memory_bytes", "file_limit"] { line.add(figure, json: Line.anyNumber) }
    line.add("draining", ifTrue: drainEnd != nil)
    line.add("limits", json: describeLimits())
    // Several may come in any order. The contract leaves open whether one that has sent everything is among them.
    let paused = describePaused()
    let isOpen =
      paused.count > 1 || peers.contains { $0.phase == .halfClosed && !$0.stops.isEmpty }
      || settings.readingUnsentBytes < 1 << 20
    line.add("paused", json: isOpen ? Line.anyList : "[\(paused.joined(separator: ","))]")
    if withHistory { line.add("history", json: describe(history)) }
    return line.whole
  }

  /// The model does not know the limits that no world of its reaches.
  private func describeLimits() -> String {
    var line = Line()
    line.add("max_total_bytes", settings.maxTotalBytes)
    line.add("max_total_unsent_bytes", json: Line.anyNumber)
    line.add("max_unfinished_bytes", settings.maxUnfinishedBytes)
    line.add("max_total_patterns", json: Line.anyNumber)
    line.add("max_retained_bytes", json: Line.anyNumber)
    line.add("max_history_bytes", json: Line.anyNumber)
    line.add("max_cached_bytes", json: Line.anyNumber)
    return line.whole
  }

  /// The connections from which the server does not read.
  private mutating func describePaused() -> [String] {
    peers.indices.compactMap { connection in
      guard peers[connection].phase == .open, let stoppedAt = peers[connection].stoppedAt,
        keeps(.inspectTellsPaused)
      else { return nil }
      seen.insert(.inspectedPaused)
      var line = Line()
      line.add("connection", peers[connection].number)
      line.add("name", peers[connection].from)
      line.add("why", whyPaused(connection))
      line.add("for_ms", now - stoppedAt)
      line.add("open", peers[connection].openMessages)
      line.add("unsent_bytes", json: Line.anyNumber)
      return line.whole
    }
  }
}
