import ArgumentParser
import BatonClient

/// `baton close`: closes the connection of another program.
struct Close: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Close a connection.",
    discussion: """
      Its links, messages and subscriptions end as with a lost connection. Its program is told who closed it. It may \
      come back: the libraries connect again after five seconds. To keep it away, end the program.

      EXAMPLES:
        baton connections
        baton close 12
      """)

  @Argument(
    help: "The number of the connection; baton connections shows it.", completion: Completing.connection,
    transform: SaidWords.whole)
  var connection: Int

  @OptionGroup var server: ServerOptions

  func validate() throws {
    if connection < 1 {
      throw ValidationError("<connection> is the number of a connection, from 1; baton connections shows the numbers")
    }
  }

  func run() async throws {
    var members = RequestMembers()
    try members.add("connection", number: connection)
    let request = members.all
    try await server.withClient { client in
      do {
        let reply = try await client.request("close", request)
        switch server.form {
        case .json: try put(reply.bytes)
        case .people:
          try put("connection \(connection) is closed")
          try put("Its program may come back: libraries connect again after five seconds. To keep it away, end it.")
        case .program: break
        }
      } catch BatonError.refused("no_such_connection", _) {
        let words = "there is no connection \(connection); baton connections shows those that there are"
        try server.complain("no_such_connection", server.json ? words : words + " (no_such_connection)")
        throw ExitCode.failure
      }
    }
  }
}
