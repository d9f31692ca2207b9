import ArgumentParser
import BatonServer
import Dispatch

/// Where the program begins.
///
/// The server runs on this thread and needs no tasks. Only the clients start Swift's concurrency, because it opens
/// threads and descriptors, and cannot start without them.
@main
enum Main {
  static func main() {
    let arguments = Array(Arguments.all.dropFirst())
    let isHook = HookRun.isMeant(by: arguments)
    StandardDescriptors.take(orEndWith: isHook ? 2 : 1)
    if isHook { HookRun.answer(arguments) }
    do {
      if arguments.first == "serve" { Server.holdHangup() }
      // Both write files, and start no other program that would ignore them, too.
      if ["serve", "store"].contains(arguments.first) { Server.ignoreFileSizes() }
      if let complaint = Subcommands.complaint(about: arguments) { fail(complaint) }
      for (number, bytes) in Arguments.bytes.enumerated() where String(validating: bytes, as: UTF8.self) == nil {
        let argument = Arguments.all[number]
        fail(["Error: argument \(number) is not UTF-8 text: \(argument); what is not text goes into a file: @FILE"])
      }
      let command = try BatonCommand.parseAsRoot(arguments)
      guard let client = command as? any AsyncParsableCommand else {
        var command = command
        // Whoever names a group alone has meant one of its commands.
        let isGroup = !type(of: command).configuration.subcommands.isEmpty
        do { return try command.run() } catch { isGroup ? fail(Help.lines(for: error)) : end(error) }
      }
      run(client)
    } catch {
      refuse(error)
    }
  }

  /// Prints what was asked for, such as the help, or what is wrong with the arguments.
  private static func refuse(_ error: any Error) -> Never {
    let code = BatonCommand.exitCode(for: error)
    // A shell that completes shows what is said in the middle of what is typed.
    if code != .success, Completing.isAsked {
      BatonCommand.exit(withError: code)
    }
    if code == .success {
      do { try put(Help.text(for: error)) } catch { BatonCommand.exit(withError: error) }
      BatonCommand.exit()
    }
    let message = BatonCommand.fullMessage(for: error, columns: 100_000)
    // What has no words was told already.
    if message.isEmpty { BatonCommand.exit(withError: code) }
    let isNumber = message.contains(/^Error: Unknown option '-[0-9]/)
    let hint = isNumber ? ["  A payload that begins with - stands behind --: baton send TOPIC -- -5"] : []
    fail(Help.wrapped(message).filter { !$0.isEmpty } + hint, code)
  }

  /// Says what is wrong with the arguments, and ends the program.
  private static func fail(_ lines: [String], _ code: ExitCode = .validationFailure) -> Never {
    if Arguments.all.prefix(while: { $0 != "--" }).contains("--json") {
      let message = lines.first.map { $0.hasPrefix("Error: ") ? String($0.dropFirst("Error: ".count)) : $0 } ?? ""
      try? put(ErrorLine.bytes("usage", message))
    } else {
      for line in lines { talk(line) }
    }
    BatonCommand.exit(withError: code)
  }

  /// Ends a command that has failed. What is wrong with what it was given is told without its usage, which was right.
  private static func end(_ error: any Error) -> Never {
    if let code = error as? ExitCode { BatonCommand.exit(withError: code) }
    // Asking for help is a command, too.
    guard let mistake = error as? ValidationError else { refuse(error) }
    fail("Error: \(mistake.message)".split(separator: "\n").map(String.init))
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
