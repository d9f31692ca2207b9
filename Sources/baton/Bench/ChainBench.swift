import ArgumentParser

/// `baton bench chain`: messages that walk a chain of handlers; the last one handles them.
struct ChainBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chain",
    abstract: "One sender and a chain of handlers, each over its own connection.",
    discussion: """
      The last handler answers `handled`, all others answer `continue`. With --server and --handlers 0 other programs \
      must serve the chain, and --pid may be any of them.
      """)

  @Option(name: [.customShort("k"), .long], help: "Handlers in the chain.")
  var handlers = 1

  @Option(help: "The chain of the handlers.")
  var chain = "main"

  @OptionGroup
  var options: BenchOptions

  func validate() throws {
    try BenchOptions.check("--handlers", handlers, in: (options.server == nil ? 1 : 0)...10_000)
    try BenchOptions.check("--bytes", options.bytes, in: LoadLines.leastSend(chain: chain)...1 << 20)
  }

  func run() throws {
    let report = BenchReport(
      name: "chain", unit: "message", shape: [("handlers", handlers)], options: options,
      runs: try Measurement.runs(options) { load in
        ChainLoad(load, handlers: handlers, chain: chain, options: options)
      })
    try report.print()
  }
}
