/// One setting that people can give by its name, with its range and its reason.
public struct Setting: Sendable {
  /// The contract's spelling, for example `max_line`. Durations end in `_ms`.
  public let name: String
  /// The unit of the value: `bytes`, `ms`, or the things that are counted.
  public let unit: String
  /// The values that are accepted.
  public let range: ClosedRange<Int>
  /// What the setting limits or decides, in a few words.
  public let reason: String
  /// Why a change in the operator's file waits for the next start of the server; nil if a reload changes it.
  public var startReason: String? { Setting.startReasons[name] }
  /// Whether a change in the operator's file waits for the next start of the server.
  public var needsStart: Bool { startReason != nil }

  private static let startReasons = [
    "max_line": "peers were told it in welcome",
    "max_depth": "the reader of lines is made for it",
    "max_topic_words": "topics under way were read with it",
    "max_pattern_stars": "patterns that are there were read with it",
    "max_unsent_bytes": "a lower one would close peers for what they have already",
    "max_lapsed_offers": "a lower one would close peers for what they have already",
    "share_of_free": "a lower one would close peers for what they have already",
  ]

  /// The property of `Settings` that has the value.
  public let path: any WritableKeyPath<Settings, Int> & Sendable

  init(
    _ name: String, _ unit: String, _ range: ClosedRange<Int>,
    _ path: any WritableKeyPath<Settings, Int> & Sendable, _ reason: String
  ) {
    self.name = name
    self.unit = unit
    self.range = range
    self.path = path
    self.reason = reason
  }
}

/// Why a setting was refused. The description is one line for people.
public enum SettingError: Error, Equatable, CustomStringConvertible {
  /// There is no setting of that name. `nearest` is the nearest name within two typing errors, if there is one.
  case unknown(String, nearest: String?)
  /// The value is outside the setting's range.
  case outOfRange(String, Int, ClosedRange<Int>)

  /// What is wrong, and how to mend it.
  public var description: String {
    switch self {
    case .unknown(let name, let nearest?): "there is no setting \"\(name)\"; did you mean \"\(nearest)\"?"
    case .unknown(let name, nil): "there is no setting \"\(name)\"; baton serve --list-settings lists all settings"
    case .outOfRange(let name, let value, let range):
      "\(name) must be from \(range.lowerBound) to \(range.upperBound), not \(value)"
    }
  }
}

