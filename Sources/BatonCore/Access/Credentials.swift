/// By what a connection is known: kept until its end, because a reload finds each identity anew. Its connection alone has
/// it; it is a class, because most servers ask nobody, and their connections have none.
final class Credentials {
  let facts: PeerFacts
  /// When it could speak for the first time.
  let since: Instant
  /// The digest of the token that it gave last; nil if it gave none.
  var token: TokenDigest?
  /// The name that it said in `hello`; empty if none.
  var said = ""

  init(facts: PeerFacts, since: Instant) {
    self.facts = facts
    self.since = since
  }
}
