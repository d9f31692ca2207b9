/// The server drains: it refuses what is new, finishes what is under way, and ends the rest (contract, section 8).
extension Model {
  mutating func beginDraining() {
    guard drainEnd == nil else { return }
    let end = now + settings.drainMilliseconds
    drainEnd = end
    alarms.set(.drain, at: end)
    var line = Line("draining")
    line.add("deadline_ms", settings.drainMilliseconds)
    for connection in peers.indices { say(line, to: connection) }
  }

  mutating func refuseWhileDraining() throws(Refusal) {
    guard drainEnd != nil, keeps(.drainRefuses) else { return }
    seen.insert(.drainRefused)
    throw Refusal("draining")
  }

  /// When the walk ends at the latest.
  func lastMoment(of walk: Int) -> Int {
    guard let drainEnd, keeps(.drainEndsAll) else { return walks[walk].deadline }
    return min(walks[walk].deadline, drainEnd)
  }

  /// The drain's deadline: walks that are still open end, in the order in which they came in.
  mutating func endEverything() {
    if isDrained {
      for connection in peers.indices where peers[connection].phase == .ended {
        wish(.close, for: connection)
      }
    }
    guard keeps(.drainEndsAll) else { return }
    for walk in walks.indices where !walks[walk].isOver {
      seen.insert(.drainEnded)
      miss(deadlineOf: walk)
    }
  }

  /// If nothing is under way any more, every connection is closed. Those that linger are closed later.
  mutating func goIfDrained() {
    if isDrained, peers.allSatisfy({ $0.phase == .gone }) { alarms.cancel(.drain) }
    guard let drainEnd, !isDrained, walks.allSatisfy(\.isOver) else { return }
    isDrained = true
    alarms.cancel(.drain)
    alarms.set(.drain, at: max(drainEnd, now + settings.lingerMilliseconds))
    for connection in peers.indices where hears(connection) {
      seen.insert(.drained)
      peers[connection].phase = .ended
      wish(.close, for: connection)
    }
  }
}
