/// The events that wait for one subscriber.
struct Subscription {
  /// At most so many events wait. The subscriber misses those that come then, and is told how many.
  private static let most = 4096

  let patterns: [String]
  private let stream: AsyncStream<Event>.Continuation
  private var missed = 0

  private init(_ patterns: [String], _ stream: AsyncStream<Event>.Continuation) {
    self.patterns = patterns
    self.stream = stream
  }

  /// A subscription and its events. It must not hold them: `ended` is called when nobody has them any more.
  static func make(
    _ patterns: [String], ended: @escaping @Sendable () -> Void
  ) -> (Subscription, AsyncStream<Event>) {
    let (events, stream) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(most))
    stream.onTermination = { _ in ended() }
    return (Subscription(patterns, stream), events)
  }

  /// The line that subscribes.
  var line: RequestLine {
    var line = RequestLine("subscribe")
    line.add("topics", texts: patterns)
    return line
  }

  /// An event has come.
  mutating func take(_ line: ServerLine) {
    if case .dropped = stream.yield(Event(line, missed: missed)) { missed += 1 } else { missed = 0 }
  }

  /// The server has left out events.
  mutating func lose(_ count: Int) { missed += count }

  /// No more events come. Those that wait may still be taken.
  func end() { stream.finish() }
}
