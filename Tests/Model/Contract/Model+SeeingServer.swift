/// The `server` part of `inspect` (contract, section 8), as far as it does not hang on bytes and clocks.
extension Model {
  mutating func describeServer() -> String {
    seen.insert(.inspectedServer)
    var line = Line()
    line.add("version", settings.version)
    line.add("uptime_ms", json: Line.anyNumber)
    line.add("connections", connections.count { $0.phase != .gone })
    line.add("subscriptions", connections.reduce(0) { $0 + $1.patterns.count })
    // Whether lost links count that walks still come to is left open.
    line.add("links", json: Line.anyNumber)
    line.add("open", walks.count { !$0.isOver })
    line.add("per_second", json: Line.anyNumber)
    line.add("messages", walks.count)
    for figure in ["open_bytes", "unsent_bytes", "unfinished_bytes"] { line.add(figure, json: Line.anyNumber) }
    line.add("missed", 0)
    for figure in ["memory_bytes", "file_limit"] { line.add(figure, json: Line.anyNumber) }
    line.add("draining", ifTrue: drainEnd != nil)
    // Of several, none is the first. Whether one that has said everything is among them is left open.
    let paused = describePaused()
    let isOpen = paused.count > 1 || connections.contains { $0.phase == .halfClosed && isTooMuch(of: $0) }
    line.add("paused", json: isOpen ? Line.anyList : "[\(paused.joined(separator: ","))]")
    return line.whole
  }

  /// Those whom the server does not read from.
  private mutating func describePaused() -> [String] {
    connections.indices.compactMap { connection in
      guard connections[connection].phase == .open, let stoppedAt = connections[connection].stoppedAt,
        keeps(.inspectTellsPaused)
      else { return nil }
      seen.insert(.inspectedPaused)
      var line = Line()
      line.add("connection", connections[connection].from)
      line.add("why", "messages")
      line.add("for_ms", now - stoppedAt)
      line.add("open", connections[connection].openMessages)
      line.add("unsent_bytes", json: Line.anyNumber)
      return line.whole
    }
  }
}
