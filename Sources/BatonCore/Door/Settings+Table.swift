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
  /// Why a change in the configuration file waits for the next start of the server; nil if a reload changes it.
  public var startReason: String? { Setting.startReasons[name] }
  /// Whether a change in the configuration file waits for the next start of the server.
  public var needsStart: Bool { startReason != nil }

  // contract: start reasons
  private static let startReasons = [
    "max_line": "peers were told it in welcome",
    "max_depth": "the reader of lines is made for it",
    "max_topic_words": "topics under way were read with it",
    "max_pattern_stars": "patterns that are there were read with it",
    "lease_ms": "the lease was taken with it",
    "renew_ms": "the lease was taken with it",
    "store_ms": "the log was opened with it",
    "log_bytes": "the log was made with it",
    "max_unsent_bytes": "a lower one would close peers for what they have already",
    "max_lapsed_offers": "a lower one would close peers for what they have already",
    "share_of_free": "a lower one would close peers for what they have already",
  ]
  // contract ends

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
  // contract: table
  /// Every setting that is a number, in the order in which people see them.
  // swift-format-ignore
  public static let table: [Setting] = [
    Setting("max_line", "bytes", 8192...268_435_456, \.maxLine,
      "the longest line that is allowed, with its LF"),
    Setting("max_depth", "levels", 2...10_000, \.maxDepth,
      "how deep a line may be nested"),
    Setting("max_topic_words", "words", 1...128, \.maxTopicWords,
      "words of a topic or of a pattern"),
    Setting("max_pattern_stars", "stars", 0...128, \.maxPatternStars,
      "words of a pattern that may be *"),
    Setting("line_timeout_ms", "ms", 1...86_400_000, \.lineTimeoutMilliseconds,
      "how long a line may stay unfinished"),
    Setting("linger_ms", "ms", 1...86_400_000, \.lingerMilliseconds,
      "how long a peer is read after the error that closes it"),
    Setting("timeout_ms", "ms", 1...86_400_000, \.timeoutMilliseconds,
      "a message's deadline if send gives none"),
    Setting("window", "offers", 1...65_536, \.window,
      "open offers of one handler if insert gives no window"),
    Setting("breaker_offers", "offers", 1...1_000_000, \.breakerOffers,
      "consecutive timed-out offers before the breaker opens"),
    Setting("breaker_least_ms", "ms", 1...86_400_000, \.breakerLeastMilliseconds,
      "the shortest offer time that counts"),
    Setting("breaker_ms", "ms", 1...86_400_000, \.breakerMilliseconds,
      "how long a breaker is open before one message is tried"),
    Setting("lease_ms", "ms", 1000...3_600_000, \.leaseMilliseconds,
      "for how long the leader of a cluster leads without NATS"),
    Setting("renew_ms", "ms", 100...600_000, \.renewMilliseconds,
      "how often the leader of a cluster renews its lease"),
    Setting("store_ms", "ms", 100...600_000, \.storeMilliseconds,
      "how long the log of a cluster may take for what is to be kept"),
    Setting("log_bytes", "bytes", 4_194_304...1_099_511_627_776, \.logBytes,
      "bytes of the log of a cluster, in NATS"),
    Setting("drain_ms", "ms", 1...86_400_000, \.drainMilliseconds,
      "how long the server finishes messages before it ends"),
    Setting("max_connections", "connections", 1...1_000_000, \.maxConnections,
      "connections at once"),
    Setting("make_room_ms", "ms", 1...86_400_000, \.makeRoomMilliseconds,
      "how long a connection that holds nothing is silent before it makes room"),
    Setting("max_open_messages", "messages", 1...100_000_000, \.maxOpenMessages,
      "messages under way per connection"),
    Setting("max_open_bytes", "bytes", 1...1_099_511_627_776, \.maxOpenBytes,
      "bytes of these messages"),
    Setting("max_total_bytes", "bytes", 1...1_099_511_627_776, \.maxTotalBytes,
      "bytes of all messages under way"),
    Setting("max_queue_messages", "messages", 1...100_000_000, \.maxQueueMessages,
      "messages that may wait for one link"),
    Setting("max_queue_bytes", "bytes", 1...1_099_511_627_776, \.maxQueueBytes,
      "bytes of these messages"),
    Setting("offers_unsent_bytes", "bytes", 1...1_099_511_627_776, \.offersUnsentBytes,
      "unsent bytes above which offers wait"),
    Setting("events_unsent_bytes", "bytes", 1...1_099_511_627_776, \.eventsUnsentBytes,
      "unsent bytes above which events are missed"),
    Setting("reading_unsent_bytes", "bytes", 1...1_099_511_627_776, \.readingUnsentBytes,
      "unsent bytes above which reading stops"),
    Setting("max_unsent_bytes", "bytes", 1...1_099_511_627_776, \.maxUnsentBytes,
      "unsent bytes above which a peer is closed"),
    Setting("max_total_unsent_bytes", "bytes", 1...1_099_511_627_776, \.maxTotalUnsentBytes,
      "unsent bytes of all connections above which the worst is closed"),
    Setting("slow_ms", "ms", 1...86_400_000, \.slowMilliseconds,
      "how long a peer with too many unsent bytes may read none"),
    Setting("max_unfinished_bytes", "bytes", 1...1_099_511_627_776, \.maxUnfinishedBytes,
      "bytes of all unfinished lines"),
    Setting("max_strangers", "connections", 1...100_000_000, \.maxStrangers,
      "connections that have not said who they are"),
    Setting("handshake_ms", "ms", 1...86_400_000, \.handshakeMilliseconds,
      "how long an encrypted connection, or the header of a proxy, may take to begin"),
    Setting("auth_ms", "ms", 1...86_400_000, \.authMilliseconds,
      "how long a connection may take to say who it is"),
    Setting("max_links", "links", 1...100_000_000, \.maxLinks,
      "links in all chains"),
    Setting("max_replicas", "replicas", 1...100_000_000, \.maxReplicas,
      "connections that serve one link"),
    Setting("max_mounts", "mounts", 1...100_000_000, \.maxMounts,
      "mounts of one chain, and mounts that lead to it"),
    Setting("max_mount_depth", "mounts", 1...1000, \.maxMountDepth,
      "mounts that follow each other"),
    Setting("max_mount_search", "mounts", 1...100_000_000, \.maxMountSearch,
      "mounts that one mount request looks at"),
    Setting("max_empty_places", "places", 1...100_000_000, \.maxEmptyPlaces,
      "places that are kept while nobody serves them"),
    Setting("max_patterns", "patterns", 1...100_000_000, \.maxPatterns,
      "patterns of one connection's subscriptions and links"),
    Setting("max_total_patterns", "patterns", 1...100_000_000, \.maxTotalPatterns,
      "patterns of all connections and places"),
    Setting("max_within", "messages", 1...999, \.maxWithin,
      "messages that set each other off, one after the other"),
    Setting("max_lapsed_offers", "offers", 1...100_000_000, \.maxLapsedOffers,
      "lapsed offers that one handler has not answered"),
    Setting("max_errors", "errors", 1...100_000_000, \.maxErrors,
      "errors about form within errors_ms before a peer is closed"),
    Setting("errors_ms", "ms", 1...86_400_000, \.errorsMilliseconds,
      "the time over which max_errors counts"),
    Setting("share_of_free", "times", 1...1_000_000, \.shareOfFree,
      "how many times what is free of a common limit one connection may have"),
    Setting("max_kept_walks", "messages", 1...100_000_000, \.maxKeptWalks,
      "messages of each kind that are kept for walks"),
    Setting("max_kept_bytes", "bytes", 1...1_099_511_627_776, \.maxKeptBytes,
      "bytes of all messages that are kept"),
    Setting("max_histories", "links", 1...100_000_000, \.maxHistories,
      "links whose last ten minutes are kept"),
    Setting("max_retained_topics", "topics", 1...100_000_000, \.maxRetainedTopics,
      "topics that have a value that stays"),
    Setting("max_retained_bytes", "bytes", 1...1_099_511_627_776, \.maxRetainedBytes,
      "bytes of all retained values"),
    Setting("max_history_bytes", "bytes", 1...1_099_511_627_776, \.maxHistoryBytes,
      "bytes of all events that are kept"),
    Setting("tries", "tries", 1...1000, \.tries,
      "tries that count before a durable message is a dead letter"),
    Setting("retry_ms", "ms", 1...600_000, \.retryMilliseconds,
      "the time before the second attempt of a durable message"),
    Setting("expires_ms", "ms", 1...604_800_000, \.expiresMilliseconds,
      "how long a durable message is tried"),
    Setting("remembered_ms", "ms", 1...604_800_000, \.rememberedMilliseconds,
      "how long once is known after the end of its message"),
    Setting("max_stored_messages", "messages", 1...100_000_000, \.maxStoredMessages,
      "durable messages that have no end yet"),
    Setting("max_stored_bytes", "bytes", 1...1_099_511_627_776, \.maxStoredBytes,
      "bytes of these messages, of dead letters and of results"),
    Setting("max_remembered", "names", 1...100_000_000, \.maxRemembered,
      "names of once whose messages have ended"),
    Setting("max_dead_letters", "messages", 1...100_000_000, \.maxDeadLetters,
      "dead letters of one chain"),
    Setting("min_free_bytes", "bytes", 1...1_099_511_627_776, \.minFreeBytes,
      "bytes that stay free on the disk of the store"),
    Setting("record_queue_bytes", "bytes", 1...1_099_511_627_776, \.recordQueueBytes,
      "bytes of ends that wait to be written to the record"),
    Setting("max_cached_topics", "topics", 1...100_000_000, \.maxCachedTopics,
      "topics per chain with a cached list of links"),
    Setting("max_cached_bytes", "bytes", 1...1_099_511_627_776, \.maxCachedBytes,
      "bytes of all cached lists of links"),
    Setting("max_http_connections", "connections", 1...1_000_000, \.maxHTTPConnections,
      "sockets of HTTP at once"),
    Setting("max_head", "bytes", 1024...1_048_576, \.maxHead,
      "the longest head of a request of HTTP"),
    Setting("http_idle_ms", "ms", 1...86_400_000, \.httpIdleMilliseconds,
      "how long a socket of HTTP is kept without a request"),
    Setting("ws_ping_ms", "ms", 1...86_400_000, \.wsPingMilliseconds,
      "how long a WebSocket is silent before it is pinged"),
    Setting("max_metric_links", "links", 1...100_000_000, \.maxMetricLinks,
      "links of a chain that /metrics tells by name"),
  ]
  // contract ends

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
}
