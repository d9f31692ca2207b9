import ArgumentParser
import BatonClient

/// `baton unmount`: undoes `baton mount`.
struct Unmount: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Take a mounted chain out of another.")

  @Argument(help: "The chain that loses the link.", completion: Completing.chain, transform: SaidWords.name)
  var chain: String

  @Argument(help: "The chain that is mounted there.", completion: Completing.chain, transform: SaidWords.name)
  var on: String

  @OptionGroup var server: ServerOptions

  func run() async throws {
    var members = RequestMembers()
    members.add("chain", text: chain)
    members.add("on", text: on)
    let request = members.all
    try await server.withClient { client in
      try await ChainHint(client: client, server: server).whereThereIsNo(on, in: chain) {
        let reply = try await client.request("unmount", request)
        switch server.form {
        case .json: try put(reply.bytes)
        case .people: try put("\(on) is no longer mounted in \(chain)")
        case .program: break
        }
      }
    }
  }
}
