import ArgumentParser
import BatonClient

/// `baton move`: gives a link another place in its chain.
struct Move: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Give a handler, or a mounted chain, another place in its chain.",
    discussion: """
      Messages that are in the chain already walk it in the old order. Links that the configuration file declares are moved \
      there: change the file, and baton reload. In a pipe the rank and the position are printed, with a tab between them.

      EXAMPLES:
        baton move human --before model
        baton move kitchen --mount --chain house --at front
      """)

  @Argument(
    help: "The handler, or with --mount the mounted chain.", completion: Completing.link, transform: SaidWords.name)
  var link: String

  @Flag(help: "The link is a mounted chain.")
  var mount = false

  @Option(
    help: ArgumentHelp("The chain that it is in. (default: main)", valueName: "chain"), completion: Completing.chain,
    transform: SaidWords.name)
  var chain: String?

  @OptionGroup(title: "Place") var place: PlaceOptions

  @OptionGroup var server: ServerOptions

  /// What the server says of the link.
  private struct Moved: Decodable {
    let rank: Double
    let position, links: Int
  }

  func validate() throws {
    if place.said.isEmpty { throw ValidationError("say where: --at, --before, --after or --rank") }
  }

  func run() async throws {
    var members = RequestMembers()
    members.add("chain", text: chain)
    members.add(mount ? "on" : "handler", text: link)
    try place.add(to: &members)
    let request = members.all
    try await server.withClient { client in
      try await ChainHint(client: client, server: server).whereThereIsNo(
        link, besides: [place.before, place.after], in: chain ?? "main"
      ) {
        let reply = try await client.request("move", request)
        if server.json { return try put(reply.bytes) }
        let moved = try reply.decode(Moved.self)
        let rank = Figures.rank(moved.rank)
        switch server.form {
        case .people:
          try put("\(link) is link \(moved.position) of \(moved.links) in \(chain ?? "main"), at rank \(rank)")
        case .program, .json: try put("\(rank)\t\(moved.position)")
        }
      }
    }
  }
}
