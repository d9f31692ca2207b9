import ArgumentParser
import BatonClient

/// Which server a subcommand talks to, and in which form it says what it learns.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The server: HOST:PORT or unix:PATH. (default: BATON_SERVER, or 127.0.0.1:22866)", valueName: "place"))
  var server: String?

  @Flag(help: "Print what the server said, one JSON value a line.")
  var json = false

  /// The server that is meant.
  var place: String { BatonClient.Baton(at: server).place }

  /// What this program is to the server, with a name that others see.
  func baton(named name: String) -> BatonClient.Baton {
    BatonClient.Baton(at: place).named(name)
  }

  /// Connects, does the work, and closes. What goes wrong is said on standard error, and ends the program with the exit
  /// code that is documented for it.
  func withClient(
    named name: String = "cli", _ body: (Client) async throws -> Void
  ) async throws {
    try await telling {
      let client = try await baton(named: name).connect()
      do {
        try await body(client)
        await client.close()
      } catch {
        await client.close()
        throw error
      }
    }
  }

  /// Does the work; errors of the client become a line for people and an exit code.
  func telling(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as BatonError {
      talk("baton: \(words(for: error))")
      throw error.exitCode
    }
  }

  private func words(for error: BatonError) -> String {
    guard case .unreachable(let why) = error else { return error.description }
    return "no server can be reached at \(place): \(why); start one with baton serve, or name its place with --server"
  }

  /// In which form the program says what it learns.
  var form: OutputForm { json ? .json : Terminal.isOutput ? .people : .program }
}

/// For whom the program writes to standard output.
enum OutputForm {
  /// What the server said, one JSON value a line.
  case json
  /// For people, on a terminal.
  case people
  /// For programs: lines that stay as they are, with tabs between their fields.
  case program
}
