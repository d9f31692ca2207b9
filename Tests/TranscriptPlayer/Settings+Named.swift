import BatonCore

extension Settings {
  private static let names: [String: any WritableKeyPath<Settings, Int> & Sendable] = [
    "max_line": \.maxLine, "max_depth": \.maxDepth, "line_timeout_ms": \.lineTimeoutMilliseconds,
    "linger_ms": \.lingerMilliseconds, "timeout_ms": \.timeoutMilliseconds, "window": \.window,
    "drain_ms": \.drainMilliseconds, "max_connections": \.maxConnections, "max_open_messages": \.maxOpenMessages,
    "max_open_bytes": \.maxOpenBytes, "max_total_bytes": \.maxTotalBytes,
    "max_queue_messages": \.maxQueueMessages, "max_queue_bytes": \.maxQueueBytes,
    "offers_unsent_bytes": \.offersUnsentBytes, "events_unsent_bytes": \.eventsUnsentBytes,
    "reading_unsent_bytes": \.readingUnsentBytes, "max_unsent_bytes": \.maxUnsentBytes,
    "slow_ms": \.slowMilliseconds, "max_unfinished_bytes": \.maxUnfinishedBytes, "max_links": \.maxLinks,
    "max_patterns": \.maxPatterns, "max_lapsed_offers": \.maxLapsedOffers, "max_errors": \.maxErrors,
    "errors_ms": \.errorsMilliseconds,
  ]

  /// Sets what a transcript's head names.
  mutating func set(_ setting: Transcript.Setting) throws {
    guard let path = Self.names[setting.name] else { throw StageError("there is no setting \(setting.name)") }
    self[keyPath: path] = setting.value
  }
}
