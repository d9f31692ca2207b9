/// Where a durable message is, as the server tells it.
public struct StoredMessage: Sendable, Hashable {
  /// What it does now. The server may grow others.
  public struct State: RawRepresentable, Sendable, Hashable {
    /// As the server says it.
    public let rawValue: String

    /// From what the server says.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Its first try is not due yet.
    public static let delayed = State(rawValue: "delayed")
    /// It waits for its next attempt.
    public static let waiting = State(rawValue: "waiting")
    /// It walks the chain.
    public static let underWay = State(rawValue: "under_way")
    /// It has ended, and the server is writing that down.
    public static let ending = State(rawValue: "ending")
    /// It is a dead letter.
    public static let dead = State(rawValue: "dead")
  }

  /// Its name on the server.
  public let stored: String
  /// The chain.
  public let chain: String
  /// What it does now.
  public let state: State
  /// How many tries counted.
  public let tries: Int
  /// The status that the last attempt ended with.
  public let cause: String?
  /// Whether it waits because its last attempt did not count: a link that it needs was not there.
  public let isUncounted: Bool
  /// Whether it waits for the configuration file to declare its chain again.
  public let isUndeclared: Bool
  /// When the next attempt comes; nil if no time is set.
  public let nextTry: Duration?
  /// The whole line that the server sent.
  public let line: Payload

  init(_ line: ServerLine) {
    stored = line.text("stored") ?? ""
    chain = line.text("chain") ?? ""
    state = State(rawValue: line.text("state") ?? "")
    tries = line.integer("tries") ?? 0
    cause = line.text("cause")
    isUncounted = line.flag("uncounted")
    isUndeclared = line.flag("undeclared")
    nextTry = line.time("next_try_ms", from: 0, to: ServerLine.week)
    self.line = line.whole
  }
}

/// A durable message that no handler has taken, and that is not tried any more.
public struct DeadLetter: Sendable, Hashable {
  /// Its name on the server.
  public let stored: String
  /// The topic.
  public let topic: String
  /// The chain.
  public let chain: String
  /// The key by which messages go one at a time.
  public let key: String?
  /// How many tries counted.
  public let tries: Int
  /// The time since it was accepted.
  public let age: Duration
  /// How the last attempt ended; nil: in a way that this library does not know.
  public let result: SendResult?
  /// What was sent. Lists leave it out: `Client.deadLetter` has it.
  public let payload: Payload?
  /// What the sender gave beside the payload; lists leave it out.
  public let meta: Payload?
  /// The whole of it, as the server wrote it.
  public let line: Payload

  init(_ line: ServerLine) {
    stored = line.text("stored") ?? ""
    topic = line.text("topic") ?? ""
    chain = line.text("chain") ?? ""
    key = line.text("key")
    tries = line.integer("tries") ?? 0
    age = .milliseconds(line.integer("ago_ms") ?? 0)
    result = line.payload("result").flatMap { ServerLine($0.bytes) }.flatMap { try? $0.result }
    payload = line.payload("payload")
    meta = line.payload("meta")
    self.line = line.whole
  }
}

/// The dead letters of a chain, one after the other: the next page is asked for when it is needed. They end with those that
/// were accepted before the first page was asked for: what is sent again meanwhile may be a dead letter again, at the end of
/// the list.
actor DeadLetters {
  private let ask: @Sendable (RequestLine) async throws -> ServerLine
  private let chain: String
  private let limit: Int?
  private var after: String?
  private var page: [DeadLetter] = []
  private var isLast = false
  /// The last one that was there when the first page came, in the words of the server.
  private var until: String?

  init(
    of chain: String, after: String?, limit: Int?, ask: @escaping @Sendable (RequestLine) async throws -> ServerLine
  ) {
    self.ask = ask
    (self.chain, self.after, self.limit) = (chain, after, limit)
  }

  /// The next one; nil behind the last one.
  func next() async throws -> DeadLetter? {
    while page.isEmpty {
      if isLast { return nil }
      var line = RequestLine("dead")
      line.add("chain", text: chain == "main" ? nil : chain)
      line.add("after", text: after)
      line.add("until", text: until)
      line.add("limit", limit)
      let reply = try await ask(line)
      page = reply.objects("dead").map(DeadLetter.init).reversed()
      // A page that leads to itself has no next one.
      isLast = !reply.flag("more") || ["", after, nil].contains(page.first?.stored)
      until = reply.text("until")
      after = page.first?.stored ?? after
    }
    return page.popLast()
  }
}
