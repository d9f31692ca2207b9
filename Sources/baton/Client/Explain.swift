import ArgumentParser
import BatonClient

/// `baton explain`: what each link would do with a message. Nothing is offered.
struct Explain: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what each link would do with a message, without sending it.",
    discussion: """
      In a pipe there is a line for each link, with tabs between the fields: the chain; handler or mount; the name; \
      offer, wait or skip; the reason; and stop if the message would fail there.

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
