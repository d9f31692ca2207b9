import ArgumentParser
import BatonClient
import BatonConfig
import BatonCore

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// `baton token`: makes a token.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Make a token for a peer.",
    discussion: """
      The first line of the output is the token; it is shown only now. The lines after it are for the configuration file, \
      under peers: they have the token's SHA-256 only. Give the token to the peer's programs. For one token that \
      everybody must show, and no file, use the name owner, and give the token to the server in its BATON_TOKEN.

      With --out the token goes into a new file that only you can read, and the output has the lines for the server's \
      file alone.

      EXAMPLES:
        baton token moderator
        baton token moderator --out moderator.token --may 'serve moderation/words'
        baton token owner --out owner.token
      """)

  @Argument(help: "The peer's name in the configuration file.")
  var name: String

  @Option(help: ArgumentHelp("Write the token into this file, which is not there yet.", valueName: "file"))
  var out: String?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("A right of the peer, for the lines of the file; once for each.", valueName: "right"))
  var may: [String] = []

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    for right in may {
      do throws(RightError) { _ = try Right(parsing: right) } catch {
        throw ValidationError("--may '\(right)': \(error.message) (at character \(error.offset + 1))")
      }
    }
    if name != PeerEntry.owner, let complaint = PeerEntry.complaint(tokenFor: name) { throw ValidationError(complaint) }
  }

  func run() throws {
    let token = Token()
    let digest = TokenDigest(of: token.text).spelling
    if json {
      return try put(
        json: "{\"name\":\(Payload(text: name).json),\"token\":\"\(token.text)\",\"digest\":\"\(digest)\"}")
    }
    if let out { try keep(token.text, in: out) } else { try put(token.text) }
    // The owner stands in no file.
    guard name != PeerEntry.owner else { return }
    try put("\(name):")
    try put("  token: \(digest)")
    guard !may.isEmpty else { return try put("  may: []  # nothing yet; rights are such as [send to main, see main]") }
    try put("  may:")
    for right in may { try put("    - '\(right)'") }
  }

  /// Nobody else may read the file, at no time. What is there already stays.
  private func keep(_ token: String, in path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw cannotKeep(in: path) }
    defer { close(file) }
    let line = Array("\(token)\n".utf8)
    guard write(file, line, line.count) == line.count else { throw cannotKeep(in: path) }
  }

  private func cannotKeep(in path: String) -> ExitCode {
    let why = String(cString: strerror(errno))
    talk("baton: cannot write the token into \(path): \(why)".displaySafe)
    return .failure
  }
}
