/// What became of a message, or of a broadcast that walked a chain first.
public struct SendResult: Sendable, Hashable {
  /// How its walk ended.
  public enum Status: String, Sendable {
    case handled, unhandled, published, rejected, failed, timeout, cancelled
  }

  /// How its walk ended.
  public let status: Status
  /// The handler at which it ended.
  public let by: String?
  /// The answer of the handler, or the payload of an unhandled message as links have rewritten it.
  public let payload: Payload?
  /// Why the message is `rejected` or `failed`, in the words of the handler or the server.
  public let message: String?
  /// The `code` of a rejection, as JSON: a string or an integer.
  public let code: Payload?
  /// Why it is `failed`: at a link `timeout`, `disconnect`, `failed`, `overload` or `breaker`; `damaged` of a durable message
  /// whose bytes the disk of the server has lost.
  public let cause: String?
  /// In mode `all`, the answer of each link that handled it.
  public let results: [Answer]
  /// The links that failed the message before its end, in their order; at most 8.
  public let failures: [Failure]
  /// Whether there were more failures than are listed.
  public let hasMoreFailures: Bool
  /// How many offers were made.
  public let hops: Int
  /// The message's number on the server.
  public let walk: Int
  /// The number of connections for which the event of a broadcast was queued.
  public let delivered: Int?
  /// Whether an offer had to be repeated.
  public let wasRepeated: Bool
  /// The name of a durable message on the server; nil for other messages.
  public let stored: String?
  /// The try that a durable message ended with; 0: no try had an end; nil for other messages.
  public let `try`: Int?
  /// Whether a durable message is a dead letter: no handler has taken it, and it is not tried any more.
  public let isDead: Bool
  /// The way of the message, hop by hop, as JSON, where it was asked for.
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

  /// One link that failed a message which went on behind it.
  public struct Failure: Sendable, Hashable, CustomStringConvertible {
    /// The handler.
    public let by: String
    /// The chain.
    public let chain: String
    /// Why it failed: `timeout`, `disconnect`, `failed`, `overload` or `breaker`.
    public let cause: String
    /// What the handler said, if it said something.
    public let message: String?

    /// One phrase for people.
    public var description: String { "\(by) in \(chain) (\(cause)\(message.map { ": \($0)" } ?? ""))" }
  }

  /// The payload of a message that was handled. Throws `BatonError.notHandled` where it was not, and a `DecodingError`
  /// where the payload is of another shape.
  public func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    guard status == .handled else { throw BatonError.notHandled(self) }
    return try (payload ?? Payload(checked: Array("null".utf8))).decode(type)
  }
}
