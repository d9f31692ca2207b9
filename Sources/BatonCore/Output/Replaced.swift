/// What a request takes the place of: a link, and what its patterns count.
struct Replaced {
  /// The patterns that go of the connection that asks.
  var ofConnection = 0
  /// The links and patterns that go of all.
  var links = 0
  var patterns = 0
  /// Those of them that count for the account of the connection that asks: all; what is left; what lasts.
  var ofAccount = PeerAccount.Holding()
  var left = PeerAccount.Holding()
  var lasting = PeerAccount.Holding()
}
