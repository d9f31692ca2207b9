/// `walks`: tells of messages that did not end well (contract, section 8).
extension Router {
  mutating func tellWalks(to connection: Slot<Connection>, at now: Instant) throws(Fault) {
    replyOK(to: connection, at: now)
  }
}
