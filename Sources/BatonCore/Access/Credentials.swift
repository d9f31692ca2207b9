/// By what a connection is known: kept until its end, because a reload finds each identity anew.
struct Credentials {
  let facts: PeerFacts
  /// The digest of the token that it gave last; nil if it gave none.
  var token: TokenDigest?
  /// The name that it said in `hello`; empty if none.
  var said = ""
}
