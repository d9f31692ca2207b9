import ArgumentParser
import BatonClient
import BatonCore

/// `baton mount`: makes one chain a link of another.
struct Mount: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make one chain a link of another chain.",
    discussion: """
      A message that the links of CHAIN before the mount do not handle walks the chain ON. If no link there handles \
      it, it continues at the links of CHAIN behind the mount. In a pipe the rank and the position are printed, with a \
      tab between them.

      EXAMPLES:
        baton mount kitchen house
        baton mount kitchen house --accepts 'public.>' --before cook
        baton mount main checks --at front --together
      """)

  @Argument(help: "The chain that gets the new link.", completion: Completing.chain, transform: SaidWords.name)
  var chain: String

  @Argument(help: "The chain that is mounted there.", completion: Completing.chain, transform: SaidWords.name)
  var on: String

  @Option(
    help: ArgumentHelp("A pattern of the topics that may pass; may be repeated. (default: >)", valueName: "pattern"),
    completion: Completing.pattern, transform: SaidWords.pattern)
  var accepts: [String] = []

  @Option(
    help: ArgumentHelp(
      "Mount it for a part of the messages only, by their keys: 5 for five of a hundred. (default: all)",
      valueName: "number"),
    transform: SaidWords.whole)
  var percent: Int?

  @Option(
    help: ArgumentHelp(
      "Mount it for messages only that fit this condition, or may fit it; baton when tries it.", valueName: "condition"),
    transform: SaidWords.condition)
  var when: Payload?

  @Flag(help: "Ask the links of ON at once; the message goes on when all have let it pass.")
  var together = false

  @OptionGroup(title: "Place") var place: PlaceOptions

  @OptionGroup var server: ServerOptions

  /// What the server says of the new link.
  private struct Mounted: Decodable {
    let rank: Double
    let position, links: Int
  }

  func validate() throws { try SaidWords.check(percent, "--percent", isIn: MemberRange.percent) }

  func run() async throws {
    var members = RequestMembers()
    members.add("chain", text: chain)
    members.add("on", text: on)
    try members.add("accepts", texts: accepts)
    try members.add("percent", number: percent)
    if let when { members.add("when", when) }
    if together { members.add("together", try Payload(true)) }
    try place.add(to: &members)
    let request = members.all
    try await server.withClient { client in
      try await ChainHint(client: client, server: server).whereThereIsNo(
        on, besides: [place.before, place.after], in: chain
      ) { try await mount(request, client) }
    }
  }

  private func mount(_ request: [(String, Payload)], _ client: Client) async throws {
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
