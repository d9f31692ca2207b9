import Foundation
import Testing

/// A server of its own for a test: the program that the environment's `BATON` names, or the one that was built in
/// Baton's own folder.
struct Server {
  /// Its place, as clients take it.
  let place: String
  private let process: Process

  init() throws {
    let (process, output) = try Server.start("baton", ["serve", "--port", "0"])
    self.process = process
    var said = ""
    // It says where it listens before it says its limits.
    while !said.contains("limits"), let piece = try output.read(upToCount: 1) {
      said += String(decoding: piece, as: UTF8.self)
    }
    let line = try #require(said.split(separator: "\n").first { $0.hasPrefix("listening on tcp ") })
    place = String(line.dropFirst("listening on tcp ".count))
  }

  /// Kills it: to leave in peace it would wait for its peers.
  func end() { kill(process.processIdentifier, SIGKILL) }

  /// Starts a program, and gives what it prints.
  static func start(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (process: Process, output: FileHandle) {
    let process = Process()
    process.executableURL = try path(of: name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    // The server's log and what handlers throw.
    process.standardError = FileHandle.nullDevice
    try process.run()
    return (process, output.fileHandleForReading)
  }

  private static func path(of name: String) throws -> URL {
    if name == "baton" {
      if let named = ProcessInfo.processInfo.environment["BATON"] { return URL(filePath: named) }
      return URL(filePath: #filePath).appending(path: "../../../../../../.build/debug/baton").standardized
    }
    // Beside the tests' own bundle.
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      return (bundle ?? .main).bundleURL.deletingLastPathComponent().appending(path: name)
    #else
      return URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name)
    #endif
  }
}
