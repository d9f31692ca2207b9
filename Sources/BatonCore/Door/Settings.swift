/// The settings of the router: all limits and all durations of the contract, in one place.
///
/// `Settings.table` gives each number its name, unit, range and reason. The command line and the transcripts read that table.
/// A new setting stands in `Clients/contract.json`, and `Scripts/contract` writes it wherever it is told.
public struct Settings: Sendable {
  // contract: settings
  /// The longest line that is allowed, with its LF.
  public var maxLine = 1_048_576
  /// How deep a line may be nested.
  public var maxDepth = 128
  /// Words of a topic or of a pattern.
  public var maxTopicWords = 16
  /// Words of a pattern that may be *.
  public var maxPatternStars = 4
  /// How long a line may stay unfinished.
  public var lineTimeoutMilliseconds = 30_000
  /// How long a peer is read after the error that closes it.
  public var lingerMilliseconds = 1000
  /// A message's deadline if send gives none.
  public var timeoutMilliseconds = 30_000
  /// Open offers of one handler if insert gives no window.
  public var window = 256
  /// Consecutive timed-out offers before the breaker opens.
  public var breakerOffers = 5
  /// The shortest offer time that counts.
  public var breakerLeastMilliseconds = 1000
  /// How long a breaker is open before one message is tried.
  public var breakerMilliseconds = 10_000
  /// For how long the leader of a cluster leads without NATS.
  public var leaseMilliseconds = 15_000
  /// How often the leader of a cluster renews its lease.
  public var renewMilliseconds = 2000
  /// How long the log of a cluster may take for what is to be kept.
  public var storeMilliseconds = 5000
  /// Bytes of the log of a cluster, in NATS.
  public var logBytes = 1_073_741_824
  /// How long the server finishes messages before it ends.
  public var drainMilliseconds = 25_000
  /// Connections at once.
  public var maxConnections = 10_000
  /// How long a connection that holds nothing is silent before it makes room.
  public var makeRoomMilliseconds = 10_000
  /// Messages under way per connection.
  public var maxOpenMessages = 4096
  /// Bytes of these messages.
  public var maxOpenBytes = 67_108_864
  /// Bytes of all messages under way.
  public var maxTotalBytes = 1_073_741_824
  /// Messages that may wait for one link.
  public var maxQueueMessages = 20_000
  /// Bytes of these messages.
  public var maxQueueBytes = 268_435_456
  /// Unsent bytes above which offers wait.
  public var offersUnsentBytes = 1_048_576
  /// Unsent bytes above which events are missed.
  public var eventsUnsentBytes = 4_194_304
  /// Unsent bytes above which reading stops.
  public var readingUnsentBytes = 8_388_608
  /// Unsent bytes above which a peer is closed.
  public var maxUnsentBytes = 67_108_864
  /// Unsent bytes of all connections above which the worst is closed.
  public var maxTotalUnsentBytes = 1_073_741_824
  /// How long a peer with too many unsent bytes may read none.
  public var slowMilliseconds = 10_000
  /// Bytes of all unfinished lines.
  public var maxUnfinishedBytes = 268_435_456
  /// Connections that have not said who they are.
  public var maxStrangers = 1000
  /// How long an encrypted connection, or the header of a proxy, may take to begin.
  public var handshakeMilliseconds = 10_000
  /// How long a connection may take to say who it is.
  public var authMilliseconds = 5000
  /// Links in all chains.
  public var maxLinks = 200_000
  /// Connections that serve one link.
  public var maxReplicas = 256
  /// Mounts of one chain, and mounts that lead to it.
  public var maxMounts = 1000
  /// Mounts that follow each other.
  public var maxMountDepth = 32
  /// Mounts that one mount request looks at.
  public var maxMountSearch = 10_000
  /// Places that are kept while nobody serves them.
  public var maxEmptyPlaces = 10_000
  /// Patterns of one connection's subscriptions and links.
  public var maxPatterns = 100_000
  /// Patterns of all connections and places.
  public var maxTotalPatterns = 1_000_000
  /// Messages that set each other off, one after the other.
  public var maxWithin = 16
  /// Lapsed offers that one handler has not answered.
  public var maxLapsedOffers = 65_536
  /// Errors about form within errors_ms before a peer is closed.
  public var maxErrors = 100
  /// The time over which max_errors counts.
  public var errorsMilliseconds = 10_000
  /// How many times what is free of a common limit one connection may have.
  public var shareOfFree = 1
  /// Messages of each kind that are kept for walks.
  public var maxKeptWalks = 250
  /// Bytes of all messages that are kept.
  public var maxKeptBytes = 4_194_304
  /// Links whose last ten minutes are kept.
  public var maxHistories = 1000
  /// Topics that have a value that stays.
  public var maxRetainedTopics = 100_000
  /// Bytes of all retained values.
  public var maxRetainedBytes = 67_108_864
  /// Bytes of all events that are kept.
  public var maxHistoryBytes = 67_108_864
  /// Tries that count before a durable message is a dead letter.
  public var tries = 25
  /// The time before the second attempt of a durable message.
  public var retryMilliseconds = 1000
  /// How long a durable message is tried.
  public var expiresMilliseconds = 86_400_000
  /// How long once is known after the end of its message.
  public var rememberedMilliseconds = 3_600_000
  /// Durable messages that have no end yet.
  public var maxStoredMessages = 1_000_000
  /// Bytes of these messages, of dead letters and of results.
  public var maxStoredBytes = 4_294_967_296
  /// Names of once whose messages have ended.
  public var maxRemembered = 1_000_000
  /// Dead letters of one chain.
  public var maxDeadLetters = 10_000
  /// Bytes that stay free on the disk of the store.
  public var minFreeBytes = 67_108_864
  /// Bytes of ends that wait to be written to the record.
  public var recordQueueBytes = 16_777_216
  /// Topics per chain with a cached list of links.
  public var maxCachedTopics = 4096
  /// Bytes of all cached lists of links.
  public var maxCachedBytes = 67_108_864
  /// Sockets of HTTP at once.
  public var maxHTTPConnections = 1000
  /// The longest head of a request of HTTP.
  public var maxHead = 16_384
  /// How long a socket of HTTP is kept without a request.
  public var httpIdleMilliseconds = 75_000
  /// How long a WebSocket is silent before it is pinged.
  public var wsPingMilliseconds = 30_000
  /// Links of a chain that /metrics tells by name.
  public var maxMetricLinks = 1000
  // contract ends

