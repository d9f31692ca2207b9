import ArgumentParser
import BatonClient

/// `baton explain`: what would become of a message, link by link. Nothing is offered.
struct Explain: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what would become of a message, link by link, without sending it.",
    discussion: """
      In a pipe each link is a line of chain, handler or mount, its name, what it would do (offer, wait, skip), why, \
      and stop where the message would fail there, with tabs between.

      EXAMPLES:
        baton explain door.open
        baton explain public.soup --chain kitchen
      """)

  @Argument(help: "The topic of the message.")
  var topic: String

  @Option(help: ArgumentHelp("The chain that it would walk. (default: main)", valueName: "chain"))
  var chain: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    var members = RequestMembers()
    members.add("topic", text: topic)
    members.add("chain", text: chain)
    let request = members.all
    try await server.withClient { client in
      let reply = try await client.request("explain", request)
      if server.json { return try put(reply.bytes) }
      let explanation = try reply.decode(Explanation.self)
      if explanation.version == nil { return await ChainHint(client: client).tell(thatNobodyServes: chain ?? "main") }
      let isForPeople = server.form == .people
      let table = explanation.table(within: Terminal.size.columns, paint: .output)
      let lines = isForPeople ? table : explanation.fields
      for line in lines { try put(line) }
    }
  }
}
