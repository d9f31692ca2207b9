import BatonClient

/// What the server tells of its chains and, if asked, of itself.
struct Inspection: Decodable {
  var chains: [Chain]
  /// Whether there are more links than it tells.
  var more: Bool?
  /// Where the next page begins.
  var after: String?
  let server: ServerFacts?

  /// One chain.
  struct Chain: Decodable {
    let chain: String
    let version: Int
    let keyed: Int?
    let keyedOldestMilliseconds: Int?
    var links: [Link]

    enum CodingKeys: String, CodingKey {
      case chain, version, keyed, links
      case keyedOldestMilliseconds = "keyed_oldest_ms"
    }
  }

  /// One link. A mount has a name, a place and `accepts`; all other members are of handlers.
  struct Link: Decodable {
    let handler: String?
    let mount: String?
    let rank: Double
    let position: Int
    let accepts: [String]
    let connections: Int?
    let open: Int?
    let waiting: Int?
    let oldestMilliseconds: Int?
    let window: Int?
    let state: String?
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

    enum CodingKeys: String, CodingKey {
      case handler, mount, rank, position, accepts, connections, open, waiting, window, state
      case handled, `continue`, reject, failed, timeout, disconnect, overload, breaker, agreed, disagreed
      case oldestMilliseconds = "oldest_ms"
      case medianMicroseconds = "p50_us"
      case highMicroseconds = "p99_us"
    }

    var name: String { handler ?? mount ?? "" }

    /// The causes for which it failed messages, with how often, in the contract's order.
    var failures: [(cause: String, count: Int)] {
      [
        ("timeout", timeout), ("disconnect", disconnect), ("failed", failed), ("overload", overload),
        ("breaker", breaker),
      ].map { ($0, $1 ?? 0) }
    }

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

    enum CodingKeys: String, CodingKey {
      case version, connections, subscriptions, links, open, messages, missed, draining, paused
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
    let connection: String
    let why: String
    let forMilliseconds: Int
    let open: Int
    let unsentBytes: Int

    enum CodingKeys: String, CodingKey {
      case connection, why, open
      case forMilliseconds = "for_ms"
      case unsentBytes = "unsent_bytes"
    }
  }
}

/// What is to be inspected.
struct InspectionRequest: Sendable {
  /// One chain; nil: all.
  var chain: String?
  /// Whether the server tells of itself, too.
  var wantsServer = false
  /// The most pages that are asked for, if there are that many. A view that is drawn each second needs an end.
  var mostPages = Int.max

  /// The same for a view that is drawn each second.
  var live: InspectionRequest {
    var live = self
    live.mostPages = 5
    return live
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

extension Client {
  /// Inspects, page after page; returns the replies as they came, too.
  func inspect(_ wanted: InspectionRequest) async throws -> (seen: Inspection, lines: [Payload]) {
    var members: [(String, Payload)] = []
    if let chain = wanted.chain { members.append(("chain", Payload(text: chain))) }
    if wanted.wantsServer { members.append(("server", try Payload(true))) }
    var seen: Inspection?
    var lines: [Payload] = []
    do {
      for try await page in pages("inspect", members) {
        let next = try page.decode(Inspection.self)
        if seen?.add(next) == nil { seen = next }
        lines.append(page)
        if lines.count >= wanted.mostPages { break }
      }
    } catch is DecodingError {
      throw BatonError.refused(code: "bad_reply", message: "this program does not know the form of the server's answer")
    }
    guard let seen else { throw CancellationError() }
    return (seen, lines)
  }
}
