import ArgumentParser
import BatonServer
import UV

/// The options of every measurement.
struct BenchOptions: ParsableArguments {
  @Option(name: .shortAndLong, help: "Messages in flight.")
  var window = 64

  @Option(name: .shortAndLong, help: "Bytes of each line that is sent, with its LF.")
  var bytes = 128

  @Option(name: .shortAndLong, help: "Seconds to measure in each run.")
  var seconds = 3.0

  @Option(help: "Seconds under load before the measurement begins.")
  var warmUp = 0.5

  @Option(help: ArgumentHelp("Measure this many messages or deliveries instead of a time.", valueName: "count"))
  var messages: Int?

  @Option(help: "How many runs, each with new connections and a new server; the medians are printed, too.")
  var runs = 1

  @Option(
    help: ArgumentHelp("Measure the server that runs there: HOST:PORT or unix:PATH.", valueName: "address"),
    transform: { text in
      guard let endpoint = Endpoint(text) else {
        throw ValidationError("\"\(text)\" is not a place of a server; write HOST:PORT or unix:PATH")
      }
      return endpoint
    })
  var server: Endpoint?

  @Option(help: "With --server: the process number of the server, to measure its CPU time.")
  var pid: Int32?

  @Option(help: ArgumentHelp("The core that the server runs on (Linux).", valueName: "core"))
  var serverCore: Int?

  @Option(help: ArgumentHelp("The core that the load runs on (Linux).", valueName: "core"))
  var loadCore: Int?

  @Flag(help: "Print one JSON object instead of a table.")
  var json = false

  func validate() throws {
    try BenchOptions.check("--window", window, in: 1...65536)
    try BenchOptions.check("--runs", runs, in: 1...1000)
    if let messages { try BenchOptions.check("--messages", messages, in: 1...Int.max) }
    guard seconds > 0, seconds <= 86400 else { throw ValidationError("--seconds must be above 0 and at most 86400") }
    guard warmUp >= 0, warmUp <= 86400 else { throw ValidationError("--warm-up must be from 0 to 86400") }
    guard pid == nil || server != nil else { throw ValidationError("--pid needs --server") }
    guard serverCore == nil || server == nil || pid != nil else {
      throw ValidationError("with --server, --server-core needs the server's --pid")
    }
  }

  /// Throws if a number of the command line is out of its range.
  static func check(_ name: String, _ value: Int, in range: ClosedRange<Int>) throws {
    guard !range.contains(value) else { return }
    throw ValidationError(
      range.upperBound == .max
        ? "\(name) must be at least \(range.lowerBound)"
        : "\(name) must be from \(range.lowerBound) to \(range.upperBound)")
  }
}
