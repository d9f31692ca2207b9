/// The settings of the router: all limits and all durations of the contract, in one place.
///
/// `Settings.table` gives each number its name, unit, range and reason. The command line, the transcripts and the
/// documentation read that table. So a new setting changes only this file and the file of the
/// table.
public struct Settings: Sendable {
  /// The bytes that a line may have, with its LF (section 2).
  public var maxLine = 1 << 20
  /// The levels that a line may be nested. The line's own object counts as 1 (section 2).
  public var maxDepth = 128
  /// The words that a topic or a pattern may have (section 3).
  public var maxTopicWords = 16
  /// The words of a pattern that may be `*` (section 3).
  public var maxPatternStars = 4
  /// Milliseconds from a line's first byte to its LF (section 9, `line_timeout`).
  public var lineTimeoutMilliseconds = 30_000
  /// Milliseconds for which the server still reads, and drops the bytes, after it has shut down its writing side
  /// (section 2).
  public var lingerMilliseconds = 1000
  /// The deadline of a message in milliseconds, if `send` gives none (section 4).
  public var timeoutMilliseconds = 30_000
  /// Open offers of one connection of a link, if `insert` gives no `window` (section 5).
  public var window = 256
  /// Consecutive timed-out offers before the breaker opens (section 6).
  public var breakerOffers = 5
  /// The shortest offer time in milliseconds that counts towards that, if the link has no `timeout_ms` of its own
  /// (section 6).
  public var breakerLeastMilliseconds = 1000
  /// Milliseconds that a breaker is open before one message is tried (section 6).
  public var breakerMilliseconds = 10_000
  /// Milliseconds from `drain` until the messages that are still under way end with `timeout` (section 8).
  public var drainMilliseconds = 25_000
  /// Connections at the same time (section 10).
  public var maxConnections = 10_000
  /// Milliseconds of silence after which a connection that holds nothing makes room for a newcomer (section 10).
  public var makeRoomMilliseconds = 10_000
  /// Messages of one connection that are under way at the same time (section 10).
  public var maxOpenMessages = 4096
  /// Bytes of one connection's messages under way (section 10).
  public var maxOpenBytes = 64 << 20
  /// Bytes of all messages under way, with their results and traces (section 10).
  public var maxTotalBytes = 1 << 30
  /// Messages that may wait for one link (section 10).
  public var maxQueueMessages = 10_000
  /// Bytes of the messages that wait for one link (section 10).
  public var maxQueueBytes = 64 << 20
  /// Unsent bytes above which offers stay in the link's queue (section 10).
  public var offersUnsentBytes = 1 << 20
  /// Unsent bytes above which events are dropped and counted as missed (section 7).
  public var eventsUnsentBytes = 4 << 20
  /// Unsent bytes above which the server does not read from the connection (section 10).
  public var readingUnsentBytes = 8 << 20
  /// Unsent bytes above which the connection is closed as too slow (section 10).
  public var maxUnsentBytes = 64 << 20
  /// Unsent bytes of all connections above which the connection with the most is closed. Above half of this, slow
  /// readers miss events (section 10).
  public var maxTotalUnsentBytes = 1 << 30
  /// Milliseconds in which a connection with more than `readingUnsentBytes` unsent bytes takes no byte, before it is
  /// closed as too slow (section 10).
  public var slowMilliseconds = 10_000
  /// Bytes of the unfinished lines of all connections (section 10).
  public var maxUnfinishedBytes = 256 << 20
  /// Connections that have not said who they are (section 11).
  public var maxStrangers = 1000
  /// Milliseconds that the handshake of an encrypted connection may take (section 2).
  public var handshakeMilliseconds = 10_000
  /// Milliseconds in which a connection must say who it is (section 11).
  public var authMilliseconds = 5000
  /// Links in all chains (section 10).
  public var maxLinks = 200_000
  /// Connections that serve one link (section 5, `share`).
  public var maxReplicas = 256
  /// Mounts of one chain, and mounts that lead to one chain (section 5).
  public var maxMounts = 1000
  /// Mounts that follow each other (section 5).
  public var maxMountDepth = 32
  /// Mounts that the server looks at to find out whether a new one is allowed (section 5).
  public var maxMountSearch = 10_000
  /// Places that are kept although no connection serves them (section 10).
  public var maxEmptyPlaces = 10_000
  /// Patterns of one connection's subscriptions and links (section 10).
  public var maxPatterns = 100_000
  /// Patterns of all connections together, with those of mounts and of places that are kept (section 10).
  public var maxTotalPatterns = 1_000_000
  /// Offers of one connection that timed out and were never answered (section 9, `too_slow`).
  public var maxLapsedOffers = 65_536
  /// Errors of form within `errorsMilliseconds` before the connection is closed (section 9, `too_many_errors`).
  public var maxErrors = 100
  /// The time in milliseconds over which `maxErrors` counts.
  public var errorsMilliseconds = 10_000
  /// One connection may have of what all connections share at most so many times what is still free (section 10).
  public var shareOfFree = 1
  /// Messages of each kind that are kept for `walks` (section 8).
  public var maxKeptWalks = 250
  /// Bytes of all messages that are kept.
  public var maxKeptBytes = 4 << 20
  /// Links whose last ten minutes are kept (section 8, `History`).
  public var maxHistories = 1000
  /// Topics per chain with a cached list of links.
  public var maxCachedTopics = 4096
  /// Bytes of all cached lists of links.
  public var maxCachedBytes = 64 << 20
  /// Sockets of HTTP that are no WebSockets and no streams of events (section 13).
  public var maxHTTPConnections = 1000
  /// The bytes that the head of a request of HTTP may have (section 13).
  public var maxHead = 16 << 10
  /// Milliseconds after which a socket of HTTP is closed on which no request has begun (section 13).
  public var httpIdleMilliseconds = 60_000
  /// Milliseconds of silence after which a WebSocket is pinged, and after as many more closed (section 13).
  public var webSocketPingMilliseconds = 30_000
  /// Links of a chain that `/metrics` tells by name, and names of links that have left whose counts it keeps
  /// (Clients/HTTP.md, section 13).
  public var maxMetricLinks = 1000
  /// Topics that have a value that stays (section 14).
  public var maxRetainedTopics = 100_000
  /// Bytes of all values that stay.
  public var maxRetainedBytes = 64 << 20
  /// Bytes of all events that are kept.
  public var maxHistoryBytes = 64 << 20
  /// Tries that count before a durable message is a dead letter, if `send` gives no `tries` (section 15).
  public var tries = 25
  /// Milliseconds before its second try, if `send` gives no `retry_ms`.
  public var retryMilliseconds = 1000
  /// Milliseconds after its acceptance, after which no try begins, if `send` gives no `expires_ms`.
  public var expiresMilliseconds = 86_400_000
  /// Milliseconds for which a `once` is remembered after the end of its message.
  public var rememberedMilliseconds = 3_600_000
  /// Durable messages that have no end yet.
  public var maxStoredMessages = 1_000_000
  /// Bytes of these messages and of dead letters.
  public var maxStoredBytes = 4 << 30
  /// Names of `once` whose messages have ended.
  public var maxRemembered = 1_000_000
  /// Dead letters of one chain.
  public var maxDeadLetters = 10_000
  /// Bytes that stay free on the disk of the store.
  public var minFreeBytes = 64 << 20
  /// Whether the server has a store. The program opens it.
  public var hasStore = false
  /// The topics of which the operator's file keeps events (section 14).
  public var keptTopics: [KeptTopics] = []
  /// What is told as `epoch`: it is another one at each start. The program draws it.
  public var epoch = "0"
  /// How large the pieces of long work are. It is not for operators: tests make them small or large.
  package var pieces = Pieces()
  /// The chains that the operator's file declares; each chain once.
  public var chains: [ChainDeclaration] = []
  /// Declares a guarded place (`--guard`).
  public mutating func declareGuard(_ place: GuardedPlace) { chains.add(place) }

  /// What the process knows about itself, for `inspect` of the server.
  public var process = ProcessFacts()
  /// The seed of the tables that hash peers' words. The server chooses a new random seed at each start, so that no peer
  /// can choose words that collide. Tests do not change it.
  public var hashSeed: UInt64 = 0
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
  }

  /// Settings with the contract's defaults.
  public init() {}
}
