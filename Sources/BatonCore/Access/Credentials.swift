/// By what a connection is known: kept until its end, because a reload finds each identity anew.
struct Credentials {
  var facts: PeerFacts
  /// When it could speak for the first time.
  var since: Instant
  /// The digest of the token that it gave last; nil if it gave none.
  var token: TokenDigest?
  /// The name that it said in `hello`; empty if none.
  var said = ""
}
