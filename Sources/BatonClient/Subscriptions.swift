internal import BatonCore

/// The subscribers of a client, which outlive its connections.
final class Subscriptions {
  private let requests: Requests
  private let ended: @Sendable (Int) -> Void
  private var all: [Int: Subscription] = [:]
  /// The patterns of these, and of those that the server has not accepted yet.
  private var wanted: [Int: [String]] = [:]
  private var last = 0

  /// `ended` is called with the number of a subscriber that iterates no more, for `remove`.
  init(_ requests: Requests, ended: @escaping @Sendable (Int) -> Void) {
    self.requests = requests
    self.ended = ended
  }

  var isEmpty: Bool { all.isEmpty }

  /// Begins to serve the subscribers of the plan. The server learns of them when the connection is set up.
  func start(_ plan: Plan) {
    for (patterns, body) in plan.subscribers {
      let (number, subscription, events) = make(patterns)
      all[number] = subscription
      wanted[number] = patterns
      Task { for await event in events { await body(event) } }
    }
  }

  /// Subscribes. Events come once the server has accepted it.
  func subscribe(
    _ patterns: [String], _ chosen: ChosenTraces? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws -> AsyncStream<Event> {
    if patterns.isEmpty { throw Subscription.ofNothing }
    try Names.check(patterns: patterns)
    let (number, subscription, events) = make(patterns, chosen)
    wanted[number] = patterns
    var isLeft = false
    do {
      _ = try await requests.ask(subscription.line) { _ in
        self.all[number] = subscription
        // The call has failed, at its deadline for instance, and nobody has the events.
        if isLeft { self.remove(number) }
      }
    } catch {
      isLeft = true
      wanted[number] = nil
      // It was accepted, and then the caller was cancelled.
      remove(number)
      throw error
    }
    return events
  }

  /// A subscriber has gone. The patterns that no other one wants are unsubscribed.
  func remove(_ number: Int) {
    guard let gone = all.removeValue(forKey: number) else { return }
    wanted[number] = nil
    let others = Set(wanted.values.joined())
    let unwanted = gone.patterns.filter { !others.contains($0) }
    guard !unwanted.isEmpty else { return }
    var line = RequestLine("unsubscribe")
    line.add("topics", texts: unwanted)
    line.add("reply", false, unless: true)
    requests.tell(line)
  }

  /// The lines that subscribe again on a new connection.
  var lines: [RequestLine] { all.sorted { $0.key < $1.key }.map(\.value.line) }

  /// Hands an event to each subscriber with a pattern that matches it.
  func deliver(_ line: ServerLine) {
    let topic = line.text("topic") ?? ""
    for (number, subscription) in all {
      guard subscription.patterns.contains(where: { matches(topic: topic, pattern: $0) }) else { continue }
      all[number]?.take(line)
    }
  }

  /// The server has dropped events, because they were not read.
  func lose(_ count: Int) {
    for number in all.keys { all[number]?.lose(count) }
  }

  /// The server has left out traces, as it was asked to.
  func leaveOut(_ count: Int) {
    for number in all.keys { all[number]?.leaveOut(count) }
  }

  /// The client has ended.
  func end() {
    for subscription in all.values { subscription.end() }
    (all, wanted) = ([:], [:])
  }

  private func make(
    _ patterns: [String], _ chosen: ChosenTraces? = nil
  ) -> (Int, Subscription, AsyncStream<Event>) {
    last += 1
    let number = last
    let (subscription, events) = Subscription.make(patterns, chosen) { [ended] in ended(number) }
    return (number, subscription, events)
  }
}
