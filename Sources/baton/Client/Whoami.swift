import ArgumentParser
import BatonClient

/// `baton whoami`: who this program is to the server, and what it may do.
struct Whoami: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show who you are to the server, and what you may do.",
    discussion: """
      The first line is the identity that the configuration file gives you, by your token, your certificate or your user. \
      The other lines are its rights, as they stand in the file. A peer without an identity may be "anonymous".

      EXAMPLES:
        baton whoami
        BATON_TOKEN_FILE=web.token baton whoami --server tls:baton.example:22867
      """)

  @OptionGroup(title: "Server") var server: ServerOptions

  func run() async throws {
    try await server.withClient { client in
      // Strangers are welcome, too, but may not ask for anything: a request tells them from everybody.
      if await client.may == nil { _ = try await client.request("unsubscribe", [("topics", Payload(["whoami"]))]) }
      if server.json { return try put(await client.welcome?.bytes ?? []) }
      guard let rights = await client.may else {
        return try put("the server asks nobody who they are; everybody may do everything")
      }
      try put((await client.identity ?? "anonymous").displaySafe)
      for right in rights { try put(right.displaySafe) }
    }
  }
}
