import BatonClient

/// A message that a person is asked about.
struct Question: Sendable, Identifiable {
  /// Its number among all that were asked; not the offer's, which begins anew with each connection.
  let id: Int
  let topic: String
  let from: String
  let walk: Int
  let payload: Payload?
  let meta: Payload?
  /// Whether it may have been asked before, of this person or of another one.
  let isAgain: Bool
  /// Whether nobody knows if the message fits the link's condition.
  let isDoubtful: Bool
  /// Which try of a durable message it is, and whether somebody has sent a dead letter again.
  let `try`: Int?
  let isResent: Bool
  let came: ContinuousClock.Instant
  /// When it is given up as `failed`, a second before its time is over; nil: it has no end.
  let ends: ContinuousClock.Instant?

  /// The payload that the person has written in the place of the one that came.
  var rewritten: Payload?
  /// What was left in the editor and is no JSON.
  var draft: String?
  /// Why the message is refused, as far as that is written.
  var reason = ""
  /// Why nothing can be sent for it any more; nil while it waits.
  var lapse: String?
  /// Whether its last line was on the screen.
  var isSeen = false
  /// The lines of its text above the first that is shown.
  var offset = 0

  /// How long before its end a question is given up, so that the link answers and no breaker opens.
  static let margin = Duration.seconds(1)

  init(_ id: Int, _ message: Message, at now: ContinuousClock.Instant) {
    self.id = id
    topic = message.topic
    from = message.from
    walk = message.walk
    payload = message.payload
    meta = message.meta
    isAgain = message.isAgain
    isDoubtful = message.isDoubtful
    `try` = message.try
    isResent = message.resent != nil
    came = now
    ends = message.timeout.map { now + max($0 - Question.margin, $0 / 2) }
  }

  /// For tests.
  init(
    id: Int, topic: String = "t", payload: Payload? = nil, came: ContinuousClock.Instant, lasts: Duration? = nil,
    isAgain: Bool = false, try: Int? = nil, isResent: Bool = false,
    isDoubtful: Bool = false
  ) {
    self.id = id
    self.topic = topic
    from = "cli"
    walk = id
    self.payload = payload
    meta = nil
    (self.isAgain, self.try, self.isResent, self.isDoubtful) = (isAgain, `try`, isResent, isDoubtful)
    self.came = came
    ends = lasts.map { came + $0 }
  }

  /// What it is, besides its payload.
  var facts: String {
    var words = ["FROM \(from.displaySafe)", topic.displaySafe, "walk \(walk)"]
    if isResent { words.append("a dead letter, sent again") }
    if let number = `try`, number > 1 {
      words.append("attempt \(number)")
    } else if isAgain, !isResent {
      words.append("again")
    }
    if isDoubtful { words.append("may not fit the condition") }
    if rewritten != nil { words.append("changed") }
    return words.joined(separator: "   ")
  }

  /// What the person reads, in lines of at most `width` columns. Facts that take more than a line stand there, too.
  func text(within width: Int) -> [String] {
    let facts = facts.split(to: width)
    var lines = facts.count > 1 ? facts + [""] : []
    lines += (rewritten ?? payload).map { JSONLines.lines(of: $0) } ?? ["(no payload)"]
    if let meta { lines += ["", "meta:"] + JSONLines.lines(of: meta) }
    return lines.flatMap { $0.split(to: width) }
  }
}
