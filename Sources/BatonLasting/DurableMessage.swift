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
package struct DurableMessage: Sendable {
  /// Where its lines go; nil with `"reply":false`. A ticket is a number that the caller uses for one request.
  package var ticket: UInt64?
  /// The connection that it came by: senders without an identity take turns by it.
  package var sender: UInt64 = 0
  /// Empty where there are no identities.
  package var identity: [UInt8]
  package var chain: [UInt8]
  package var content: DurableContent
  package var rules: TryRules
  /// What passes before the first try.
  package var delayMilliseconds: UInt32 = 0
  /// The sender's own name for it, and how long it is remembered after its end.
  package var once: [UInt8]?
  package var rememberedMilliseconds: UInt32 = 3_600_000
  /// Whether the router has ordinary messages of this key, that came before. `keyFree` tells when they have ended.
  package var isKeyBusy = false

  package init(ticket: UInt64?, identity: [UInt8], chain: [UInt8], content: DurableContent, rules: TryRules) {
    (self.ticket, self.identity, self.chain) = (ticket, identity, chain)
    (self.content, self.rules) = (content, rules)
  }
}
