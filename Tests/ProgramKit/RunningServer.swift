import Foundation

/// A real server that one test starts, the peers that speak with it, and the program as its tool.
package final class RunningServer {
  package private(set) var program: Program
  /// Where it listens, as start-up prints it.
  package let places: [String]
  private let arguments: [String]

  /// Starts it at these endpoints: `HOST:PORT`, `unix:PATH`, or `unix:` for a fresh path.
  package init(
    _ options: [String] = [], at endpoints: [String] = ["127.0.0.1:0"], set settings: KeyValuePairs<String, Int> = [:],
    path: String? = nil, limitingFilesTo files: Int? = nil, limitingMemoryTo kibibytes: Int? = nil,
    environment: [String] = [],
    errors: Program.Errors = .apart
  ) throws {
    arguments = options + settings.flatMap { ["--set", "\($0.key)=\($0.value)"] }
    let listen = endpoints.flatMap { ["--listen", $0 == "unix:" ? $0 + freshPath() : $0] }
    program = try Program(
      ["serve"] + listen + arguments, limitingFilesTo: files, limitingMemoryTo: kibibytes, environment: environment,
      path: path, errors: errors)
    places = program.places()
    guard places.count == endpoints.count else { throw Deviation("the server does not start: \(program.trouble)") }
  }

  /// The first place.
  package var place: String { places[0] }

  /// The first place as `--server` and `--listen` take it.
  package var address: String { Self.address(of: place) }

  /// All places as `--server` and `--listen` take them.
  package var addresses: [String] { places.map(Self.address) }

  /// The number of the first place's port.
  package var port: String { String(place.split(separator: ":").last ?? "") }

  private static func address(of place: String) -> String {
    place.hasPrefix("tcp ")
      ? String(place.dropFirst("tcp ".count)) : place.replacing(" ", with: ":", maxReplacements: 1)
  }

  /// A peer that has sent these lines and received a line after each.
  package func peer(saying lines: String...) throws -> Peer {
    let peer = try Peer(place)
    for line in lines { _ = peer.ask(line) }
    return peer
  }

  /// The program as a tool of this server, its output in a pipe.
  package func run(_ arguments: String...) throws -> Program { try run(arguments) }

  package func run(_ arguments: [String]) throws -> Program { try Program(arguments + ["--server", address]) }

  /// The same on a terminal.
  package func show(
    _ arguments: String..., columns: Int, rows: Int = 24, environment: [String] = []
  ) throws -> TerminalProgram {
    try TerminalProgram(
      arguments + ["--server", address], columns: columns, rows: rows, environment: environment)
  }

  // MARK: Its end

  /// Tells it to end, and returns its exit code.
  package func end() -> Int32 {
    program.send(SIGTERM)
    return program.wait()
  }

  package func kill() throws {
    program.send(SIGKILL)
    let code = program.wait()
    if code != -SIGKILL { throw Deviation("the server had ended with \(code) before it was killed") }
  }

  /// Starts another server at the same places.
  package func startAgain() throws {
    program = try Program(["serve"] + places.flatMap { ["--listen", Self.address(of: $0)] } + arguments)
    guard program.places() == places else { throw Deviation("the server does not come back: \(program.trouble)") }
  }
}

extension Program {
  /// Reads the lines of a server's start-up up to the limits, and returns the places after `listening on`.
  package func places() -> [String] {
    var places: [String] = []
    while let line = line(), !line.hasPrefix("limits: ") {
      if line.hasPrefix("listening on ") { places.append(String(line.dropFirst("listening on ".count))) }
    }
    return places
  }

  /// What a program that has failed says about its failure.
  fileprivate var trouble: String { log + remainingErrorLines().joined(separator: "\n") }
}
