internal import HTTP

/// A request that becomes a connection of the router's own: what it says there, one line after the other.
struct HTTPRequest {
  /// The line `hello` with its LF; nil if the request says neither a token nor a name. The op may be sent only when it has
  /// been answered with `welcome`: if it is refused, the error is the answer.
  let greeting: [UInt8]?
  /// Whether the body is the payload. If not, it is read and dropped.
  let takesBody: Bool
  /// The most bytes of a body that are read. `HTTPRefusal.bodyTooLong` is the answer to more.
  let maxBody: Int
  /// Whether the sender waits for the result. If not, the answer is `HTTPAnswer.taken` as soon as the message has been
  /// taken in.
  let reply: Bool
  /// Whether the answer is that the message is stored; its result is not waited for.
  let endsWhenStored: Bool
  /// With which events a subscription begins.
  let events: EventsFrom
  /// Whether only the head of the answer is asked for.
  let isHead: Bool
  /// What is wrong with its form: the answer, once the router knows who asks. Nothing is carried out.
  let refused: HTTPAnswer?
  /// Headers of every answer to this request.
  let cors: [(name: String, value: String)]

  /// The op's line as far as the head tells it: without its last brace and its LF.
  let begun: [UInt8]
  private let body: HTTPBody?
  private let hasBody: Bool
  /// The bytes that `meta` takes.
  private let metaCount: Int
  private let rules: HTTPRules

  /// - Parameter op: the op as far as the query tells it.
  init(
    _ op: HTTPOp.Begun, head: RequestHead, takesBody: Bool, takesMeta: Bool, cors: [(name: String, value: String)],
    _ rules: HTTPRules
  ) throws(HTTPRefusal) {
    var line = op.line
    metaCount = takesMeta ? try HTTPMeta.append(head, to: &line, rules) : 0
    if metaCount > rules.maxContent { throw HTTPBody.tooLong(rules) }
    body = takesBody ? HTTPBody(head) : nil
    if case .length(let count) = head.framing, count > 0 { try body?.admit() }
    greeting = try HTTPGreeting.line(head, name: op.name)
    hasBody = head.hasBody
    begun = line
    self.takesBody = takesBody
    maxBody = rules.maxLine
    reply = op.reply
    endsWhenStored = op.isDurable && !op.waits
    events = op.events
    isHead = head.method == .head
    refused = nil
    self.cors = cors
    self.rules = rules
  }

  /// A request whose form is wrong: it says who asks, and nothing else.
  init(
    refused: HTTPAnswer, greeting: [UInt8], _ head: RequestHead, _ cors: [(name: String, value: String)],
    _ rules: HTTPRules
  ) {
    self.refused = refused
    self.greeting = greeting
    hasBody = head.hasBody
    isHead = head.method == .head
    self.cors = cors
    self.rules = rules
    (takesBody, maxBody, metaCount, body, begun) = (false, rules.maxLine, 0, nil, [])
    (reply, endsWhenStored, events) = (true, false, .now)
  }

  /// The op's line with its LF, without what the body will add; nil if there is no body to wait for.
  var beginning: [UInt8]? { takesBody && hasBody ? begun + Array("}\n".utf8) : nil }

  /// What makes the op's line with its LF, once the body is whole. Behind an op without a reply stands a `ping`, whose
  /// `pong` says that the op has been taken in.
  func making(bodyCount: Int) -> LineMaking {
    LineMaking(self, body, bodyCount: bodyCount, atMost: rules.maxContent - metaCount, rules)
  }

  /// The same line in one step, for a body that is short; or the refusal of the body.
  func line(body bytes: [UInt8]) -> Result<[UInt8], HTTPAnswer> {
    var making = making(bodyCount: bytes.count)
    return bytes.withUnsafeBytes { bytes in
      while true { if let made = making.goOn(bytes) { return made } }
    }
  }
}
