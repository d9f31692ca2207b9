import ArgumentParser

/// `baton bench unread`: what peers that never read cost the others.
struct UnreadBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unread",
    abstract: "A control client beside peers that never read, side by side.",
    discussion: """
      The control client sends down a chain of its own and gets broadcasts of its own; each is one round trip, and none \
      may be lost. Beside it are subscribers of a busy topic, handlers with offers, or senders with results, none of \
      which reads a byte. The measurement begins when the server holds as much for each of them as it will.
      """)

  @Option(help: "How many of each kind there are, beside none: numbers with commas between them.")
  var peers = "1,100"

  @OptionGroup
  var options: BenchOptions

  /// `peers` as numbers; nil where they are none.
  private var counts: [Int]? {
    let counts = peers.split(separator: ",").map { Int($0) }
    return counts.contains { $0 == nil || $0 == 0 } ? nil : counts.compactMap(\.self)
  }

  func validate() throws {
    guard let counts, !counts.isEmpty else { throw ValidationError("--peers are numbers, for instance 1,100") }
    for count in counts { try BenchOptions.check("--peers", count, in: 1...10_000) }
    let least = max(LoadLines.leastSend(chain: ControlLoad.chain), LoadLines.leastControl)
    try BenchOptions.check("--bytes", options.bytes, in: least...1 << 20)
  }

  func run() throws {
    var rows = [try row(.subscribers, 0)]
    for kind in UnreadKind.allCases {
      for count in counts ?? [] { rows.append(try row(kind, count)) }
    }
    UnreadReport(options: options, rows: rows).print()
  }

  private func row(_ kind: UnreadKind, _ count: Int) throws -> UnreadReport.Row {
    let runs = try Measurement.runs(options, settings: kind.settings) { load in
      UnreadLoad(load, kind: kind, count: count, options: options)
    }
    return UnreadReport.Row(kind: kind, peers: count, runs: runs)
  }
}

/// What peers that never read are.
enum UnreadKind: String, CaseIterable {
  case subscribers, handlers, senders

  /// Settings of the bench's own server. The peers are to stay, although they take no byte; and what tells that they
  /// are full is that an event finds no room: that is to be at the limit of their kind.
  var settings: [String] {
    let limit =
      switch self {
      case .subscribers: [String]()
      case .handlers: ["events_unsent_bytes=1048576"]
      case .senders: ["events_unsent_bytes=8388608"]
      }
    return ["slow_ms=86400000"] + limit
  }
}
