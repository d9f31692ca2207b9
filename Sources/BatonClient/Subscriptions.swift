internal import BatonCore

/// The subscribers of a client, which outlive its connections. It asks again for kept events that did not come
/// (contract, section 14).
///
/// Kept events come in the order of their numbers. Once the client has asked for them on a connection, it asks with the
/// patterns of all subscribers, each time: otherwise the server gives those of some patterns later than those of others.
final class Subscriptions {
  /// What the server was asked for last on this connection, of what it keeps. It gives that piece by piece.
  private enum Asked { case nothing, values, events }

  private let requests: Requests
  private let ended: @Sendable (Int) -> Void
  private let asks: @Sendable () -> Void
  private var all: [Int: Subscription] = [:]
  /// The patterns of these, and of those that the server has not accepted yet.
  private var wanted: [Int: [String]] = [:]
  private var last = 0
  /// What the numbers of kept events belong to; nil where the server keeps none.
  private(set) var epoch: String?
  private var asked = Asked.nothing
  /// The number of the latest kept event that has come on this connection.
  private var cursor = 0
  /// Kept events, and what is gone, since some were lost, until the server gives them all again; nil: none were.
  private var held: [ServerLine]?
  /// Whether some are gone that stood before the next one, and it is not known which.
  private var isGoneBefore = false
  /// Who is to get values, and who gets them now.
  private var wantingValues: Set<Int> = []
  private var gettingValues: Set<Int> = []
  private var isAsking = false

  /// `ended` is called with the number of a subscriber that iterates no more, for `remove`; `asks` when `askForKept` is
  /// to be called.
  init(_ requests: Requests, ended: @escaping @Sendable (Int) -> Void, asks: @escaping @Sendable () -> Void) {
    self.requests = requests
    self.ended = ended
    self.asks = asks
  }

  var isEmpty: Bool { all.isEmpty }

  /// Begins to serve the subscribers of the plan. The server learns of them when the connection is set up.
  func start(_ plan: Plan) {
    for (patterns, wish, body) in plan.subscribers {
      let (number, subscription, events) = make(patterns, wish)
      all[number] = subscription
      wanted[number] = patterns
      Task { for await event in events { await Within.next(event.within, event.traceparent) { await body(event) } } }
    }
  }

