import BatonClient

/// What the server tells of its chains and, if asked, of itself.
struct Inspection: Decodable {
  var chains: [Chain]
  /// Whether there are more links than it tells.
  var more: Bool?
  /// Where the next page begins.
  var after: String?
  let server: ServerFacts?
  /// The oldest messages under way, if they were asked for.
  let messages: [OpenMessage]?
  /// The connections, and those that were closed last, if they were asked for.
  let connections: [Connection]?
  let closed: [ClosedConnection]?
  /// The last changes, if they were asked for.
  let changes: [Change]?
  /// What the server finds wrong, if it was asked; another request tells it.
  var findings: ServerFindings?

  enum CodingKeys: String, CodingKey { case chains, more, after, server, messages, connections, closed, changes }

  /// One chain.
  struct Chain: Decodable {
    let chain: String
    let version: Int
    let keyed: Int?
    let keyedOldestMilliseconds: Int?
    /// Its durable messages; nil if there are none.
    let stored: StoredMessages?
    var links: [Link]

    enum CodingKeys: String, CodingKey {
      case chain, version, keyed, stored, links
      case keyedOldestMilliseconds = "keyed_oldest_ms"
    }
  }

  /// One link. A mount has a name, a place and `accepts`; all other members are of handlers.
  struct Link: Decodable, CountedFailures {
    let handler: String?
    let mount: String?
    let rank: Double
    let position: Int
    let accepts: [String]
    /// For which part of the messages it is; nil: for all.
    let percent: Int?
    /// Its condition, and how often it was asked in doubt.
    let when: Payload?
    let doubtful: Int?
    /// Of a mount: whether the links of that chain are asked at once.
    let together: Bool?
    let connections: Int?
    let open: Int?
    let waiting: Int?
    let oldestMilliseconds: Int?
    let window: Int?
    let state: String?
    /// What the server finds wrong with it, the worst first; nil of an older server, and if nothing is wrong.
    let findings: [String]?
    let handled: Int?
    let `continue`: Int?
    let reject: Int?
    let failed: Int?
    let timeout: Int?
    let disconnect: Int?
    let overload: Int?
    let breaker: Int?
    let agreed: Int?
    let disagreed: Int?
    let medianMicroseconds: Int?
    let highMicroseconds: Int?
    /// The same, of the last minute.
    let lastMedianMicroseconds: Int?
    let lastHighMicroseconds: Int?
    let lastFailure: LastFailure?
    /// Whether its place stays without a handler.
    let required: Bool?
    /// What its failures mean to messages; nil: they go on.
    let onFailure: Policy?
    /// The last ten minutes, if they were asked for.
    let history: [Sample]?

    enum CodingKeys: String, CodingKey {
      case handler, mount, rank, position, accepts, percent, when, doubtful, together, connections, open, waiting
      case window, state, findings
      case handled, `continue`, reject, failed, timeout, disconnect, overload, breaker, agreed, disagreed
      case oldestMilliseconds = "oldest_ms"
      case medianMicroseconds = "p50_us"
      case highMicroseconds = "p99_us"
      case lastMedianMicroseconds = "p50_us_1m"
      case lastHighMicroseconds = "p99_us_1m"
      case lastFailure = "last_failure"
      case history, required
      case onFailure = "on_failure"
    }

    var name: String { handler ?? mount ?? "" }

    /// Offers that have come to an end.
    var settled: Int { [handled, `continue`, reject, failed, timeout].reduce(0) { $0 &+ ($1 ?? 0) } }
  }

  /// The server.
  struct ServerFacts: Decodable {
    let version: String
    let uptimeMilliseconds: Int
    let connections: Int
    let subscriptions: Int
    let links: Int
    let open: Int
    let perSecond: Int
    let messages: Int
    let openBytes: Int
    let unsentBytes: Int
    let unfinishedBytes: Int
    let missed: Int
    let memoryBytes: Int
    let fileLimit: Int
    let draining: Bool?
    let paused: [PausedConnection]
    /// What is on its disk; nil if it has no store.
    let store: Store?

    enum CodingKeys: String, CodingKey {
      case version, connections, subscriptions, links, open, messages, missed, draining, paused, store
      case uptimeMilliseconds = "uptime_ms"
      case perSecond = "per_second"
      case openBytes = "open_bytes"
      case unsentBytes = "unsent_bytes"
      case unfinishedBytes = "unfinished_bytes"
      case memoryBytes = "memory_bytes"
      case fileLimit = "file_limit"
    }
  }

  /// A connection that the server does not read from now.
  struct PausedConnection: Decodable {
    let connection: Int
    let name: String
    let why: String
    let forMilliseconds: Int
    let open: Int
    let unsentBytes: Int

    enum CodingKeys: String, CodingKey {
      case connection, name, why, open
      case forMilliseconds = "for_ms"
      case unsentBytes = "unsent_bytes"
    }
  }
}

extension Inspection {
  /// Adds the next page. A chain whose links are on both is one.
  mutating func add(_ next: Inspection) {
    (more, after) = (next.more, next.after)
    var added = next.chains[...]
    if let first = added.first, let last = chains.indices.last, chains[last].chain == first.chain {
      chains[last].links += first.links
      added = added.dropFirst()
    }
    chains += added
  }
}

/// What tells how often messages failed, by cause.
protocol CountedFailures {
  var timeout: Int? { get }
  var disconnect: Int? { get }
  var failed: Int? { get }
  var overload: Int? { get }
  var breaker: Int? { get }
}

extension CountedFailures {
  /// The causes for which messages failed, with how often, in the contract's order.
  var failures: [(cause: String, count: Int)] {
    [
      ("timeout", timeout), ("disconnect", disconnect), ("failed", failed), ("overload", overload),
      ("breaker", breaker),
    ].map { ($0, $1 ?? 0) }
  }
}
