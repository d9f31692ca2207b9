/// What a subscriber gets of a broadcast.
public struct Event: Sendable, Hashable {
  /// The topic.
  public let topic: String
  /// What was broadcast; nil where nothing was.
  public let payload: Payload?
  /// What the sender gave beside the payload.
  public let meta: Payload?
  /// The sender; `$baton` is the server.
  public let from: String
  /// How many messages led to it. What the subscriber sends says one more.
  public let within: Int
  /// In which trace it is, as W3C Trace Context writes it: what the sender says in `meta`; nil where it says nothing.
  public let traceparent: String?
  /// How many events were lost just before this one, because this program or its connection was too slow.
  public let missed: Int
  /// What is gone for good just before this one: events that the server kept, and that it could not give again; nil where
  /// nothing is.
  public let gone: Gone?
  /// The number of a kept event; nil where events of its topic are not kept.
  public let seq: Int?
  /// Whether it is the value of its topic, which was published before this program subscribed.
  public let isRetained: Bool
  /// How many traces the server left out before this one, because of `perSecond` (see `Client.traces`).
  public let leftOut: Int
  /// The whole line that the server sent.
  public let line: Payload

  /// Kept events that are gone. Without both numbers it is not known how many.
  public struct Gone: Sendable, Hashable {
    /// So many.
    public let count: Int?
    /// So many at most: some of them may have been of other topics.
    public let atMost: Int?

    /// Nobody knows how many.
    static let unknown = Gone(count: nil, atMost: nil)

    /// How many are gone at most; nil where nobody knows.
    var number: Int? { count ?? atMost }

    /// These and others.
    func and(_ other: Gone) -> Gone {
      guard let mine = number, let others = other.number else { return .unknown }
      let both = ServerLine.sum(mine, others)
      return count != nil && other.count != nil ? Gone(count: both, atMost: nil) : Gone(count: nil, atMost: both)
    }

    /// What of these was not told yet; nil where nothing is left.
    func beyond(_ told: Gone) -> Gone? {
      guard let others = told.number else { return nil }
      guard let mine = number else { return self }
      guard mine > others else { return nil }
      return count != nil && told.count != nil
        ? Gone(count: mine - others, atMost: nil) : Gone(count: nil, atMost: mine - others)
    }
  }

  init(_ line: ServerLine, missed: Int, gone: Gone? = nil, leftOut: Int) {
    topic = line.text("topic") ?? ""
    payload = line.payload("payload")
    meta = line.payload("meta")
    from = line.text("from") ?? ""
    within = min(max(line.integer("within") ?? 0, 0), Within.most)
    traceparent = Traceparent.of(line)
    self.missed = missed
    self.gone = gone
    seq = line.integer("seq")
    isRetained = line.flag("retained")
    self.leftOut = leftOut
    self.line = line.whole
  }

  /// The payload as a value. Throws a `DecodingError` where it has another shape.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try (payload ?? Payload(checked: Array("null".utf8))).decode(type)
  }
}
