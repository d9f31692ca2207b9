import ArgumentParser
import BatonClient

/// How the outcome of one message is printed.
extension Outcome {
  /// Prints how a message ended, and why. If it walked a chain, this says which links failed it or, if no link handled
  /// it, all links that it passed. `showsTrace` shows the whole walk instead. `mayAskForWalks`: whether the server would
  /// tell this program more later. One that asked for a trace, as it could, has all there is.
  func tell(
    as form: OutputForm, after time: Duration, topic: String, showsTrace: Bool = false, mayAskForWalks: Bool = false
  ) throws {
    switch form {
    case .json: if let line { try put(line.bytes) }
    case .people:
      try put(sentence(after: time, paint: .output))
      if case .ended(let result) = self {
        for answer in result.results { try put("  \(answer.by): \(answer.payload?.json ?? "")".displaySafe) }
      }
      for line in reasons(topic: topic, showsTrace, mayAskForWalks, within: Terminal.size.columns, paint: .output) {
        try put(line)
      }
    case .program:
      for line in data { try put(line) }
      if exitCode != .success { talk("baton: \(sentence(after: time))") }
      guard exitCode != .success || showsTrace else { return }
      for line in reasons(topic: topic, showsTrace, mayAskForWalks, within: .max, paint: .none) { talk(line) }
    }
  }

  /// Whether the message walked no chain, because there is none of that name. Only a trace tells it.
  var hasNoChain: Bool {
    guard case .ended(let result) = self, result.status == .unhandled, let story = WalkStory(result) else {
      return false
    }
    return story.trace?.isEmpty == true && story.version == nil && story.truncated != true
  }

  private func reasons(
    topic: String, _ showsTrace: Bool, _ mayAskForWalks: Bool, within columns: Int, paint: Paint
  ) -> [String] {
    guard case .ended(let result) = self, let story = WalkStory(result) else { return [] }
    if showsTrace { return TraceTable(story.trace ?? []).lines(within: columns, paint: paint) }
    let lines = PassedLinks(story, topic: topic).lines.map(\.displaySafe)
    let isKept = exitCode != .success || story.failures != nil
    let more = mayAskForWalks && isKept && !lines.isEmpty ? ["  baton walks \(result.walk) tells more"] : []
    return (lines + more).map { paint($0.fitted(to: columns), .dim) }
  }
}
