/// `close`: one peer closes the connection of another (contract, section 8).
extension Router {
  mutating func closeOther(for connection: Slot<Connection>, at now: Instant) throws(Fault) {
    replyOK(to: connection, at: now)
  }
}
