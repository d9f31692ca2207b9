/// A connection to the server, which is made again when it is lost. Any task may use it. `close` and `drain` close it,
/// and so does the end of the last reference to it. Requests of one actor go out in their order.
public final class Client: Sendable {
  let session: Session

  init(_ session: Session) { self.session = session }

  deinit {
    let session = session
    Task { await session.close() }
  }

  /// How far a message goes.
  public enum Mode: String, Sendable {
    /// To the first handler that takes it.
    case first
    /// To every link in order; the result tells what each answered.
    case all
  }

  // MARK: Who it is

  /// Who this program is to the server, as of its last connection; nil where the server asks nobody, or does not know it.
  public var identity: String? {
    get async { await session.welcome?.text("identity") }
  }

  /// The rights of this program, as the configuration file says them; nil where the server asks nobody, or does not know it.
  public var may: [String]? {
    get async {
      guard let welcome = await session.welcome, welcome.isList("may") else { return nil }
      return welcome.texts("may")
    }
  }

  /// What tells this start of the server from all others, 32 hex digits, as of the last connection (contract, section 8):
  /// numbers of messages (`walk`) begin anew when it changes. Nil before the first connection, and where the server does
  /// not tell it.
  public var serverStart: String? {
    get async { await session.welcome?.text("start") }
  }

  /// The line with which the server welcomed this program.
  package var welcome: Payload? {
    get async { await session.welcome?.whole }
  }

  /// The place of the server that it is connected to, or tries to reach.
  package var place: String {
    get async { await session.place }
  }

  /// When the server's certificate ends, in seconds since 1970; nil where the connection is not encrypted, or lost.
  package var certificateEnd: Int? {
    get async { await session.certificateEnd }
  }

  // MARK: Messages

  /// Sends a message and waits for its result, whatever it is. `payload` and `meta` are any encodable values, or JSON
  /// that goes byte for byte (`Payload`).
  ///
  /// The message also waits while there is no connection, and while the server does not read. Throws
  /// `BatonError.connectionLost` where the connection is lost while the message is open: it may have been handled; other
  /// `BatonError`s, and what the encoding of a value throws.
  ///
  /// With `durable` the server keeps the message on disk, and tries it until it has an end, through any crash. Then
  /// `timeout` is the time of one try, and this waits as long as it takes. After a lost connection the message is sent
  /// again, and is the same one. To cancel the task ends the waiting; what was accepted goes on.
  public nonisolated(nonsending) func send<Value: Encodable, Meta: Encodable>(
    _ topic: String, _ payload: Value? = Payload?.none, meta: Meta? = Payload?.none, chain: String = "main",
    mode: Mode = .first, key: String? = nil, timeout: Duration? = nil, trace: Bool = false, durable: Durability = false
  ) async throws -> SendResult {
    let line = try Client.sending(topic, payload, meta, chain, mode, key, timeout, trace, durable)
    let kind = Request.Kind.message(durable.isOn ? nil : timeout, key: key, isDurable: durable.isOn)
    return try await session.request(line, kind).result
  }

  /// Sends a message of a kind that has its own topic.
  public nonisolated(nonsending) func send<Kind: BatonMessage, Meta: Encodable>(
    _ message: Kind, meta: Meta? = Payload?.none, chain: String = "main", mode: Mode = .first, key: String? = nil,
    timeout: Duration? = nil, trace: Bool = false, durable: Durability = false
  ) async throws -> SendResult {
    try await send(
      Kind.topic, message, meta: meta, chain: chain, mode: mode, key: key, timeout: timeout, trace: trace,
      durable: durable)
  }

