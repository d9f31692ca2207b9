import BatonClient

/// What the server tells beside its chains (contract, section 8, `Inspect`).
extension Inspection {
  /// The last message that a link failed.
  struct LastFailure: Decodable {
    let cause: String
    let message: String?
    let walk: Int
    let agoMilliseconds: Int

    enum CodingKeys: String, CodingKey {
      case cause, message, walk
      case agoMilliseconds = "ago_ms"
    }
  }

  /// Ten seconds of a link.
  struct Sample: Decodable, CountedFailures {
    /// The time since its end.
    let agoMilliseconds: Int
    let messages: Int
    let handled, `continue`, reject, timeout, disconnect, failed, overload, breaker: Int?

    enum CodingKeys: String, CodingKey {
      case messages, handled, `continue`, reject, timeout, disconnect, failed, overload, breaker
      case agoMilliseconds = "ago_ms"
    }
  }

  /// The durable messages of a chain: all that have not ended, and of them those that wait for their first try, for
  /// another try, for nothing but room, and for a verdict; and beside them the dead letters.
  struct StoredMessages: Decodable {
    let messages, dead: Int
    let delayed, waiting, due, underWay: Int?

    enum CodingKeys: String, CodingKey {
      case messages, delayed, waiting, due, dead
      case underWay = "under_way"
    }
  }

  /// What a server has on its disk.
  struct Store: Decodable {
    let messages, dead: Int
    let bytes: Int?
  }

  /// A message under way.
  struct OpenMessage: Decodable {
    let walk: Int
    let topic: String
    let chain: String
    let handler: String?
    let state: String
    let ageMilliseconds: Int
    let from: String
    let key: String?

    enum CodingKeys: String, CodingKey {
      case walk, topic, chain, handler, state, from, key
      case ageMilliseconds = "age_ms"
    }
  }

  /// A connection.
  struct Connection: Decodable {
    let connection: Int
    let name: String
    let address: String?
    let sinceMilliseconds: Int
    let links: Int
    let subscriptions: Int
    let open: Int
    let unsentBytes: Int
    let missed: Int
    let paused: String?

    enum CodingKeys: String, CodingKey {
      case connection, name, address, links, subscriptions, open, missed, paused
      case sinceMilliseconds = "since_ms"
      case unsentBytes = "unsent_bytes"
    }
  }

  /// A connection that was closed.
  struct ClosedConnection: Decodable {
    let connection: Int
    let name: String
    let reason: String
    let agoMilliseconds: Int

    enum CodingKeys: String, CodingKey {
      case connection, name, reason
      case agoMilliseconds = "ago_ms"
    }
  }

  /// A link that came, went or changed, or a connection that was closed by another one.
  struct Change: Decodable {
    let what: String
    let chain: String?
    let handler: String?
    let mount: String?
    /// The new name of a link that was replaced.
    let `as`: String?
    let version: Int?
    let connection: Int?
    let name: String?
    let by: String?
    let agoMilliseconds: Int

    enum CodingKeys: String, CodingKey {
      case what, chain, handler, mount, `as`, version, connection, name, by
      case agoMilliseconds = "ago_ms"
    }
  }
}

extension Inspection.Link {
  /// The messages of the last ten minutes in pieces of ten seconds, the oldest first; nil if the link has no history.
  var messagesByTenSeconds: [Int]? {
    guard let history else { return nil }
    var counts = Array(repeating: 0, count: 60)
    for sample in history {
      let place = counts.count - 1 - sample.agoMilliseconds / 10_000
      if counts.indices.contains(place) { counts[place] = ServerLine.sum(counts[place], sample.messages) }
    }
    return counts
  }
}
