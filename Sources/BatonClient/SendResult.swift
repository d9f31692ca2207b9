/// What became of a message, or of a broadcast that walked a chain first.
public struct SendResult: Sendable, Hashable {
  /// How its walk ended.
  public enum Status: String, Sendable {
    case handled, unhandled, published, rejected, failed, timeout
  }

  /// How its walk ended.
  public let status: Status
  /// The handler that it ended at.
  public let by: String?
  /// What the handler gave, or what links made of an unhandled message's payload.
  public let payload: Payload?
  /// What the handler said of a `rejected` or `failed` message, or the server.
  public let message: String?
  /// The `code` of a rejection, as JSON: a string or an integer.
  public let code: Payload?
  /// Why a link failed: `timeout`, `disconnect`, `failed`, `overload` or `breaker`.
  public let cause: String?
  /// What every link answered that handled it, in mode `all`.
  public let results: [Answer]
  /// How many offers were made.
  public let hops: Int
  /// The message's number on the server.
  public let walk: Int
  /// For how many the event of a broadcast was queued.
  public let delivered: Int?
  /// Whether an offer had to be repeated.
  public let wasRepeated: Bool
  /// The way, hop by hop, as JSON, where it was asked for.
  public let trace: Payload?
  /// The whole line that the server sent.
  public let line: Payload

  /// One answer of mode `all`.
  public struct Answer: Sendable, Hashable {
    /// The handler.
    public let by: String
    /// What it gave.
    public let payload: Payload?
  }

  /// The payload of a message that was handled. Throws `BatonError.notHandled` where it was not, and a `DecodingError`
  /// where the payload is of another shape.
  public func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    guard status == .handled else { throw BatonError.notHandled(self) }
    return try (payload ?? Payload(checked: Array("null".utf8))).decode(type)
  }

  init(_ line: ServerLine) throws(BatonError) {
    guard let status = line.text("status").flatMap(Status.init) else {
      throw .refused(code: "bad_result", message: "the server's result has no status that this client knows")
    }
    self.status = status
    by = line.text("by")
    payload = line.payload("payload")
    message = line.text("message")
    code = line.payload("code")
    cause = line.text("cause")
    results = line.objects("results").map { Answer(by: $0.text("by") ?? "", payload: $0.payload("payload")) }
    hops = line.integer("hops") ?? 0
    walk = line.integer("walk") ?? 0
    delivered = line.integer("delivered")
    wasRepeated = line.flag("again")
    trace = line.payload("trace")
    self.line = line.whole
  }
}
