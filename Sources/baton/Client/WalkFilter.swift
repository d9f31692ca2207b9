import ArgumentParser
import BatonCore

/// Which walks are shown.
struct WalkFilter: ParsableArguments {
  @Option(help: "Only walks that began in this chain.")
  var chain: String?

  @Option(
    help: ArgumentHelp(
      "Only walks whose topic matches; * stands for one word, > for the rest.", valueName: "pattern"),
    transform: { text in
      if let complaint = complaint(pattern: text) { throw ValidationError("the pattern \"\(text)\" \(complaint)") }
      return text
    })
  var topic: String?

  @Option(help: ArgumentHelp("Only walks that took longer than this.", valueName: "ms"))
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
