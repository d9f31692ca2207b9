/// A connection to the server, which is made again when it is lost. It may be used from any task; it is closed by
/// `close` or `drain`, or when the last reference to it is gone. What one actor asks for goes out in that order.
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

  // MARK: Messages

  /// Sends a message and waits for its result. It waits, too, while there is no connection or the server does not read.
  /// Throws `BatonError.connectionLost` where the connection is lost with the message open: it may have been handled.
  public nonisolated(nonsending) func send(
    _ topic: String, _ payload: Payload? = nil, meta: Payload? = nil, chain: String = "main", mode: Mode = .first,
    key: String? = nil, timeout: Duration? = nil, trace: Bool = false
  ) async throws -> SendResult {
    var line = RequestLine("send")
    line.add("topic", text: topic)
    line.add("payload", payload)
    line.add("meta", meta)
    if chain != "main" { line.add("chain", text: chain) }
    if mode != .first { line.add("mode", text: mode.rawValue) }
    line.add("key", text: key)
    line.add("timeout_ms", milliseconds: timeout)
    line.add("trace", trace)
    return try SendResult(await session.request(line))
  }

  /// Sends a value.
  public nonisolated(nonsending) func send(
    _ topic: String, _ value: some Encodable & Sendable, chain: String = "main", key: String? = nil,
    timeout: Duration? = nil
  ) async throws -> SendResult {
    try await send(topic, Payload(value), chain: chain, key: key, timeout: timeout)
  }

  /// Sends a message of a kind that has its own topic.
  public nonisolated(nonsending) func send<Kind: BatonMessage>(
    _ message: Kind, chain: String = "main", key: String? = nil, timeout: Duration? = nil
  ) async throws -> SendResult {
    try await send(Kind.topic, Payload(message), chain: chain, key: key, timeout: timeout)
  }

  /// Tells every link at once and waits for no verdicts; returns how many were told.
  public nonisolated(nonsending) func notify(
    _ topic: String, _ payload: Payload? = nil, meta: Payload? = nil, chain: String = "main"
  ) async throws -> Int {
    var line = RequestLine("send")
    line.add("topic", text: topic)
    line.add("payload", payload)
    line.add("meta", meta)
    line.add("chain", text: chain)
    line.add("mode", text: "notify")
    return try await session.request(line).integer("delivered") ?? 0
  }

  // MARK: Broadcasts

  /// Broadcasts to everyone who has subscribed; returns for how many the event was queued.
  public nonisolated(nonsending) func broadcast(
    _ topic: String, _ payload: Payload? = nil, meta: Payload? = nil, echo: Bool = true
  ) async throws -> Int {
    let line = Client.broadcast(topic, payload, meta, echo)
    return try await session.request(line).integer("delivered") ?? 0
  }

  /// Broadcasts a value.
  public nonisolated(nonsending) func broadcast(_ topic: String, _ value: some Encodable & Sendable, echo: Bool = true)
    async throws -> Int
  {
    try await broadcast(topic, Payload(value), echo: echo)
  }

  /// Sends a broadcast down a chain first: it is published when every link has left it.
  public nonisolated(nonsending) func broadcast(
    _ topic: String, _ payload: Payload? = nil, meta: Payload? = nil, echo: Bool = true, via chain: String,
    key: String? = nil, timeout: Duration? = nil, trace: Bool = false
  ) async throws -> SendResult {
    var line = Client.broadcast(topic, payload, meta, echo)
    line.add("via", text: chain)
    line.add("key", text: key)
    line.add("timeout_ms", milliseconds: timeout)
    line.add("trace", trace)
    return try SendResult(await session.request(line))
  }

  private static func broadcast(_ topic: String, _ payload: Payload?, _ meta: Payload?, _ echo: Bool) -> RequestLine {
    var line = RequestLine("broadcast")
    line.add("topic", text: topic)
    line.add("payload", payload)
    line.add("meta", meta)
    line.add("echo", echo, unless: true)
    return line
  }

  /// The events of the topics that match the patterns, from now on, until the sequence is dropped or the client closed.
  /// Who takes them too slowly loses some and is told how many (`Event.missed`).
  public nonisolated(nonsending) func subscribe(_ patterns: String...) async throws -> AsyncStream<Event> {
    try await session.subscribe(patterns)
  }

  /// The same for a list of patterns.
  public nonisolated(nonsending) func subscribe(_ patterns: [String]) async throws -> AsyncStream<Event> {
    try await session.subscribe(patterns)
  }

  // MARK: Chains

  /// Any request, as its members in JSON (`{"op":"inspect"}`), and the server's reply. An `id` is put in.
  public nonisolated(nonsending) func request(_ op: String, _ members: [(String, Payload)] = []) async throws -> Payload
  {
    try await session.request(RequestLine(op, members)).whole
  }

  /// Any request, whose reply is waited for later: requests that are begun one after the other come to the server in
  /// that order, without one waiting for the reply to the other. Returns once there is a connection with room.
  public nonisolated(nonsending) func begin(_ op: String, _ members: [(String, Payload)] = []) async throws -> Pending {
    Pending(task: try await session.begin(RequestLine(op, members)))
  }

  // MARK: The end

  /// Takes the links out, finishes what is open, and closes.
  public func drain() async { await session.drain() }

  /// Closes at once; what is open is told `closed`.
  public func close() async { await session.close() }

  /// Waits until the client is closed.
  public func untilClosed() async throws { try await session.untilClosed() }
}
