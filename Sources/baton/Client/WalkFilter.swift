import ArgumentParser
import BatonClient
import BatonCore

/// Which walks are shown. The server chooses them.
struct WalkFilter: ParsableArguments {
  /// How a walk ended.
  enum Status: String, ExpressibleByArgument, CaseIterable {
    case handled, unhandled, published, rejected, failed, timeout, cancelled
  }

  @Option(help: "Only walks that began in this chain.", completion: Completing.chain, transform: SaidWords.name)
  var chain: String?

  @Option(
    help: ArgumentHelp(
      "Only walks whose topic matches; * stands for one word, > for the rest.", valueName: "pattern"),
    completion: Completing.pattern,
    transform: { text in
      if let complaint = complaint(pattern: text) { throw ValidationError("the pattern \"\(text)\" \(complaint)") }
      return text
    })
  var topic: String?

  @Option(help: "Only walks that ended so.")
  var status: Status?

  @Option(help: ArgumentHelp("Only walks of messages from this sender: its name, or # and its number."))
  var from: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only walks that took longer than this: milliseconds, or 2s, 1m.", valueName: "ms"),
    transform: { text in try text.allSatisfy(\.isNumber) ? SaidWords.whole(text) : SpokenTime.milliseconds(text) })
  var slowerThan: Int?

  @Option(
    help: ArgumentHelp("At most so many walks in a second.", valueName: "count"), transform: SaidWords.whole)
  var perSecond: Int?

  func validate() throws {
    try SaidWords.check(slowerThan, "--slower-than", isIn: MemberRange.slowerThanMilliseconds, of: "milliseconds")
    try SaidWords.check(perSecond, "--per-second", isIn: MemberRange.perSecond)
  }

  /// What the server is asked for. `leftOut` takes at once how many walks it has left out.
  func chosen(leftOut: @escaping @Sendable (Int) -> Void) -> ChosenTraces {
    ChosenTraces(
      chain: chain, topic: topic, status: status.flatMap { .init(rawValue: $0.rawValue) },
      slowerThan: slowerThan.map { .milliseconds($0) }, from: from,
      perSecond: perSecond, leftOut: leftOut)
  }
}
