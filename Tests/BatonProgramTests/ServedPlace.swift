import Foundation
import ProgramKit

/// A server of a test's own, and the peers that do something there.
final class ServedPlace {
  let program: Program
  /// As start-up prints it.
  let printed: String

  init(_ arguments: [String] = ["--port", "0"]) throws {
    program = try Program(["serve"] + arguments)
    guard let printed = program.places().first else { throw POSIXError(.ECONNREFUSED) }
    self.printed = printed
  }

  /// As `--server` takes it.
  var place: String {
    printed.hasPrefix("unix ") ? "unix:\(printed.dropFirst("unix ".count))" : String(printed.dropFirst("tcp ".count))
  }

  func peer(saying lines: String...) throws -> Peer {
    let peer = try Peer(printed)
    for line in lines { _ = peer.ask(line) }
    return peer
  }

  /// The program as a tool of this server, its output in a pipe.
  func run(_ arguments: String...) throws -> Program { try Program(arguments + ["--server", place]) }

  /// The same on a terminal.
  func show(
    _ arguments: String..., columns: Int, rows: Int = 24, environment: [String] = []
  ) throws -> TerminalProgram {
    try TerminalProgram(
      arguments + ["--server", place], columns: columns, rows: rows, environment: environment)
  }
}
