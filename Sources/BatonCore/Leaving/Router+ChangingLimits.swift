/// A reload changes limits: the new ones hold from then on, and what there is stays (contract, section 11).
extension Router {
  /// Looks at one connection under the new limits. What waits because of a limit that is higher now goes on. Who has too
  /// much under way for a lower one is not read from until some of it has ended. The review of all connections comes by
  /// here, so that this goes in pieces.
  mutating func applyLimits(to connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].phase != .severed else { return }
    if hasMostOpen(connection) { pause(connection, .messages, at: now) }
    resumeIfRoom(connection, at: now)
    if connections[connection].pauses.share != nil { waitingForShare.noteRoom() }
    if connections[connection].pauses.contains(.unsent),
      connections[connection].unsentReplies <= readingLimit(of: connection)
    {
      resume(connection, .unsent, at: now)
    }
    offerUnderNewLimits(to: connection, at: now)
  }

  /// Offers may have waited because too much was unsent for the limit before.
  private mutating func offerUnderNewLimits(to connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].serving.firstReplica != .nobody, connections[connection].outbox.count > 0,
      readsOffers(connection)
    else { return }
    serveLinks(of: connection, at: now)
  }
}
