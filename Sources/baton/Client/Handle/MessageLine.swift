import BatonClient

/// A message and its verdict as one line on a terminal: when it was answered, what came, what the verdict was, and how
/// long it took.
struct MessageLine {
  let message: Message
  /// What became of it: `handled`, or `lapsed` where nobody waits any more.
  let outcome: String
  /// What the handler said beside it.
  let answer: String?
  let time: Duration

  /// The same body, which prints a line for each message when its verdict is known.
  static func shown(_ body: @escaping Baton.HandlerBody) -> Baton.HandlerBody {
    { message in
      let start = ContinuousClock.now
      let conclusion = body(message)
      return {
        do {
          let verdict = try await conclusion()
          MessageLine(message, verdict, after: .now - start).tell()
          return verdict
        } catch {
          let words = error is CancellationError ? nil : "\(error)"
          let outcome = error is CancellationError ? "lapsed" : "failed"
          MessageLine(message: message, outcome: outcome, answer: words, time: .now - start).tell()
          throw error
        }
      }
    }
  }

  private init(message: Message, outcome: String, answer: String?, time: Duration) {
    (self.message, self.outcome, self.answer, self.time) = (message, outcome, answer, time)
  }

  private init(_ message: Message, _ verdict: Verdict, after time: Duration) {
    let told = verdict.told
    self.init(
      message: message, outcome: message.isNotice ? "told" : told.kind,
      answer: message.isNotice ? nil : told.message ?? told.payload?.json, time: time)
  }

  private func tell() { say(line(within: Terminal.size.columns, paint: .output)) }

  /// The payload and the answer share what the other facts leave.
  func line(within columns: Int, paint: Paint) -> String {
    let (clock, topic) = (WallClock.now.local, message.topic.displaySafe)
    let kind = outcome + (message.isShadow ? " (copy)" : "")
    let fixed = [clock, topic, kind, time.words].reduce(0) { $0 + $1.displayWidth + 2 } - 2
    let texts = [message.payload?.json, answer].map { $0?.displaySafe ?? "" }
    var room = texts.map { $0.isEmpty ? 0 : max(columns - fixed, 0) - 2 }
    if texts.allSatisfy({ !$0.isEmpty }) {
      let both = max(columns - fixed - 4, 0)
      let second = min(texts[1].displayWidth, max(both / 2, both - texts[0].displayWidth))
      room = [both - second, second]
    }
    let fitted = zip(texts, room).map { $0.fitted(to: $1) }
    let cells: [(String, Style?)] = [
      (clock, .dim), (topic, .bold), (fitted[0], nil), (kind, style), (fitted[1], nil), (time.words, .dim),
    ]
    var left = columns
    return cells.filter { !$0.0.isEmpty }.map { text, style in
      let short = text.fitted(to: max(left, 0))
      left -= short.displayWidth + 2
      return paint(short, style)
    }.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private var style: Style? {
    switch outcome {
    case "handled", "told": .green
    case "continue": .dim
    case "reject": .yellow
    default: .red
    }
  }
}
