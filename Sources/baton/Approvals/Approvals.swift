import ArgumentParser
import BatonClient
import BatonConfig

/// `baton approvals`: a person decides where the person is, in a browser.
struct Approvals: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Let people decide about messages in a browser, or behind a link.",
    discussion: """
      Each message that reaches the link human of the chain tools waits here for a person, as long as its sender allows. \
      People decide in the console (Waiting), with messages down the chain approvals, or behind a link for one question. \
      What is approved goes on as it was asked, to the next link; let permit alone stand behind the person. A second \
      before a message's time is over, the link answers "failed".

      No message passes while this command is away, and what waits is lost with it: the link is a guard. Without a link, \
      only identities of the server's configuration file decide. Whoever has a link decides, with --pin-file only \
      together with the PIN. Links are printed on a terminal, with --json, and pushed; nothing is kept.

      EXAMPLES:
        baton approvals
        baton approvals 'tool.>' --chain tools --name human --token-file desk.token
        baton approvals --public https://baton.example --push ntfy.yaml --pin-file pin
      """)

  @Argument(
    help: ArgumentHelp(
      "Patterns of the topics to decide about: * stands for one word, > for all the rest.", valueName: "pattern"),
    completion: Completing.pattern, transform: SaidWords.pattern)
  var patterns: [String] = [">"]

  @Option(help: "The link's name in the chain.", completion: Completing.handler, transform: SaidWords.name)
  var name = "human"

  @Option(help: "The chain.", completion: Completing.chain, transform: SaidWords.name)
  var chain = "tools"

  @Option(
    name: .customLong("public"),
    help: ArgumentHelp(
      "Where browsers reach the server's console: https://host. http: is for this machine alone.",
      valueName: "address"))
  var address = "http://127.0.0.1:22868"

  @Option(
    help: ArgumentHelp(
      "A link takes the PIN in this file, too: 4 to 64 digits or letters. Five wrong ones refuse the question.",
      valueName: "file"), completion: .file())
  var pinFile: String?

  @Option(
    help: ArgumentHelp(
      "Post a line and the link of each question to the web service that this file names; once for each.",
      valueName: "file"), completion: .file())
  var push: [String] = []

  @OptionGroup(title: "Server")
  var server: ServerOptions

  /// The chain down which people decide, and its link.
  static let door = (chain: "approvals", link: "desk")

  func validate() throws {
    if chain == Self.door.chain { throw ValidationError("people decide down the chain approvals; ask about another") }
    _ = try links()
  }

  /// How links begin.
  private func links() throws -> String {
    let name: HTTPName
    do throws(HTTPName.Complaint) { name = try HTTPName(publicAddress: address) } catch {
      throw ValidationError("--public: \(error.message)")
    }
    let host = (name.host ?? "").drop { $0 == "[" }.prefix { $0 != "]" }
    guard name.text.hasPrefix("https:") || ListenEntry.isLoopback(String(host)) else {
      throw ValidationError("--public: \(name.text) is not encrypted, and links would be read on the way; write https:")
    }
    return name.text + "/ask#"
  }

  func run() async throws {
    let pin = try pinFile.map { try ApprovalPIN(file: $0) }
    let pushes = try push.map { try Push(file: $0) }
    let desk = ApprovalDesk(
      ApprovalBook(pin: pin), links: try links(), pushes: pushes, form: server.form)
    var human = Link(name, in: chain, accepts: patterns)
    human.isGuard = true
    human.window = 256
    // A day: so an offer has the whole time of its message.
    human.timeout = .seconds(86_400)
    var door = Link(Self.door.link, in: Self.door.chain, accepts: ["approvals.>"])
    door.window = 64
    let (isLost, lose) = AsyncStream.makeStream(of: Void.self)
    let baton = server.baton(named: Self.door.link).reporting { talk("baton: \($0)") }.losing { lose.yield() }
      .handler(human, beginning: desk.take).handler(door) { try await desk.answer($0) }
    try await server.telling {
      let client = try await baton.connectPatiently()
      await desk.begin(with: client)
      if await client.may == nil {
        talk("baton: people decide about \(chain) behind links alone, for this server is without authentication")
      } else {
        talk("baton: people decide about \(chain) at \(try links().dropLast("ask#".count))#waiting")
      }
      let losing = Task { for await _ in isLost { await client.close() } }
      try await client.untilClosed()
      losing.cancel()
      talk("baton: a link was removed, or somebody else has taken it over; what waited is refused")
      throw ExitCode.failure
    }
  }
}
