/// How a message is tried. Milliseconds are whole numbers.
package struct TryRules: BitwiseCopyable, Equatable, Sendable {
  /// Tries that count before it is a dead letter, at least 1.
  package var tries: UInt32
  /// What passes before the second try; it doubles with each further one, up to ten minutes.
  package var retryMilliseconds: UInt32
  /// Of one try.
  package var timeoutMilliseconds: UInt32
  /// From its acceptance; at most a week.
  package var expiresMilliseconds: UInt32

  package init(tries: UInt32, retryMilliseconds: UInt32, timeoutMilliseconds: UInt32, expiresMilliseconds: UInt32) {
    self.tries = max(1, tries)
    self.retryMilliseconds = max(1, retryMilliseconds)
    self.timeoutMilliseconds = timeoutMilliseconds
    self.expiresMilliseconds = expiresMilliseconds
  }
}

/// A `send` with `"durable":true`, checked by the router: its members, and who sent it.
package struct DurableSend: Sendable {
  /// Where its lines go; nil with `"reply":false`. A ticket is a number that the caller uses for one request.
  package var ticket: UInt64?
  /// The connection that it came by: senders without an identity take turns by it.
  package var sender: UInt64 = 0
  /// Empty where there are no identities.
  package var identity: [UInt8]
  package var chain: [UInt8]
  package var content: Content
  package var rules: TryRules
  /// What passes before the first try.
  package var delayMilliseconds: UInt32 = 0
  /// The sender's own name for it, and how long it is remembered after its end.
  package var once: [UInt8]?
  package var rememberedMilliseconds: UInt32 = 3_600_000
  /// Whether the router has ordinary messages of this key, that came before. `keyFree` tells when they have ended.
  package var isKeyBusy = false

  package init(ticket: UInt64?, identity: [UInt8], chain: [UInt8], content: Content, rules: TryRules) {
    (self.ticket, self.identity, self.chain) = (ticket, identity, chain)
    (self.content, self.rules) = (content, rules)
  }
}

/// A chain of the operator's file.
package struct KeptChain: Sendable {
  package var name: [UInt8]
  /// Tries that may be open at once: what its links take at once, at least 1.
  package var window: Int

  package init(name: [UInt8], window: Int) { (self.name, self.window) = (name, max(1, window)) }
}

/// A declared link, by the chain in which it stands and its name.
package struct KeptLink: Equatable, Sendable {
  package var chain: [UInt8]
  package var name: [UInt8]

  package init(chain: [UInt8], name: [UInt8]) { (self.chain, self.name) = (chain, name) }
}

/// How a try ended.
package struct TryEnd: Sendable {
  package enum Status: UInt8, BitwiseCopyable, Sendable, CaseIterable {
    case handled, rejected, unhandled, failed, timeout
  }
  package var status: Status
  /// The `result` without what the keeper adds: `stored`, `try` and `dead`.
  package var result: [UInt8]
  /// Whether some handler had the offer (a shadow's copy is none), and it passed no empty declared link that accepts it.
  package var counts: Bool
  /// Whether a handler had the offer: the next offers say `again`.
  package var wasOffered = true
  /// The links that were empty, or that a breaker left alone, if it does not count. Served again, they wake it.
  package var passed: [KeptLink]
  /// Whether one of them is in its way no more already.
  package var isOvertaken = false

  package init(_ status: Status, result: [UInt8], counts: Bool = true, passed: [KeptLink] = []) {
    (self.status, self.result, self.counts, self.passed) = (status, result, counts, passed)
  }
}

/// Settings of the keeper.
package struct KeeperLimits: Sendable {
  /// `max_stored_messages`, without dead letters.
  package var storedMessages = 1_000_000
  /// `max_stored_bytes`, with dead letters and results.
  package var storedBytes = 4 << 30
  /// `max_dead_letters`, of a chain.
  package var deadLetters = 10_000
  /// `max_remembered`: names of `once` whose messages have ended.
  package var remembered = 1_000_000
  /// `min_free_bytes` of the disk.
  package var freeBytes = 64 << 20
  /// Tries that are open at once, of all chains.
  package var openTries = 1024
  /// Bytes of their contents, which are in memory until a try has ended; one of any size may always be open.
  package var openBytes = 256 << 20
  /// Bytes that the store gets at once.
  package var bytesAtOnce = 4 << 20
  /// Bytes that it has to read at once, and one message of any size.
  package var bytesReadAtOnce = 1 << 20
  /// What one turn does at most, of each kind of work.
  package var stepsPerTurn = 128
  /// Requests that wait for the result of one message.
  package var hearers = 8
  /// Milliseconds between two repetitions of tries that do not count, of one chain.
  package var repeatMilliseconds: UInt64 = 10

  package init() {}
}