  /// The line of a message.
  static func sending(
    _ topic: String, _ payload: (some Encodable)?, _ meta: (some Encodable)?, _ chain: String, _ mode: Mode,
    _ key: String?, _ timeout: Duration?, _ trace: Bool, _ durable: Durability
  ) throws -> RequestLine {
    // Under the same name the server takes no other meta.
    var line = try Client.line("send", topic, payload, meta, isHandedOn: !durable.isNamed)
    if chain != "main" {
      try Names.check(name: chain, as: "the name of a chain")
      line.add("chain", text: chain)
    }
    if mode != .first { line.add("mode", text: mode.rawValue) }
    try Client.add(key, timeout, trace, to: &line)
    try durable.add(to: &line)
    return line
  }

  /// Tells every link at once and waits for no verdicts. Returns how many were told.
  public nonisolated(nonsending) func notify<Value: Encodable, Meta: Encodable>(
    _ topic: String, _ payload: Value? = Payload?.none, meta: Meta? = Payload?.none, chain: String = "main"
  ) async throws -> Int {
    var line = try Client.line("send", topic, payload, meta)
    try Names.check(name: chain, as: "the name of a chain")
    line.add("chain", text: chain)
    line.add("mode", text: "notify")
    return try await session.request(line).integer("delivered") ?? 0
  }

  /// Tells every link of a message of a kind that has its own topic.
  public nonisolated(nonsending) func notify<Kind: BatonMessage, Meta: Encodable>(
    _ message: Kind, meta: Meta? = Payload?.none, chain: String = "main"
  ) async throws -> Int {
    try await notify(Kind.topic, message, meta: meta, chain: chain)
  }

  /// Where a durable message is. Throws `BatonError`, with the code `no_such_message` where it has ended.
  public nonisolated(nonsending) func stored(_ name: String) async throws -> StoredMessage {
    var line = RequestLine("stored")
    line.add("stored", text: name)
    return StoredMessage(try await session.request(line))
  }

  /// Where the durable message is that this identity has sent under a name of its own (`once`). Throws `BatonError`, with
  /// the code `no_such_message` where it has ended.
  public nonisolated(nonsending) func stored(once: String) async throws -> StoredMessage {
    var line = RequestLine("stored")
    line.add("once", text: once)
    return StoredMessage(try await session.request(line))
  }

  // MARK: Broadcasts

  /// Broadcasts to all subscribers. Returns the number of connections for which the event was queued. With `retain` the
  /// payload becomes the value of its topic, which later subscribers may get; without a payload the value is taken away.
  public nonisolated(nonsending) func broadcast<Value: Encodable, Meta: Encodable>(
    _ topic: String, _ payload: Value? = Payload?.none, meta: Meta? = Payload?.none, echo: Bool = true,
    retain: Bool = false
  ) async throws -> Int {
    var line = try Client.line("broadcast", topic, payload, meta)
    line.add("echo", echo, unless: true)
    line.add("retain", retain)
    return try await session.request(line).integer("delivered") ?? 0
  }

  /// Broadcasts a message of a kind that has its own topic.
  public nonisolated(nonsending) func broadcast<Kind: BatonMessage, Meta: Encodable>(
    _ message: Kind, meta: Meta? = Payload?.none, echo: Bool = true,
    retain: Bool = false
  ) async throws -> Int {
    try await broadcast(Kind.topic, message, meta: meta, echo: echo, retain: retain)
  }

  /// Broadcasts, but the broadcast walks a chain first, and is published after its last link.
  public nonisolated(nonsending) func broadcast<Value: Encodable, Meta: Encodable>(
    _ topic: String, _ payload: Value? = Payload?.none, meta: Meta? = Payload?.none, echo: Bool = true,
    retain: Bool = false, via chain: String, key: String? = nil, timeout: Duration? = nil, trace: Bool = false
  ) async throws -> SendResult {
    var line = try Client.line("broadcast", topic, payload, meta)
    line.add("echo", echo, unless: true)
    line.add("retain", retain)
    try Names.check(name: chain, as: "via: the name of a chain")
    line.add("via", text: chain)
    try Client.add(key, timeout, trace, to: &line)
    return try await session.request(line, .message(timeout, key: key)).result
  }

