import ArgumentParser
import BatonClient

/// The results of many messages, one line each, in their order.
struct ManyResults {
  private let topic: String
  /// What a message is called in a line about it: `line 3`.
  private let unit: String
  private let form: OutputForm
  private let mayAskForWalks: Bool
  private var tally: Tally

  init(topic: String, unit: String, _ form: OutputForm, mayAskForWalks: Bool) {
    self.topic = topic
    self.unit = unit
    self.form = form
    self.mayAskForWalks = mayAskForWalks
    tally = Tally(isShown: form != .people && Terminal.canRewriteTalk)
  }

  /// How many there were.
  var count: Int { tally.total }
  /// The exit code of the first message that was not handled.
  var firstFault: ExitCode? { tally.firstFault }

  /// Counts and prints the next one.
  mutating func add(_ outcome: Outcome, after time: Duration) throws {
    tally.count(outcome)
    switch form {
    case .json: try put(outcome.line?.bytes ?? outcome.errorLine)
    case .people: try outcome.tell(as: form, after: time, topic: topic, mayAskForWalks: mayAskForWalks)
    case .program:
      try put(outcome.fields)
      guard outcome.exitCode != .success else { return }
      let failures = outcome.failures
      if case .ended(let result) = outcome, result.message == nil, failures.isEmpty { return }
      talk((["\(unit) \(count): \(outcome.sentence(after: time))"] + failures).joined(separator: "; "))
    }
  }

  /// No more come.
  func end() { tally.end() }
}

extension Outcome {
  /// The links that failed the message and were passed by.
  fileprivate var failures: [String] {
    guard case .ended(let result) = self else { return [] }
    return WalkStory(result)?.failures?.map(\.words) ?? []
  }

  /// A line for programs if there is no line of the server.
  fileprivate var errorLine: [UInt8] {
    if case .unsent = self { return ErrorLine.bytes("cancelled", "it was cancelled before it was sent") }
    guard case .refused(let error) = self else { return [] }
    var code = "bad_text"
    var message = error.description
    if case .refused(let its, let words) = error { (code, message) = (its, words) }
    return ErrorLine.bytes(code, message)
  }
}

/// Counts how messages ended. On a terminal, the counts are shown while they grow.
private struct Tally {
  private(set) var total = 0
  private(set) var firstFault: ExitCode?
  private var counts: [String: Int] = [:]
  private let isShown: Bool
  private var shownAt = ContinuousClock.now

  init(isShown: Bool) { self.isShown = isShown }

  mutating func count(_ outcome: Outcome) {
    total += 1
    counts[outcome.name, default: 0] += 1
    if firstFault == nil, outcome.exitCode != .success { firstFault = outcome.exitCode }
    guard isShown, total == 1 || ContinuousClock.now - shownAt >= .milliseconds(100) else { return }
    shownAt = .now
    showProgress(words)
  }

  func end() {
    guard isShown else { return }
    showProgress("")
    talk(words)
  }

  private var words: String {
    let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return (["\(counted(total, "message", "messages"))"] + parts).joined(separator: ", ")
  }
}
