/// The events that wait for one subscriber.
struct Subscription {
  /// At most so many events wait. The subscriber misses those that come then, and is told how many.
  private static let most = 4096

  let patterns: [String]
  /// Which traces it wants; nil if it has patterns only.
  private let chosen: ChosenTraces?
  private let stream: AsyncStream<Event>.Continuation
  private var missed = 0
  private var leftOut = 0

  private init(_ patterns: [String], _ chosen: ChosenTraces?, _ stream: AsyncStream<Event>.Continuation) {
    self.patterns = patterns
    self.chosen = chosen
    self.stream = stream
  }

  /// A subscription and its events. It must not hold them: `ended` is called when nobody has them any more.
  static func make(
    _ patterns: [String], _ chosen: ChosenTraces? = nil, ended: @escaping @Sendable () -> Void
  ) -> (Subscription, AsyncStream<Event>) {
    let (events, stream) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(most))
    stream.onTermination = { _ in ended() }
    return (Subscription(patterns, chosen, stream), events)
  }

  /// A subscriber has no pattern.
  static let ofNothing = BatonError.refused(
    code: "bad_value", message: "say what to subscribe to: a pattern, such as door.* or >")

  /// The line that subscribes.
  var line: RequestLine {
    if let chosen { return chosen.line }
    var line = RequestLine("subscribe")
    line.add("topics", texts: patterns)
    return line
  }

  /// An event has come.
  mutating func take(_ line: ServerLine) {
    if case .dropped = stream.yield(Event(line, missed: missed, leftOut: leftOut)) {
      missed += 1
    } else {
      (missed, leftOut) = (0, 0)
    }
  }

  /// The server has dropped events, because they were not read.
  mutating func lose(_ count: Int) { missed += count }

  /// The server has left out traces, as it was asked to.
  mutating func leaveOut(_ count: Int) {
    if let tell = chosen?.leftOut { tell(count) } else { leftOut += count }
  }

  /// No more events come. Those that wait may still be taken.
  func end() { stream.finish() }
}
