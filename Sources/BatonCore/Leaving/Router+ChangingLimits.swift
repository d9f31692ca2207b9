/// A reload changes limits: the new ones hold from then on, and what there is stays (contract, section 11).
extension Router {
  /// Takes the settings that change without a new start. Those that `values` does not name have their defaults again.
  mutating func takeSettings(_ values: [String: Int]) {
    let defaults = Settings()
    for setting in Settings.table where !setting.needsStart {
      let value = values[setting.name] ?? defaults[keyPath: setting.path]
      if setting.range.contains(value) { settings[keyPath: setting.path] = value }
    }
  }

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
