/// Subscribers that get some traces only (contract, section 7, "Some traces only").
extension Model {
  /// The members `where` and `per_second` of the last `subscribe` to `$baton.trace`, and what came of them.
  struct TraceChoice {
    var wish: TraceWish
    /// When the second ends that a trace began, and how many traces were told in it.
    var secondEnd = 0
    var told = 0
    /// The traces that were left out and not told of.
    var leftOut = 0
  }

  /// What can be asked of a trace.
  struct TraceFacts {
    let chain: String
    let topic: String
    let status: String
    let milliseconds: Int
    let from: String
  }

  mutating func choose(_ wish: TraceWish?, of connection: Int) {
    if peers[connection].choice?.leftOut ?? 0 > 0 { sayLeftOut(connection) }
    peers[connection].choice = wish.map { TraceChoice(wish: $0) }
  }

  /// Whether a subscriber gets the trace. If not, it may count as left out.
  mutating func wants(_ facts: TraceFacts, _ connection: Int) -> Bool {
    guard let choice = peers[connection].choice else { return true }
    guard holds(choice.wish, facts) else {
      seen.insert(.traceNotWanted)
      return false
    }
    if now >= choice.secondEnd {
      tellLeftOut(connection)
      peers[connection].choice?.secondEnd = now + 1000
      peers[connection].choice?.told = 0
    }
    let most = (choice.wish.perSecond ?? .max - 1) + (keeps(.tracesAreFew) ? 0 : 1)
    if peers[connection].choice?.told ?? 0 < most {
      seen.insert(.traceWanted)
      peers[connection].choice?.told += 1
      return true
    }
    peers[connection].choice?.leftOut += 1
    alarms.set(.connection(connection), at: peers[connection].choice?.secondEnd ?? now)
    return false
  }

  private func holds(_ wish: TraceWish, _ facts: TraceFacts) -> Bool {
    (wish.chain == nil || wish.chain == facts.chain)
      && (wish.topic.map { Subject.matches(facts.topic, $0) } ?? true)
      && (wish.status == nil || wish.status == facts.status || !keeps(.tracesAreChosen))
      && (wish.slowerThanMilliseconds.map { facts.milliseconds > $0 } ?? true)
      && (wish.from == nil || wish.from == facts.from)
  }

  /// One of the clocks of a connection: at the end of the second, what was left out is told.
  mutating func checkLeftOut(of connection: Int) {
    guard let choice = peers[connection].choice, choice.leftOut > 0, peers[connection].phase == .open else { return }
    if now < choice.secondEnd { return alarms.set(.connection(connection), at: choice.secondEnd) }
    tellLeftOut(connection)
  }

  /// While the peer reads too slowly for events, this is tried again after a second.
  private mutating func tellLeftOut(_ connection: Int) {
    guard peers[connection].choice?.leftOut ?? 0 > 0 else { return }
    if peers[connection].unsent >= settings.eventsUnsentBytes {
      return alarms.set(.connection(connection), at: now + 1000)
    }
    sayLeftOut(connection)
  }

  private mutating func sayLeftOut(_ connection: Int) {
    seen.insert(.leftOut)
    var line = Line("left_out")
    line.add("count", keeps(.leftOutIsCounted) ? peers[connection].choice?.leftOut ?? 0 : 1)
    peers[connection].choice?.leftOut = 0
    say(line, to: connection, isEvent: true)
  }
}