  /// Subscribes. Events come once the server has accepted it.
  func subscribe(
    _ patterns: [String], _ wish: Subscription.Wish = .init(), _ chosen: ChosenTraces? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> AsyncStream<Event> {
    if patterns.isEmpty { throw Subscription.ofNothing }
    try Names.check(patterns: patterns)
    try wish.check()
    let (number, subscription, events) = make(patterns, wish, chosen)
    wanted[number] = patterns
    var isLeft = false
    do {
      var pause = Subscriptions.firstPause
      while true {
        let (line, accepted) = beginning(number, subscription)
        do {
          _ = try await requests.ask(line) { line in
            accepted(line)
            // The call has failed, at its deadline for instance, and nobody has the events.
            if isLeft { self.remove(number) }
          }
          break
        } catch let error as BatonError where error.code == "busy" {
          // Something else that is kept is still coming.
          try await Task.sleep(for: pause)
          pause = min(pause * 2, Subscriptions.longestPause)
        }
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

  private static let firstPause = Duration.milliseconds(10)
  private static let longestPause = Duration.milliseconds(500)

  /// The line with which a new subscriber begins, and what is to be done when it is accepted.
  private func beginning(_ number: Int, _ subscription: Subscription) -> (RequestLine, (ServerLine) -> Void) {
    let wish = subscription.wish
    if let after = wish.after, let epoch = wish.epoch {
      return (
        line(after: after, epoch, with: subscription.patterns),
        { line in
          let isKnown = self.acceptEvents(line, after: after, epoch)
          self.all[number] = subscription
          if isKnown { self.all[number]?.move(to: after) } else { self.all[number]?.loseKept(.unknown) }
        }
      )
    }
    if asked == .events, !subscription.isForTraces, let epoch {
      let after = cursor
      return (
        line(after: after, epoch, with: subscription.patterns),
        { line in
          let seq = line.integer("seq") ?? 0
          self.acceptEvents(line, after: after, epoch)
          self.all[number] = subscription
          self.all[number]?.move(to: seq)
          if wish.retained { self.wantValues(number) }
        }
      )
    }
    var line = subscription.line
    line.add("retained", wish.retained, unless: false)
    return (
      line,
      { line in
        self.all[number] = subscription
        self.accept(line, number)
        if wish.retained { (self.asked, self.gettingValues) = (.values, [number]) }
      }
    )
  }

  /// A subscriber has gone. The patterns that no other one wants are unsubscribed.
  func remove(_ number: Int) {
    guard let gone = all.removeValue(forKey: number) else { return }
    wanted[number] = nil
    wantingValues.remove(number)
    let others = Set(wanted.values.joined())
    let unwanted = gone.patterns.filter { !others.contains($0) }
    guard !unwanted.isEmpty else { return }
    var line = RequestLine("unsubscribe")
    line.add("topics", texts: unwanted)
    line.add("reply", false, unless: true)
    requests.tell(line)
  }

  // MARK: What is kept

  /// The lines that subscribe again on a new connection, each with what is to be done when it is accepted.
  func lines() -> [(line: RequestLine, accepted: (ServerLine) -> Void)] {
    (asked, held, isGoneBefore, gettingValues) = (.nothing, nil, false, [])
    wantingValues = Set(all.filter(\.value.wish.retained).keys)
    if !wantingValues.isEmpty { asks() }
    if let epoch, let after = firstMissing {
      return [(line(after: after, epoch), { _ = self.acceptEvents($0, after: after, epoch, isNew: true) })]
    }
    return all.sorted { $0.key < $1.key }.map { number, subscription in
      (subscription.line, { self.accept($0, number) })
    }
  }

  /// After which number somebody misses events who wants them; nil if nobody does.
  private var firstMissing: Int? { all.values.filter(\.recovers).map(\.position).min() }

  /// Whether somebody misses events that lie before those that the server gives.
  private var isBehind: Bool {
    guard let after = firstMissing else { return false }
    return after < cursor
  }

  /// Asks for all kept events after a number.
  private func line(after: Int, _ epoch: String, with more: [String] = []) -> RequestLine {
    var line = RequestLine("subscribe")
    line.add("topics", texts: Set(all.values.flatMap(\.patterns) + more).sorted())
    line.add("after", after)
    line.add("epoch", text: epoch)
    return line
  }

  /// The server has accepted a subscriber who asks for no kept events.
  private func accept(_ line: ServerLine, _ number: Int) {
    if let epoch = line.text("epoch") { self.epoch = epoch }
    let seq = line.integer("seq") ?? 0
    // While kept events are given, only they say how far the giving has come.
    if asked != .events { cursor = max(cursor, seq) }
    all[number]?.move(to: seq)
  }

  /// The server gives kept events from now on. Returns whether the number meant something to it.
  @discardableResult
  private func acceptEvents(_ line: ServerLine, after: Int, _ epoch: String, isNew: Bool = false) -> Bool {
    (asked, isGoneBefore) = (.events, false)
    let seq = line.integer("seq") ?? 0
    let isKnown = line.text("epoch") == epoch && after <= seq
    cursor = isKnown ? after : 0
    for (number, subscription) in all {
      if !subscription.recovers, isNew {
        all[number]?.move(to: seq)
      } else if line.text("epoch") != self.epoch {
        all[number]?.move(to: 0)
      } else if subscription.position >= cursor {
        all[number]?.askedAgain()
      }
    }
    self.epoch = line.text("epoch")
    // Those that were held come again. It was a new subscriber that asked where what was lost does not come.
    if held != nil { held = isBehind ? [] : nil }
    // The server says so, too, but only once: the connection may be lost before.
    if !isKnown { loseKept(.unknown) }
    return isKnown
  }

  private func wantValues(_ number: Int) {
    wantingValues.insert(number)
    asks()
  }

  /// Asks for the events that did not come, and for values that somebody wants: one after the other, because the server
  /// gives one at a time.
  func askForKept(isolation: isolated (any Actor)? = #isolation) async {
    guard !isAsking else { return }
    isAsking = true
    defer { isAsking = false }
    var pause = Subscriptions.firstPause
    while let (line, accepted) = nextAsking() {
      do {
        _ = try await requests.ask(line, accepted: accepted)
        pause = Subscriptions.firstPause
      } catch let error as BatonError where error.code == "busy" {
        // As long as it gives events, none of them is lost: the others were. Earlier ones are asked for again.
        if asked == .events, !isBehind { release() }
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, Subscriptions.longestPause)
      } catch let error as BatonError where error.code == "connection_lost" {
        // The next connection asks, if anything was open.
        if held == nil, wantingValues.isEmpty { return }
      } catch {
        release()
        wantingValues = []
        return
      }
    }
  }

  private func nextAsking() -> (RequestLine, (ServerLine) -> Void)? {
    if held != nil {
      guard let epoch, let after = firstMissing else {
        release()
        return nextAsking()
      }
      return (line(after: after, epoch), { self.acceptEvents($0, after: after, epoch) })
    }
    let patterns = wantingValues.flatMap { all[$0]?.patterns ?? [] }
    guard !patterns.isEmpty else { return nil }
    var line = RequestLine("subscribe")
    line.add("topics", texts: Set(patterns).sorted())
    line.add("retained", true)
    let numbers = wantingValues
    return (
      line,
      { _ in
        self.wantingValues.subtract(numbers)
        (self.asked, self.gettingValues) = (.values, numbers)
      }
    )
  }

  /// The events that were held are given: none before them was lost.
  private func release() {
    let lines = held ?? []
    held = nil
    for line in lines {
      if line.flag("gone") { lose(line) } else { deliver(line) }
    }
  }

  // MARK: What comes

  /// Hands an event to each subscriber with a pattern that matches it.
  func deliver(_ line: ServerLine) {
    let isValue = line.flag("retained")
    let seq = isValue ? nil : line.integer("seq")
    if seq != nil, held != nil {
      held?.append(line)
      return
    }
    if let seq { noteGone(before: seq) }
    let topic = line.text("topic") ?? ""
    for (number, subscription) in all {
      if isValue, !gettingValues.contains(number) { continue }
      if let seq {
        if seq <= subscription.position { continue }
        all[number]?.move(to: seq)
      }
      guard subscription.patterns.contains(where: { matches(topic: topic, pattern: $0) }) else { continue }
      all[number]?.take(line, seq: line.integer("seq"), isRetained: isValue)
    }
    cursor = max(cursor, seq ?? 0)
  }

  /// The server has dropped events, because they were not read; or events are gone that it kept.
  func lose(_ line: ServerLine) {
    if line.flag("gone") {
      guard held != nil else {
        return loseKept(Event.Gone(count: line.integer("count"), atMost: line.integer("at_most")))
      }
      held?.append(line)
      return
    }
    let count = line.integer("count") ?? 0
    let isRecovered = epoch != nil && firstMissing != nil
    for (number, subscription) in all { all[number]?.lose(count, isRecovered: isRecovered && subscription.recovers) }
    guard isRecovered, held == nil else { return }
    held = []
    asks()
  }

  /// Kept events are gone that stood behind the cursor. Who is there has got all before it.
  private func loseKept(_ gone: Event.Gone) {
    for (number, subscription) in all where subscription.hearsOfGone {
      guard subscription.position <= cursor else { continue }
      if subscription.position < cursor { all[number]?.move(to: cursor) }
      all[number]?.loseKept(gone)
    }
    isGoneBefore = true
  }

  /// Who had come further than what is given now has lost events, too, if the hole is that large.
  private func noteGone(before seq: Int) {
    guard isGoneBefore else { return }
    isGoneBefore = false
    for (number, subscription) in all where subscription.hearsOfGone {
      guard subscription.position > cursor, subscription.position < seq - 1 else { continue }
      all[number]?.loseKept(Event.Gone(count: nil, atMost: seq - 1 - subscription.position))
    }
  }

  /// The server has left out traces, as it was asked to.
  func leaveOut(_ count: Int) {
    for number in all.keys { all[number]?.leaveOut(count) }
  }

  /// The client has ended.
  func end() {
    for subscription in all.values { subscription.end() }
    (all, wanted, wantingValues, held) = ([:], [:], [], nil)
  }

  private func make(
    _ patterns: [String], _ wish: Subscription.Wish, _ chosen: ChosenTraces? = nil
  ) -> (Int, Subscription, AsyncStream<Event>) {
    last += 1
    let number = last
    let (subscription, events) = Subscription.make(patterns, wish, chosen) { [ended] in ended(number) }
    return (number, subscription, events)
  }
}
