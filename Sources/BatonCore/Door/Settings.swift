/// Everything about the router that can be set: each limit and each duration of the contract, one place for all.
///
/// `Settings.table` names each with its unit, its range and its reason; command line, transcripts and documentation
/// read that table, so that a setting is added in one file.
public struct Settings: Sendable {
  /// Bytes a line may take, its LF included (section 2).
  public var maxLine = 1 << 20
  /// Levels a line may be nested, its own object counting as 1 (section 2).
  public var maxDepth = 128
  /// Milliseconds from a line's first byte to its LF (section 9, `line_timeout`).
  public var lineTimeoutMilliseconds = 30_000
  /// Milliseconds that the server reads and drops after it has shut down its writing side (section 2).
  public var lingerMilliseconds = 1000
  /// A message's deadline in milliseconds where `send` names none (section 4).
  public var timeoutMilliseconds = 30_000
  /// Offers open at once with one connection of a link where `insert` names no `window` (section 5).
  public var window = 256
  /// Offers running that have to run out until a handler is left alone (section 6, `breaker`).
  public var breakerOffers = 5
  /// The least time in milliseconds that an offer must have had to count for that, where its link has no own
  /// `timeout_ms`.
  public var breakerLeastMilliseconds = 1000
  /// Milliseconds that a handler is left alone until one message tries it again.
  public var breakerMilliseconds = 10_000
  /// Milliseconds from `drain` until what is still open ends with `timeout` (section 8).
  public var drainMilliseconds = 25_000
  /// Connections at once (section 10).
  public var maxConnections = 10_000
  /// Messages of one connection under way at once (section 10).
  public var maxOpenMessages = 4096
  /// Bytes of one connection's messages under way (section 10).
  public var maxOpenBytes = 64 << 20
  /// Bytes of all messages under way, with their results (section 10).
  public var maxTotalBytes = 1 << 30
  /// Messages that wait for one link (section 10).
  public var maxQueueMessages = 10_000
  /// Bytes of the messages that wait for one link (section 10).
  public var maxQueueBytes = 64 << 20
  /// Unsent bytes past which offers stay in their link's queue (section 10).
  public var offersUnsentBytes = 1 << 20
  /// Unsent bytes past which events are dropped and told as missed (section 10).
  public var eventsUnsentBytes = 4 << 20
  /// Unsent bytes past which the server does not read from the connection (section 10).
  public var readingUnsentBytes = 8 << 20
  /// Unsent bytes past which the connection is closed as too slow (section 10).
  public var maxUnsentBytes = 64 << 20
  /// Unsent bytes of all connections past which the furthest behind is closed; events may take half of it.
  public var maxTotalUnsentBytes = 1 << 30
  /// Milliseconds without a byte taken, past `readingUnsentBytes`, until the connection is too slow (section 10).
  public var slowMilliseconds = 10_000
  /// Bytes of all connections' unfinished lines (section 10).
  public var maxUnfinishedBytes = 256 << 20
  /// Links in all chains (section 10).
  public var maxLinks = 200_000
  /// Places that are kept although nobody serves them (section 10).
  public var maxEmptyPlaces = 10_000
  /// Patterns of one connection's subscriptions and links (section 10).
  public var maxPatterns = 100_000
  /// Offers of one connection that ran out and were never answered (section 10).
  public var maxLapsedOffers = 65_536
  /// Errors about form within `errorsMilliseconds` before the connection is closed (section 9, `too_many_errors`).
  public var maxErrors = 100
  /// The window in milliseconds over which `maxErrors` counts.
  public var errorsMilliseconds = 10_000
  /// Topics per chain whose list of links is kept.
  public var maxCachedTopics = 4096
  /// Bytes of all kept lists of links.
  public var maxCachedBytes = 64 << 20
  /// Places that are there, empty and required, from the start.
  public var guardedPlaces: [GuardedPlace] = []
  /// What the process knows of itself, for `inspect` of the server.
  public var process = ProcessFacts()
  /// Seeds the tables that peers' words are hashed into. The server draws it anew at each start, so that no peer can
  /// choose words that collide; tests leave it alone.
  public var hashSeed: UInt64 = 0
  /// What `welcome` and start-up tell as the server's version.
  public var version = Settings.version

  /// Bytes that `payload` and `meta` may take together at every step of a walk, so that offers, events and plain
  /// results fit `max_line` (section 2).
  var maxCargo: Int { maxLine - 4096 }

  /// This server's version.
  public static let version = "0.1.0"
  /// The version of the contract that it speaks.
  public static let protocolVersion = 1

  var protocolVersion: Int { Settings.protocolVersion }

  /// The contract's defaults.
  public init() {}
}
