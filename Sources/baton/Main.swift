import ArgumentParser
import Dispatch

/// Where the program begins.
///
/// The server runs on this thread and needs no tasks. Only the clients start Swift's concurrency, because it opens
/// threads and descriptors, and cannot start without them.
@main
enum Main {
  static func main() {
    do {
      let command = try BatonCommand.parseAsRoot()
      guard let client = command as? any AsyncParsableCommand else {
        var command = command
        return try command.run()
      }
      run(client)
    } catch {
      BatonCommand.exit(withError: error)
    }
  }

  /// A command on its way to the task that runs it. `@unchecked` because nothing else uses it.
  private struct Handed: @unchecked Sendable {
    let command: any AsyncParsableCommand
  }

  private static func run(_ client: any AsyncParsableCommand) -> Never {
    let handed = Handed(command: client)
    Task {
      do {
        var client = handed.command
        try await client.run()
        BatonCommand.exit()
      } catch {
        BatonCommand.exit(withError: error)
      }
    }
    dispatchMain()
  }
}
