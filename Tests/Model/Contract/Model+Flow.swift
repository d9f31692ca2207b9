/// From whom the server reads, and what it refuses because too much is under way (contract, section 10).
extension Model {
  /// A sender with too much under way is not read from until some of it is settled. One that serves links is: its
  /// verdicts must get through.
  func isTooMuch(of connection: Connection) -> Bool { connection.openMessages >= settings.maxOpenMessages }

  /// The clocks on the peer's silence stand still while the server does not read.
  mutating func checkReading(of connection: Int) {
    guard connections[connection].phase == .open else { return }
    let isPaused =
      isTooMuch(of: connections[connection]) && connections[connection].serving.isEmpty && keeps(.pausesSenders)
    guard isPaused != (connections[connection].stoppedAt != nil) else { return }
    if isPaused {
      seen.insert(.paused)
      return connections[connection].stoppedAt = now
    }
    guard let stoppedAt = connections[connection].stoppedAt else { return }
    connections[connection].stoppedAt = nil
    if keeps(.clocksStandStill) { connections[connection].heard += now - stoppedAt }
    // Its clocks are looked at anew.
    alarms.set(.connection(connection), at: now + 1)
    guard !connections[connection].unread.isEmpty else { return }
    seen.insert(.readAgain)
    readAgain.append(connection)
  }

  /// Carries out what the peer has said, until it is not read from any more.
  mutating func readOn(_ connection: Int) {
    while connections[connection].phase == .open, connections[connection].stoppedAt == nil,
      !connections[connection].unread.isEmpty
    {
      carryOut(connections[connection].unread.removeFirst(), from: connection)
      tellHappenings()
    }
  }

  mutating func checkRoom(for connection: Int) throws(Refusal) {
    guard isTooMuch(of: connections[connection]), !connections[connection].serving.isEmpty, keeps(.servingIsBusy) else {
      return
    }
    seen.insert(.busy)
    throw Refusal("busy")
  }
}
