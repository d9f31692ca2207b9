/// Takes a message in, and returns what finds the verdict.
package typealias HandlerBody = @Sendable (Message) -> @Sendable () async throws -> Verdict

/// A handler as a value: where it stands and how it is asked, and what it does. `Baton.handler` and `Client.add` take
/// it, and a test offers messages to it without a server (`offer`).
///
///     let porter = Handler("porter", "door.*") { message in .handled("opened") }
public struct Handler: Sendable {
  /// Where it stands and how it is asked.
  public var link: Link
  let body: HandlerBody

  /// For the topics that match one of the patterns, at the back of a chain; without patterns, for all topics. `body`
  /// returns the verdict. If it throws, the verdict is `failed` with the first line of the error. Its task is cancelled
  /// when the offer lapses.
  public init(
    _ name: String, _ accepts: String..., in chain: String = "main",
    _ body: @escaping @Sendable (Message) async throws -> Verdict
  ) {
    self.init(Link(name, in: chain, accepts: accepts.isEmpty ? [">"] : accepts), body)
  }

  /// With its place and settings in `link`.
  public init(_ link: Link, _ body: @escaping @Sendable (Message) async throws -> Verdict) {
    self.init(link, beginning: { message in { try await body(message) } })
  }

  /// For payloads of one type. One of another shape is `failed`, and says which member is wrong.
  public init<Value: Decodable & SendableMetatype>(
    _ name: String, _ accepts: String..., in chain: String = "main",
    _ body: @escaping @Sendable (Value, Message) async throws -> Verdict
  ) {
    self.init(Link(name, in: chain, accepts: accepts.isEmpty ? [">"] : accepts), body)
  }

  /// The same, with its place and settings in `link`.
  public init<Value: Decodable & SendableMetatype>(
    _ link: Link, _ body: @escaping @Sendable (Value, Message) async throws -> Verdict
  ) {
    self.init(link) { try await body($0.decode(Value.self), $0) }
  }

  /// For one kind of message: it accepts its topic.
  public init<Kind: BatonMessage>(
    _ name: String, _ kind: Kind.Type, in chain: String = "main",
    _ body: @escaping @Sendable (Kind, Message) async throws -> Verdict
  ) {
    self.init(Link(name, in: chain, accepts: [kind.topic]), body)
  }

  /// From a value that finds verdicts. It accepts what that value accepts.
  public init(_ name: String, _ handling: some Handling, in chain: String = "main") {
    self.init(Link(name, in: chain), handling)
  }

  /// The same, with its place and settings in `link`, but for what it accepts.
  public init(_ link: Link, _ handling: some Handling) {
    self.init(link) { try await handling.verdict(on: $0) }
    self.link.accepts = handling.accepts
  }

  /// With what is called on the thread of the client, in the order in which offers come. It must not wait there, and
  /// returns what finds the verdict.
  init(_ link: Link, beginning body: @escaping HandlerBody) {
    self.link = link
    self.body = body
  }

  /// Offers a message without a server, and returns the verdict. The payloads go through JSON both ways. What goes
  /// wrong in the handler is `failed`, with the words that the sender would get. `working` is called when the handler
  /// asks for more time. Throws `BatonError` where no server would make this offer, for instance because the handler
  /// does not accept the topic; and what the encoding of a payload throws.
  ///
  ///     let verdict = try await porter.offer("door.open", "Ann")
  ///     #expect(verdict == .handled("Come in, Ann."))
  public nonisolated(nonsending) func offer<Value: Encodable, Meta: Encodable>(
    _ topic: String, _ payload: Value? = Payload?.none, meta: Meta? = Payload?.none, key: String? = nil,
    from: String = "test", timeout: Duration = .seconds(30), isAgain: Bool = false, isShadow: Bool = false,
    stored: String? = nil, try: Int? = nil, resent: String? = nil, isBroadcast: Bool = false, isNotice: Bool = false,
    working: @escaping @Sendable () -> Void = {}
  ) async throws -> Verdict {
    try timeout.checkTime(as: "timeout")
    let trial = try Trial(link, topic, isNotice: isNotice) { line in
      if !isNotice { line.add("timeout_ms", milliseconds: timeout) }
      line.add("from", text: from)
      try line.add("payload", value: payload)
      try line.add("meta", value: meta)
      line.add("key", text: key)
      line.add("again", isAgain || resent != nil || (`try` ?? 1) > 1)
      line.add("stored", text: stored)
      line.add("try", stored == nil ? nil : `try` ?? 1)
      line.add("resent", text: resent)
      line.add("shadow", isShadow)
      if isBroadcast { line.add("for", text: "broadcast") }
    }
    return await trial.verdict(of: body, working: working)
  }
}

/// What finds the verdicts on messages of certain topics: a type of yours, or the one that `@Chain` makes of a
/// protocol.
public protocol Handling: Sendable {
  /// The patterns of the topics that it accepts.
  var accepts: [String] { get }
  /// Finds the verdict. To throw is to fail.
  func verdict(on message: Message) async throws -> Verdict
}
