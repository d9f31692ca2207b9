import ArgumentParser
import BatonClient
import BatonConfig
import BatonCore

/// `baton token`: makes a token.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Make a token for a peer.",
    discussion: """
      The first line of the output is the token; it is shown only now. The lines after it are for the server's file, \
      under peers: they have the token's SHA-256 only. Give the token to the peer's programs. For one token that \
      everybody must show, and no file, use the name owner, and give the token to the server in its BATON_TOKEN.

      EXAMPLES:
        baton token moderator
        (umask 077; baton token owner | head -n 1 > owner.token)
      """)

  @Argument(help: "The peer's name in the server's file.")
  var name: String

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    if name != PeerEntry.owner, let complaint = PeerEntry.complaint(tokenFor: name) { throw ValidationError(complaint) }
  }

  func run() throws {
    let token = Token()
    let digest = TokenDigest(of: token.text).spelling
    if json {
      return try put(
        "{\"name\":\(Payload(text: name).json),\"token\":\"\(token.text)\",\"digest\":\"\(digest)\"}")
    }
    try put(token.text)
    // The owner stands in no file.
    guard name != PeerEntry.owner else { return }
    try put("\(name):")
    try put("  token: \(digest)")
  }
}
