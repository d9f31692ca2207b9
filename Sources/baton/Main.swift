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
        do { return try command.run() } catch { end(error) }
      }
      run(client)
    } catch {
      BatonCommand.exit(withError: error)
    }
  }

  /// Ends a command that has failed. What is wrong with what it was given is told without its usage, which was right.
  private static func end(_ error: any Error) -> Never {
    guard let mistake = error as? ValidationError else { BatonCommand.exit(withError: error) }
    for line in "Error: \(mistake.message)".split(separator: "\n") { talk(String(line)) }
    BatonCommand.exit(withError: ExitCode.validationFailure)
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
        end(error)
      }
    }
    dispatchMain()
  }
}
