import ArgumentParser
import BatonClient

/// `baton remove`: takes a handler out of its chain.
struct Remove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take a handler out of its chain.",
    discussion: """
      This removes all its replicas, and also a place that is held or required. The handler may still answer the \
      offers that it already has.
      """)

  @Argument(help: "The handler.", completion: Completing.handler, transform: SaidWords.name)
  var handler: String

  @Option(
    help: ArgumentHelp("The chain that it is in. (default: main)", valueName: "chain"), completion: Completing.chain,
    transform: SaidWords.name)
  var chain: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    var members = RequestMembers()
    members.add("chain", text: chain)
    members.add("handler", text: handler)
    let request = members.all
    try await server.withClient { client in
      try await ChainHint(client: client, server: server).whereThereIsNo(handler, in: chain ?? "main") {
        let reply = try await client.request("remove", request)
        switch server.form {
        case .json: try put(reply.bytes)
        case .people: try put("\(handler) is no longer in \(chain ?? "main")")
        case .program: break
        }
      }
    }
  }
}
