internal import BatonCore

/// Subscriptions and their events.
extension Session {
  /// Events that wait for a subscriber at most; what comes on top of them it misses, and is told.
  private static let most = 4096

  static func subscribe(_ patterns: [String]) -> RequestLine {
    var line = RequestLine("subscribe")
    line.add("topics", texts: patterns)
    return line
  }

  /// Subscribes, and returns the events.
  func subscribe(_ patterns: [String]) async throws -> AsyncStream<Event> {
    try await ready(within: plan.patience)
    let events = listen(to: patterns)
    _ = try await requestNow(Session.subscribe(patterns))
    return events
  }

  /// Notes a subscriber; the server learns of it when the connection is set up.
  func listen(to patterns: [String]) -> AsyncStream<Event> {
    let (events, stream) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(Session.most))
    lastToken += 1
    let id = lastToken
    subscriptions[id] = Subscription(patterns: patterns, stream: stream)
    stream.onTermination = { [weak self] _ in
      guard let self else { return }
      Task { await self.unsubscribe(id) }
    }
    return events
  }

  /// A subscriber has gone: patterns that nobody else wants are taken back.
  private func unsubscribe(_ id: Int) {
    guard let gone = subscriptions.removeValue(forKey: id), case .open = phase else { return }
    let wanted = Set(subscriptions.values.flatMap(\.patterns))
    let unwanted = gone.patterns.filter { !wanted.contains($0) }
    guard !unwanted.isEmpty else { return }
    var line = RequestLine("unsubscribe")
    line.add("topics", texts: unwanted)
    line.add("reply", false, unless: true)
    send(line)
  }

  /// Hands an event to everyone whose patterns match it.
  func deliver(_ line: ServerLine) {
    let topic = line.text("topic") ?? ""
    for (id, subscription) in subscriptions {
      guard subscription.patterns.contains(where: { matches(topic: topic, pattern: $0) }) else { continue }
      if case .dropped = subscription.stream.yield(Event(line, missed: subscription.missed)) {
        subscriptions[id]?.missed += 1
      } else {
        subscriptions[id]?.missed = 0
      }
    }
  }

  /// The server has left events out here.
  func lose(_ count: Int) {
    for id in subscriptions.keys { subscriptions[id]?.missed += count }
  }
}
