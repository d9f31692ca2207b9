import ArgumentParser
import BatonClient

/// `baton mount`: makes one chain a link of another.
struct Mount: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Mount a chain in another: what gets there goes on along it.",
    discussion: """
      What the links of CHAIN before the mount leave unhandled goes on to the chain ON, and what that leaves \
      unhandled goes on to the links of CHAIN behind. In a pipe rank and position are printed, with a tab between.

      EXAMPLES:
        baton mount kitchen house
        baton mount kitchen house --accepts 'public.>' --before cook
      """)

  @Argument(help: "The chain that gets a link more.")
  var chain: String

  @Argument(help: "The chain that is mounted there.")
  var on: String

  @Option(help: ArgumentHelp("Topics that may pass, as a pattern; may be repeated. (default: >)", valueName: "pattern"))
  var accepts: [String] = []

  @OptionGroup(title: "Place") var place: PlaceOptions

  @OptionGroup var server: ServerOptions

  /// What the server says of the new link.
  private struct Mounted: Decodable {
    let rank: Double
    let position, links: Int
  }

  func run() async throws {
    var members = RequestMembers()
    members.add("chain", text: chain)
    members.add("on", text: on)
    try members.add("accepts", texts: accepts)
    try place.add(to: &members)
    let request = members.all
    try await server.withClient { client in
      let reply = try await client.request("mount", request)
      if server.json { return try put(reply.bytes) }
      let mounted = try reply.decode(Mounted.self)
      let rank = Figures.rank(mounted.rank)
      switch server.form {
      case .people: try put("\(on) is link \(mounted.position) of \(mounted.links) in \(chain), at rank \(rank)")
      case .program, .json: try put("\(rank)\t\(mounted.position)")
      }
    }
  }
}