  /// Whether the server has a store. The program opens it.
  public var hasStore = false
  /// Which messages are recorded; nil: none. The program opens the record.
  public var record: RecordRule?
  /// Which messages are traced beyond this server; nil: none.
  public var trace: TraceRule?
  /// The topics of which the configuration file keeps events (section 14).
  public var keptTopics: [KeptTopics] = []
  /// What is told as `epoch`: it is another one at each start. The program draws it.
  public var epoch = "0"
  /// How large the pieces of long work are. It is not for operators: tests make them small or large.
  package var pieces = Pieces()
  /// The chains that the configuration file declares; each chain once.
  public var chains: [ChainDeclaration] = []
  /// Declares a guarded place (`--guard`).
  public mutating func declareGuard(_ place: GuardedPlace) { chains.add(place) }

  /// What the process knows about itself, for `inspect` of the server.
  public var process = ProcessFacts()
  /// The seed of the tables that hash peers' words. The server chooses a new random seed at each start, so that no peer
  /// can choose words that collide. Tests do not change it.
  public var hashSeed: UInt64 = 0
  /// Of this the numbers of traces and spans are made, and chance for those that are traced by chance. The program draws it.
  public var traceSeed: UInt64 = 0
  /// The server's version, as `welcome` and the start of the program tell it.
  public var version = Settings.version

  /// The bytes that `payload` and `meta` may have together at each step of a walk, so that offers, events and plain
  /// results fit into `max_line` (section 2).
  var maxCargo: Int { maxLine - 4096 }

  /// This server's version.
  public static let version = "0.1.0"
  /// The version of the contract that the server speaks.
  public static let protocolVersion = 1

  var protocolVersion: Int { Settings.protocolVersion }

  /// The pieces of long work, between which others have their turn.
  package struct Pieces: Sendable {
    /// As many things of one kind are done at once: offers that are put back, messages that leave a queue, links that
    /// end.
    package var size = 32
    /// How many numbers of events are reserved in a store at once, at least.
    package var reserved = 100_000
    /// Whether connections have a credit at all.
    package var areLimited = true
    /// What the keeper of durable messages does at once: steps of each kind in a turn, open tries, and bytes that are read.
    /// Nil: as much as it does by itself.
    package var keeper: (steps: Int, tries: Int, bytesRead: Int)?
  }

  /// Settings with the contract's defaults.
  public init() {}
}