  /// Broadcasts a message of a kind that has its own topic, which walks a chain first.
  public nonisolated(nonsending) func broadcast<Kind: BatonMessage, Meta: Encodable>(
    _ message: Kind, meta: Meta? = Payload?.none, echo: Bool = true, retain: Bool = false, via chain: String,
    key: String? = nil,
    timeout: Duration? = nil, trace: Bool = false
  ) async throws -> SendResult {
    try await broadcast(
      Kind.topic, message, meta: meta, echo: echo, retain: retain, via: chain, key: key, timeout: timeout, trace: trace)
  }

  /// The beginning of a message's line. What the server would refuse is found here.
  private static func line(
    _ op: String, _ topic: String, _ payload: (some Encodable)?, _ meta: (some Encodable)?, isHandedOn: Bool = true
  ) throws -> RequestLine {
    try Names.check(topic: topic)
    var line = RequestLine(op)
    line.add("topic", text: topic)
    if Within.number > 0 { line.add("within", Within.number) }
    try line.add("payload", value: payload)
    if isHandedOn { line.add("meta", try Traceparent.handedOn(meta)) } else { try line.add("meta", value: meta) }
    return line
  }

  private static func add(_ key: String?, _ timeout: Duration?, _ trace: Bool, to line: inout RequestLine) throws {
    try timeout?.checkTime(as: "timeout")
    line.add("key", text: key)
    line.add("timeout_ms", milliseconds: timeout)
    line.add("trace", trace)
  }

  /// The events of the topics that match one of the patterns, from now on, until the sequence is dropped or the client
  /// is closed. A loop that is too slow misses events, and is told how many (`Event.missed`).
  ///
  /// With `retained` the values of the topics come first (`Event.isRetained`), again after each lost connection. With
  /// `after` and `epoch`, always together and without `retained`, kept events after that number come first; `Event.seq`
  /// and `epoch` tell them. Kept events that did not come, because the connection was lost or read too slowly, are asked
  /// for again; what the server has not any more is told (`Event.gone`). `recover: false` switches that off.
  public nonisolated(nonsending) func subscribe(
    _ patterns: String..., retained: Bool = false, recover: Bool = true, after: Int? = nil, epoch: String? = nil
  ) async throws -> AsyncStream<Event> {
    try await subscribe(patterns, retained: retained, recover: recover, after: after, epoch: epoch)
  }

  /// The same for a list of patterns.
  public nonisolated(nonsending) func subscribe(
    _ patterns: [String], retained: Bool = false, recover: Bool = true, after: Int? = nil, epoch: String? = nil
  ) async throws -> AsyncStream<Event> {
    try await session.subscribe(patterns, .init(retained: retained, recover: recover, after: after, epoch: epoch))
  }

  /// What the numbers of kept events belong to: another one after each start of the server. nil where the server keeps no
  /// events, or before the first subscriber.
  public var epoch: String? {
    get async { await session.epoch }
  }

  /// The traces of walks that have ended, as events of the topic `$baton.trace`: those of messages that were sent to
  /// `chain`, by `from`, with a `topic` that matches this pattern, that ended with `status`, and whose walk took longer
  /// than `slowerThan`. What is nil holds for all. At most `perSecond` come in a second (`Event.leftOut`). They come on
  /// a connection of their own, which is made again when it is lost, and closed when the sequence is dropped or the
  /// client is closed.
  public nonisolated(nonsending) func traces(
    chain: String? = nil, topic: String? = nil, status: SendResult.Status? = nil, slowerThan: Duration? = nil,
    from: String? = nil, perSecond: Int? = nil
  ) async throws -> AsyncStream<Event> {
    let chosen = ChosenTraces(
      chain: chain, topic: topic, status: status, slowerThan: slowerThan, from: from, perSecond: perSecond)
    return try await session.subscribeApart(to: chosen)
  }

