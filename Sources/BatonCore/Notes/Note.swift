/// Something that has happened, and that `inspect` tells later: a change of a chain, or the end of a connection.
struct Note {
  let at: Instant
  /// The chain that it is about; nil if it is about the server.
  var chain: String?
  /// The members of a JSON object.
  let members: String
  /// Whether it names several chains: it is for those who see all.
  var isOfAllChains = false
}
