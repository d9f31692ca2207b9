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
  private(set) var position = 0
  /// Which traces it wants; nil if it has patterns only.
  private let chosen: ChosenTraces?
  private let stream: AsyncStream<Event>.Continuation
  private var missed = 0
  /// Events that were lost, of which the kept ones come again: the next event that is not kept tells them.
  private var missedOthers = 0
  /// What is gone before its position, and was not told yet.
  private var gone: Event.Gone?
  /// What is gone behind its position. The server tells it again when it is asked again.
  private var fresh: Event.Gone?
  /// What was told of that.
  private var told: Event.Gone?
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

  /// Whether it is told of kept events that are gone: it wants those back that were lost, or began with kept ones.
  var hearsOfGone: Bool { recovers || wish.after != nil }

  /// The line that subscribes.
  var line: RequestLine {
    if let chosen { return chosen.line }
    var line = RequestLine("subscribe")
    line.add("topics", texts: patterns)
    return line
  }

  /// An event has come. Those that are kept have a number.
  mutating func take(_ line: ServerLine, seq: Int?, isRetained: Bool) {
    let lost = ServerLine.sum(missed, seq == nil && !isRetained ? missedOthers : 0)
    let untold = Subscription.beyond(fresh, told)
    let event = Event(line, missed: lost, gone: Subscription.sum(gone, untold), leftOut: leftOut)
    if case .dropped = stream.yield(event) {
      lose(1, isRecovered: false)
    } else {
      if lost > missed { missedOthers = 0 }
      (missed, gone, leftOut) = (0, nil, 0)
      if untold != nil { told = fresh }
    }
  }

  /// The server has dropped events, because they were not read.
  mutating func lose(_ count: Int, isRecovered: Bool) {
    if isRecovered {
      missedOthers = ServerLine.sum(missedOthers, count)
    } else {
      missed = ServerLine.sum(missed, count)
    }
  }

  /// Events that the server kept are gone.
  mutating func loseKept(_ gone: Event.Gone) {
    let gone = patterns.contains(">") ? gone : Event.Gone(count: nil, atMost: gone.number)
    fresh = Subscription.sum(fresh, gone)
  }

  /// It has got all up to this number. What is gone before that is not told again by the server.
  mutating func move(to position: Int) {
    gone = Subscription.sum(gone, Subscription.beyond(fresh, told))
    (fresh, told, self.position) = (nil, nil, position)
  }

  /// The server tells again what is gone behind its position. It does not know again what had no number.
  mutating func askedAgain() {
    if fresh?.number != nil { fresh = nil }
  }

  /// What is gone together; nil where nothing is.
  private static func sum(_ one: Event.Gone?, _ other: Event.Gone?) -> Event.Gone? {
    guard let one, let other else { return one ?? other }
    return one.and(other)
  }

  /// What of it was not told yet; nil where nothing is left.
  private static func beyond(_ gone: Event.Gone?, _ told: Event.Gone?) -> Event.Gone? {
    guard let gone, let told else { return gone }
    return gone.beyond(told)
  }

  /// The server has left out traces, as it was asked to.
  mutating func leaveOut(_ count: Int) {
    if let tell = chosen?.leftOut { tell(count) } else { leftOut = ServerLine.sum(leftOut, count) }
  }

  /// No more events come. Those that wait may still be taken.
  func end() { stream.finish() }
}
