/// The events that wait for one subscriber.
struct Subscription {
  /// What a subscriber wants of what the server keeps (contract, section 14).
  struct Wish: Sendable {
    /// The values of its topics, first.
    var retained = false
    /// Whether the client asks again for kept events that did not come.
    var recover = true
    /// Kept events after this number of this epoch, first.
    var after: Int?
    var epoch: String?

    /// Throws `BatonError` where the server would refuse it.
    func check() throws(BatonError) {
      if (after == nil) != (epoch == nil) {
        throw .refused(code: "bad_value", message: "after and epoch belong together: give both, or none")
      }
      if let after, after < 0 { throw .refused(code: "bad_value", message: "after: \(after) is less than 0") }
      if retained, after != nil {
        throw .refused(code: "bad_value", message: "retained and after exclude each other: give one of them")
      }
    }
  }

  /// At most so many events wait. The subscriber misses those that come then, and is told how many.
  private static let most = 4096

  let patterns: [String]
  let wish: Wish
  /// The number of the kept event up to which it has got all.
  var position = 0
  /// Which traces it wants; nil if it has patterns only.
  private let chosen: ChosenTraces?
  private let stream: AsyncStream<Event>.Continuation
  private var missed = 0
  /// Events that were lost, of which the kept ones come again: the next event that is not kept tells them.
  private var missedOthers = 0
  private var gone: Event.Gone?
  private var leftOut = 0

  private init(_ patterns: [String], _ wish: Wish, _ chosen: ChosenTraces?, _ stream: AsyncStream<Event>.Continuation) {
    self.patterns = patterns
    self.wish = wish
    self.chosen = chosen
    self.stream = stream
  }

  /// A subscription and its events. It must not hold them: `ended` is called when nobody has them any more.
  static func make(
    _ patterns: [String], _ wish: Wish = Wish(), _ chosen: ChosenTraces? = nil, ended: @escaping @Sendable () -> Void
  ) -> (Subscription, AsyncStream<Event>) {
    let (events, stream) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(most))
    stream.onTermination = { _ in ended() }
    return (Subscription(patterns, wish, chosen, stream), events)
  }

  /// A subscriber has no pattern.
  static let ofNothing = BatonError.refused(
    code: "bad_value", message: "say what to subscribe to: a pattern, such as door.* or >")

  /// The server knows one choice of traces for each connection.
  var isForTraces: Bool { chosen != nil }

  /// Whether kept events that did not come are asked for again.
  var recovers: Bool { wish.recover && chosen == nil }

  /// The line that subscribes.
  var line: RequestLine {
    if let chosen { return chosen.line }
    var line = RequestLine("subscribe")
    line.add("topics", texts: patterns)
    return line
  }

  /// An event has come. Those that are kept have a number.
  mutating func take(_ line: ServerLine, seq: Int?, isRetained: Bool) {
    let lost = missed + (seq == nil && !isRetained ? missedOthers : 0)
    let event = Event(line, missed: lost, gone: gone, leftOut: leftOut)
    if case .dropped = stream.yield(event) {
      missed += 1
    } else {
      if lost > missed { missedOthers = 0 }
      (missed, gone, leftOut) = (0, nil, 0)
    }
  }

  /// The server has dropped events, because they were not read.
  mutating func lose(_ count: Int, isRecovered: Bool) {
    if isRecovered { missedOthers += count } else { missed += count }
  }

  /// Events that the server kept are gone.
  mutating func loseKept(_ gone: Event.Gone) {
    let gone = patterns.contains(">") ? gone : Event.Gone(count: nil, atMost: gone.count ?? gone.atMost)
    self.gone = self.gone?.and(gone) ?? gone
  }

  /// The server has left out traces, as it was asked to.
  mutating func leaveOut(_ count: Int) {
    if let tell = chosen?.leftOut { tell(count) } else { leftOut += count }
  }

  /// No more events come. Those that wait may still be taken.
  func end() { stream.finish() }
}
