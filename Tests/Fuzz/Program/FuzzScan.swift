import ArgumentParser
import FuzzKit

/// Compares the scanner's two forms and the reference over mutated lines.
struct FuzzScan: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Compare the scanner with its checked twin and with the reference reader.")

  @Option(help: "How long to go on.") var seconds = 10
  @Option(help: "How many lines to try; ends the run before the seconds do.") var lines = Int.max
  @Option(help: "The same seed makes the same lines.") var seed: UInt64 = 1

  func run() throws {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .seconds(seconds))
    var short = LineMutator(seed: seed)
    var long = LineMutator(seed: seed, lines: LineMutator.longSeeds)
    var twins = ScannerTwins()
    var accepted = 0
    var tried = 0
    while tried < lines, tried % 1024 != 0 || clock.now < end {
      // A long line takes as long as ten short ones.
      let line = tried % 10 == 9 ? long.next() : short.next()
      tried += 1
      if let disagreement = twins.disagreement(over: line) {
        print("seed \(seed), line \(tried): \(disagreement)\n\(String(decoding: line, as: UTF8.self))\n\(line)")
        print("again: baton-fuzz scan --seed \(seed) --lines \(tried)")
        throw ExitCode.failure
      }
      if twins.outcome(of: line).fault == nil { accepted += 1 }
    }
    print(
      "seed \(seed): \(tried) lines, \(accepted) accepted, \(tried - accepted) refused, no disagreement; "
        + "in blocks by \(BlockReader.chosen)")
  }
}
