/// What a handler is offered.
public struct Message: Sendable {
  /// The topic.
  public let topic: String
  /// What was sent, as earlier links have rewritten it; nil where nothing was.
  public let payload: Payload?
  /// What the sender gave beside the payload.
  public let meta: Payload?
  /// The key by which messages go one at a time.
  public let key: String?
  /// The sender: the name of a client, or `#` and the number of its connection.
  public let from: String
  /// How many messages led to this one. What the handler sends says one more.
  public let within: Int
  /// In which trace it is, as W3C Trace Context writes it: what the server says, or else the sender in `meta`; nil where neither
  /// does.
  public let traceparent: String?
  /// The chain.
  public let chain: String
  /// The link in that chain to which this offer is made.
  public let handler: String
  /// The message's number on the server.
  public let walk: Int
  /// The offer's number on its connection; nil for a notice.
  public let id: Int?
  /// How long the offer stays open; nil for a notice.
  public let timeout: Duration?
  /// Whether the message may have reached a handler of this link before.
  public let isAgain: Bool
  /// The name of a durable message on the server; nil for other messages. A handler that must not do a thing twice
  /// remembers it.
  public let stored: String?
  /// Which try of a durable message this is; nil for other messages.
  public let `try`: Int?
  /// The name of the dead letter of which this message was made; nil if it was not.
  public let resent: String?
  /// Whether this is a copy for a handler that only watches.
  public let isShadow: Bool
  /// Whether nobody knows if the message fits the link's condition (contract, section 5, `when`). What permits answers `reject`
  /// or `continue` then.
  public let isDoubtful: Bool
  /// Whether other links of a stage are asked at once. `handled` and another payload are failures there (contract, section 5,
  /// `Stages`).
  public let isTogether: Bool
  /// Whether it is a broadcast that walks a chain first.
  public let isBroadcast: Bool
  /// Whether it is a notice: no verdict is expected.
  public let isNotice: Bool
  /// The whole line that the server sent.
  public let line: Payload
  /// How many bytes a line to the server may have: no answer is longer.
  public let maxLine: Int
  /// What tells the start of the server from all others, which made this offer (contract, section 8); nil where it does
  /// not tell it.
  package let serverStart: String?

  private let tellWorking: @Sendable () async -> Void

  init(
    _ line: ServerLine, maxLine: Int = .max, serverStart: String? = nil,
    tellWorking: @escaping @Sendable () async -> Void
  ) {
    topic = line.text("topic") ?? ""
    payload = line.payload("payload")
    meta = line.payload("meta")
    key = line.text("key")
    from = line.text("from") ?? ""
    within = min(max(line.integer("within") ?? 0, 0), Within.most)
    traceparent = Traceparent.of(line)
    chain = line.text("chain") ?? ""
    handler = line.text("handler") ?? ""
    walk = line.integer("walk") ?? 0
    isNotice = line.op == "notice"
    id = isNotice ? nil : line.integer("id")
    timeout = line.time("timeout_ms", to: ServerLine.day)
    isAgain = line.flag("again")
    stored = line.text("stored")
    `try` = line.integer("try")
    resent = line.text("resent")
    isShadow = line.flag("shadow")
    isDoubtful = line.text("when") == "unknown"
    isTogether = line.flag("together")
    isBroadcast = line.text("for") == "broadcast"
    self.line = line.whole
    self.maxLine = maxLine
    self.serverStart = serverStart
    self.tellWorking = tellWorking
  }

  /// The payload as a value. Throws a `DecodingError` where it has another shape: a handler
  /// that lets it go has failed, and says which member is wrong.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    do {
      return try (payload ?? Payload(checked: Array("null".utf8))).decode(type)
    } catch let error as DecodingError {
      throw error.inside("payload")
    }
  }

  /// Tells the server that the work goes on. The time of the offer starts again, but does not pass the deadline of the
  /// message.
  public func working() async { await tellWorking() }
}

/// What people find a message by: `main/porter at door.open (walk 41)`. It does not keep the message, which may be large.
struct MessageTitle: Sendable, CustomStringConvertible {
  private let chain, handler, topic: String
  private let walk: Int
  private let stored: String?

  init(_ message: Message) {
    (chain, handler, topic) = (message.chain, message.handler, message.topic)
    (walk, stored) = (message.walk, message.stored)
  }

  var description: String {
    shown("\(chain)/\(handler) at \(topic) (walk \(walk)\(stored.map { ", stored \($0)" } ?? ""))")
  }
}
