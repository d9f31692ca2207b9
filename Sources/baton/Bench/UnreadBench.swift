import ArgumentParser

/// `baton bench unread`: how peers that never read slow the others.
struct UnreadBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unread",
    abstract: "A control client beside peers that never read.",
    discussion: """
      The control client sends messages down its own chain and gets its own broadcasts. Each is one round trip, and \
      none may be lost. Beside it are subscribers of a busy topic, handlers with offers, or senders with results. None \
      of them reads a byte. The measurement begins when the server keeps as much for each of them as its limits allow.
      """)

  @Option(help: "How many peers of each kind, with commas between the numbers; 0 is always measured.")
  var peers = "1,100"

  @OptionGroup
  var options: BenchOptions

  /// `peers` as numbers; nil if they are not numbers.
  private var counts: [Int]? {
    let counts = peers.split(separator: ",").map { Int($0) }
    return counts.contains { $0 == nil || $0 == 0 } ? nil : counts.compactMap(\.self)
  }

  func validate() throws {
    guard let counts, !counts.isEmpty else { throw ValidationError("--peers must be numbers, for instance 1,100") }
    for count in counts { try BenchOptions.check("--peers", count, in: 1...10_000) }
    let least = max(LoadLines.leastSend(chain: ControlLoad.chain), LoadLines.leastControl)
    try BenchOptions.check("--bytes", options.bytes, in: least...1 << 20)
  }

  func run() throws {
    var rows = [try row(.subscribers, 0)]
    for kind in UnreadKind.allCases {
      for count in counts ?? [] { rows.append(try row(kind, count)) }
    }
    try UnreadReport(options: options, rows: rows).print()
  }

  private func row(_ kind: UnreadKind, _ count: Int) throws -> UnreadReport.Row {
    let runs = try Measurement.runs(options, settings: kind.settings) { load in
      UnreadLoad(load, kind: kind, count: count, options: options)
    }
    return UnreadReport.Row(kind: kind, peers: count, runs: runs)
  }
}

/// The kinds of peers that never read.
enum UnreadKind: String, CaseIterable {
  case subscribers, handlers, senders

  /// Settings of the bench's own server. The peers must stay, although they read no byte. A peer counts as full when an
  /// event finds no room; this has to happen at the limit of its kind.
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
