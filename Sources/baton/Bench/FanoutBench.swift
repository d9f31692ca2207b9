import ArgumentParser

/// `baton bench fanout`: broadcasts to many subscribers.
struct FanoutBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fanout",
    abstract: "One broadcaster and many subscribers, each over its own connection.",
    discussion: "A broadcast is in flight until every subscriber has it. Deliveries are counted.")

  @Option(name: [.customShort("n"), .long], help: "Subscribers.")
  var subscribers = 100

  @OptionGroup
  var options: BenchOptions

  func validate() throws {
    try BenchOptions.check("--subscribers", subscribers, in: 1...100_000)
    try BenchOptions.check("--bytes", options.bytes, in: LoadLines.leastBroadcast...1 << 20)
  }

  func run() throws {
    let report = BenchReport(
      name: "fanout", unit: "delivery", shape: [("subscribers", subscribers)], options: options,
      runs: try Measurement.runs(options) { load in FanoutLoad(load, subscribers: subscribers, options: options) })
    try report.print()
  }
}
