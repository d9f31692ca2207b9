import ArgumentParser
import BatonClient

/// `baton remove`: takes a handler out of its chain.
struct Remove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take a handler out of its chain, or all places that nobody serves.",
    discussion: """
      This removes all replicas of the handler, and also a place that is held or required. The handler may still answer \
      the offers that it already has. --empty takes out all places of the chain that nobody serves, but for those of the \
      configuration file.
      """)

  @Argument(
    help: "The handler; not with --empty.", completion: Completing.handler, transform: SaidWords.name)
  var handler: String?

  @Flag(help: "All places of the chain that nobody serves.")
  var empty = false

  @Option(
    help: ArgumentHelp("The chain that it is in. (default: main)", valueName: "chain"), completion: Completing.chain,
    transform: SaidWords.name)
  var chain: String?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard empty == (handler != nil) else { return }
    throw ValidationError(
      empty ? "--empty takes out all places; leave out the handler" : "name a handler, or say --empty")
  }

  func run() async throws {
    var members = RequestMembers()
    members.add("chain", text: chain)
    if let handler { members.add("handler", text: handler) } else { members.add("empty", try Payload(true)) }
    let request = members.all
    try await server.withClient { client in
      guard let handler else { return try await tell(client.request("remove", request)) }
      try await ChainHint(client: client, server: server).whereThereIsNo(handler, in: chain ?? "main") {
        try await tell(client.request("remove", request))
      }
    }
  }

  private struct Removed: Decodable {
    let removed: Int
  }

  private func tell(_ reply: Payload) throws {
    let chain = chain ?? "main"
    switch server.form {
    case .json: try put(reply.bytes)
    case .people:
      guard let handler else {
        let count = try reply.decode(Removed.self).removed
        return try put("\(count) empty \(count == 1 ? "place is" : "places are") no longer in \(chain)")
      }
      try put("\(handler) is no longer in \(chain)")
    case .program: break
    }
  }
}
