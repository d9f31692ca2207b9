import ArgumentParser
import BatonCore

/// Which walks somebody wants to see.
struct WalkFilter: ParsableArguments {
  @Option(help: "Walks that began in this chain only.")
  var chain: String?

  @Option(
    help: ArgumentHelp(
      "Walks of topics that match only; * stands for one token, > for the rest.", valueName: "pattern"),
    transform: { text in
      if let complaint = complaint(pattern: text) { throw ValidationError("the pattern \"\(text)\" \(complaint)") }
      return text
    })
  var topic: String?

  @Option(help: ArgumentHelp("Walks that took longer only.", valueName: "ms"))
  var slowerThan: Int?

  /// Whether the walk is one of them.
  func admits(_ walk: FinishedWalk) -> Bool {
    if let chain, walk.chain != chain { return false }
    if let topic, !matches(topic: walk.topic, pattern: topic) { return false }
    if let slowerThan, walk.totalMicroseconds <= slowerThan.multipliedReportingOverflow(by: 1000).partialValue {
      return false
    }
    return true
  }
}
