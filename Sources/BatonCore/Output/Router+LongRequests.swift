/// Lines that have to wait, and requests that take more than one turn: they are carried out again until nothing is left.
extension Router {
  /// A line is read now.
  @inline(__always)
  mutating func beginTaking() { isLeftForLater = false }

  /// The line that is read now is kept, and read again.
  mutating func readAgain() { isLeftForLater = true }

  /// How far the request of the connection has come.
  mutating func keepSurvey(_ survey: Survey, for connection: Slot<Connection>) {
    connections[connection].survey = survey
  }

  /// The request is done, or nobody waits for it.
  mutating func endSurvey(of connection: Slot<Connection>) { connections[connection].survey = nil }
}
