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
        baton explain chat.a --key ann
        baton explain tool.run --payload '{"tool":"shell"}'
      """)

  @Argument(help: "The topic of the message.", completion: Completing.topic, transform: SaidWords.topic)
  var topic: String

  @Option(
    help: ArgumentHelp("The chain that it would walk. (default: main)", valueName: "chain"),
    completion: Completing.chain, transform: SaidWords.name)
  var chain: String?

  @Option(
    help: ArgumentHelp(
      "The key of the message: it decides about links for a part of the messages.", valueName: "key"),
    transform: SaidWords.key)
  var key: String?

  @Option(
    help: ArgumentHelp("The payload of the message: conditions look at it.", valueName: "json"),
    transform: SaidWords.json)
  var payload: Payload?

  @Option(
    help: ArgumentHelp("The meta of the message: conditions look at it.", valueName: "json"),
    transform: SaidWords.json)
  var meta: Payload?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    var members = RequestMembers()
    members.add("topic", text: topic)
    members.add("chain", text: chain)
    members.add("key", text: key)
    members.add("payload", payload)
    members.add("meta", meta)
    let request = members.all
    try await server.withClient { client in
      var whole: Explanation?
      for try await page in client.pages("explain", request) {
        if server.json {
          try put(page.bytes)
          continue
        }
        let next = try page.decode(Explanation.self)
        if whole?.add(next) == nil { whole = next }
      }
      guard let explanation = whole else { return }
      if explanation.version == nil {
        return await ChainHint(client: client, server: server).tell(thatNobodyServes: chain)
      }
      let isForPeople = server.form == .people
      let table = explanation.table(within: Terminal.size.columns, paint: .output)
      let lines = isForPeople ? table : explanation.fields
      for line in lines { try put(line) }
      if explanation.truncated == true { talk("the message would enter more chains than the server explains") }
    }
  }
}