extension Settings {
  /// Every setting that is a number, in the order in which people see them.
  public static let table: [Setting] = [
    Setting("max_line", "bytes", 8192...(1 << 28), \.maxLine, "the longest line that is allowed, with its LF"),
    Setting("max_depth", "levels", 2...10_000, \.maxDepth, "how deep a line may be nested"),
    Setting("max_topic_words", "words", 1...128, \.maxTopicWords, "words of a topic or of a pattern"),
    Setting("max_pattern_stars", "stars", 0...128, \.maxPatternStars, "words of a pattern that may be *"),
    Setting("line_timeout_ms", "ms", time, \.lineTimeoutMilliseconds, "how long a line may stay unfinished"),
    Setting("linger_ms", "ms", time, \.lingerMilliseconds, "how long a peer is read after the error that closes it"),
    Setting("timeout_ms", "ms", time, \.timeoutMilliseconds, "a message's deadline if send gives none"),
    Setting("window", "offers", 1...65_536, \.window, "open offers of one handler if insert gives no window"),
    Setting(
      "breaker_offers", "offers", 1...1_000_000, \.breakerOffers,
      "consecutive timed-out offers before the breaker opens"),
    Setting("breaker_least_ms", "ms", time, \.breakerLeastMilliseconds, "the shortest offer time that counts"),
    Setting("breaker_ms", "ms", time, \.breakerMilliseconds, "how long a breaker is open before one message is tried"),
    Setting("drain_ms", "ms", time, \.drainMilliseconds, "how long the server finishes messages before it ends"),
    Setting("max_connections", "connections", 1...1_000_000, \.maxConnections, "connections at once"),
    Setting(
      "make_room_ms", "ms", time, \.makeRoomMilliseconds,
      "how long a connection that holds nothing is silent before it makes room"),
    Setting("max_open_messages", "messages", count, \.maxOpenMessages, "messages under way per connection"),
    Setting("max_open_bytes", "bytes", bytes, \.maxOpenBytes, "bytes of these messages"),
    Setting("max_total_bytes", "bytes", bytes, \.maxTotalBytes, "bytes of all messages under way"),
    Setting("max_queue_messages", "messages", count, \.maxQueueMessages, "messages that may wait for one link"),
    Setting("max_queue_bytes", "bytes", bytes, \.maxQueueBytes, "bytes of these messages"),
    Setting("offers_unsent_bytes", "bytes", bytes, \.offersUnsentBytes, "unsent bytes above which offers wait"),
    Setting("events_unsent_bytes", "bytes", bytes, \.eventsUnsentBytes, "unsent bytes above which events are missed"),
    Setting("reading_unsent_bytes", "bytes", bytes, \.readingUnsentBytes, "unsent bytes above which reading stops"),
    Setting("max_unsent_bytes", "bytes", bytes, \.maxUnsentBytes, "unsent bytes above which a peer is closed"),
    Setting(
      "max_total_unsent_bytes", "bytes", bytes, \.maxTotalUnsentBytes,
      "unsent bytes of all connections above which the worst is closed"),
    Setting("slow_ms", "ms", time, \.slowMilliseconds, "how long a peer with too many unsent bytes may read none"),
    Setting("max_unfinished_bytes", "bytes", bytes, \.maxUnfinishedBytes, "bytes of all unfinished lines"),
    Setting("max_strangers", "connections", count, \.maxStrangers, "connections that have not said who they are"),
    Setting("handshake_ms", "ms", time, \.handshakeMilliseconds, "how long an encrypted connection may take to begin"),
    Setting("auth_ms", "ms", time, \.authMilliseconds, "how long a connection may take to say who it is"),
    Setting("max_links", "links", count, \.maxLinks, "links in all chains"),
    Setting("max_replicas", "replicas", count, \.maxReplicas, "connections that serve one link"),
    Setting("max_mounts", "mounts", count, \.maxMounts, "mounts of one chain, and mounts that lead to it"),
    Setting("max_mount_depth", "mounts", 1...1000, \.maxMountDepth, "mounts that follow each other"),
    Setting("max_mount_search", "mounts", count, \.maxMountSearch, "mounts that one mount request looks at"),
    Setting("max_empty_places", "places", count, \.maxEmptyPlaces, "places that are kept while nobody serves them"),
    Setting("max_patterns", "patterns", count, \.maxPatterns, "patterns of one connection's subscriptions and links"),
    Setting("max_total_patterns", "patterns", count, \.maxTotalPatterns, "patterns of all connections and places"),
    Setting("max_lapsed_offers", "offers", count, \.maxLapsedOffers, "lapsed offers that one handler has not answered"),
    Setting("max_errors", "errors", count, \.maxErrors, "errors about form within errors_ms before a peer is closed"),
    Setting("errors_ms", "ms", time, \.errorsMilliseconds, "the time over which max_errors counts"),
    Setting(
      "share_of_free", "times", 1...1_000_000, \.shareOfFree,
      "how many times what is free of a common limit one connection may have"),
    Setting("max_kept_walks", "messages", count, \.maxKeptWalks, "messages of each kind that are kept for walks"),
    Setting("max_kept_bytes", "bytes", bytes, \.maxKeptBytes, "bytes of all messages that are kept"),
    Setting("max_histories", "links", count, \.maxHistories, "links whose last ten minutes are kept"),
    Setting("max_retained_topics", "topics", count, \.maxRetainedTopics, "topics that have a value that stays"),
    Setting("max_retained_bytes", "bytes", bytes, \.maxRetainedBytes, "bytes of all values that stay"),
    Setting("max_history_bytes", "bytes", bytes, \.maxHistoryBytes, "bytes of all events that are kept"),
    Setting("tries", "tries", 1...1000, \.tries, "tries that count before a durable message is a dead letter"),
    Setting("retry_ms", "ms", tenMinutes, \.retryMilliseconds, "the time before the second try of a durable message"),
    Setting("expires_ms", "ms", week, \.expiresMilliseconds, "how long a durable message is tried"),
    Setting(
      "remembered_ms", "ms", week, \.rememberedMilliseconds, "how long once is known after the end of its message"),
    Setting("max_stored_messages", "messages", count, \.maxStoredMessages, "durable messages that have no end yet"),
    Setting(
      "max_stored_bytes", "bytes", bytes, \.maxStoredBytes, "bytes of these messages, of dead letters and of results"),
    Setting("max_remembered", "names", count, \.maxRemembered, "names of once whose messages have ended"),
    Setting("max_dead_letters", "messages", count, \.maxDeadLetters, "dead letters of one chain"),
    Setting("min_free_bytes", "bytes", bytes, \.minFreeBytes, "bytes that stay free on the disk of the store"),
    Setting("max_cached_topics", "topics", count, \.maxCachedTopics, "topics per chain with a cached list of links"),
    Setting("max_cached_bytes", "bytes", bytes, \.maxCachedBytes, "bytes of all cached lists of links"),
    Setting("max_http_connections", "connections", 1...1_000_000, \.maxHTTPConnections, "sockets of HTTP at once"),
    Setting("max_head", "bytes", 1024...(1 << 20), \.maxHead, "the longest head of a request of HTTP"),
    Setting("http_idle_ms", "ms", time, \.httpIdleMilliseconds, "how long a socket of HTTP is kept without a request"),
    Setting(
      "ws_ping_ms", "ms", time, \.webSocketPingMilliseconds, "how long a WebSocket is silent before it is pinged"),
    Setting("max_metric_links", "links", count, \.maxMetricLinks, "links of a chain that /metrics tells by name"),
  ]

  /// Sets the setting called `name`. Throws a `SettingError` if there is no such setting or `value` is out of range,
  /// and changes nothing then.
  public mutating func set(_ name: String, to value: Int) throws(SettingError) {
    guard let setting = Settings.table.first(where: { $0.name == name }) else {
      throw .unknown(name, nearest: nearestName(to: name, among: Settings.table.map(\.name)))
    }
    guard setting.range.contains(value) else { throw .outOfRange(name, value, setting.range) }
    self[keyPath: setting.path] = value
  }

  /// Takes the settings that change without a new start, and what the process knows about why they are lower than they
  /// should be.
  mutating func takeNewLimits(of new: Settings) {
    for setting in Settings.table where !setting.needsStart { self[keyPath: setting.path] = new[keyPath: setting.path] }
    process.limitsLoweredBy = new.process.limitsLoweredBy
    process.fileLimit = new.process.fileLimit
  }

  private static let time = 1...86_400_000
  private static let tenMinutes = 1...600_000
  private static let week = 1...604_800_000
  private static let count = 1...100_000_000
  private static let bytes = 1...(1 << 40)
}
