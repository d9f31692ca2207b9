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
  /// How many events were lost just before this one, because this program or its connection was too slow.
  public let missed: Int
  /// How many traces the server left out before this one, because of `perSecond` (see `Client.traces`).
  public let leftOut: Int
  /// The whole line that the server sent.
  public let line: Payload

  init(_ line: ServerLine, missed: Int, leftOut: Int) {
    topic = line.text("topic") ?? ""
    payload = line.payload("payload")
    meta = line.payload("meta")
    from = line.text("from") ?? ""
    self.missed = missed
    self.leftOut = leftOut
    self.line = line.whole
  }

  /// The payload as a value. Throws a `DecodingError` where it has another shape.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try (payload ?? Payload(checked: Array("null".utf8))).decode(type)
  }
}