  /// The same on the connection of this client, for programs that have no other subscriber.
  package nonisolated(nonsending) func traces(_ chosen: ChosenTraces) async throws -> AsyncStream<Event> {
    try await session.subscribe(to: chosen)
  }

  // MARK: Links

  /// The handlers of this client, in the order in which they came.
  public var links: [ServedLink] {
    get async { await session.servedLinks }
  }

  /// Adds a handler whose place and settings are in `link`. It serves when this returns, and comes back after a loss. It
  /// waits for a connection, as long as the patience allows. Throws `BatonError`, and it is no handler of this client
  /// then.
  @discardableResult
  public nonisolated(nonsending) func add(
    _ link: Link, _ body: @escaping @Sendable (Message) async throws -> Verdict
  ) async throws -> ServedLink {
    try await add(Handler(link, body))
  }

  /// The same for payloads of one type.
  @discardableResult
  public nonisolated(nonsending) func add<Value: Decodable & SendableMetatype>(
    _ link: Link, _ body: @escaping @Sendable (Value, Message) async throws -> Verdict
  ) async throws -> ServedLink {
    try await add(Handler(link, body))
  }

  /// The same for a handler that accepts what `handling` accepts.
  @discardableResult
  public nonisolated(nonsending) func add(_ link: Link, _ handling: some Handling) async throws -> ServedLink {
    try await add(Handler(link, handling))
  }

  /// The same for a handler that is a value.
  @discardableResult
  public nonisolated(nonsending) func add(_ handler: Handler) async throws -> ServedLink {
    try await session.addLink(handler.link, handler.body)
  }

  /// The same for a handler that gets its offers in the order in which they came, as `Baton.handler` says it.
  package nonisolated(nonsending) func add(_ link: Link, beginning body: @escaping HandlerBody) async throws
    -> ServedLink
  {
    try await session.addLink(link, body)
  }

  // MARK: Chains

  /// Sends any request, and returns the reply. The client adds an `id`.
  public nonisolated(nonsending) func request(_ op: String, _ members: [(String, Payload)] = []) async throws -> Payload
  {
    try await session.request(RequestLine(op, members), Request.Kind(op, members)).whole
  }

  /// The same, but an error of the server is a reply, too.
  package nonisolated(nonsending) func answer(
    _ op: String, _ members: [(String, Payload)] = []
  ) async throws -> ServerLine {
    try await session.answer(RequestLine(op, members), Request.Kind(op, members))
  }

  /// The replies to a request that is answered in pages, `explain` or `inspect`, from the first page to the last. The
  /// next page is asked for when it is awaited. Throws as `request` does.
  public func pages(_ op: String, _ members: [(String, Payload)] = []) -> AsyncThrowingStream<Payload, any Error> {
    let session = session
    let pages = Pages(op, members) { try await session.request($0) }
    return AsyncThrowingStream { try await pages.next() }
  }

  /// Sends any request, whose reply is awaited later. Requests that are begun one after the other come to the server in
  /// that order, and none waits for the reply to another. Returns once there is a connection with room.
  public nonisolated(nonsending) func begin(_ op: String, _ members: [(String, Payload)] = []) async throws -> Pending {
    Pending(task: try await session.begin(RequestLine(op, members), Request.Kind(op, members)))
  }

  /// Cancels all messages, and takes no more. Those that were written get their results, as the server gives them; those
  /// that wait to be written throw a `CancellationError`. Returns how many there were.
  package func cancelMessages() async -> Int { await session.cancelMessages() }

  // MARK: The end

  /// Removes the links, finishes what is open, and closes.
  public func drain() async { await session.drain() }

  /// Closes at once. Open requests throw `closed`.
  public func close() async { await session.close() }

  /// Waits until the client is closed. Throws if the program did not close it.
  public func untilClosed() async throws { try await session.untilClosed() }
}
