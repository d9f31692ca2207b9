/// A reload changes limits: the new ones hold from then on, and what there is stays (contract, section 11).
extension Router {
  /// Reads again from a connection that has fewer messages under way than a raised limit allows. The review of all
  /// connections comes by here, so that nobody waits for the end of a message.
  mutating func resumeUnderNewLimits(_ connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].phase != .severed, connections[connection].pauses.contains(.messages),
      connections[connection].openMessages < settings.maxOpenMessages,
      connections[connection].openBytes < settings.maxOpenBytes
    else { return }
    resume(connection, .messages, at: now)
  }
}
