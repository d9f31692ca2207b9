internal import UV

/// A program as Baton sees it, in one expression: its name, its handlers and its subscribers. Nothing happens until
/// `run()` or `connect()`.
///
///     try await Baton()
///       .named("porter")
///       .handler("porter", "door.*") { message in .handled("opened") }
///       .run()
public struct Baton: Sendable {
  /// Takes a message in, and returns what finds the verdict.
  package typealias HandlerBody = BatonClient.HandlerBody

  private var plan: Plan

  /// The place of the server, or several with commas between them.
  public var place: String { plan.place }

  /// What is wrong with the place; nil if a client can try to connect to it.
  package var troubleWithPlace: String? {
    do throws(BatonError) { _ = try Places(reading: place) } catch { return error.description }
    return nil
  }

  /// The places in a list with commas between them. The path of a Unix socket is the rest of it, commas too.
  package static func places(in list: String) -> [String] { Places.texts(in: list) }

  /// For the server at `place`: `HOST:PORT`, `tls:HOST:PORT` or `unix:PATH`. The default is the environment variable
  /// `BATON_SERVER`, or `127.0.0.1:22866`.
  ///
  /// With `tls:HOST:PORT` the connection is encrypted (TLS 1.3), and the server has to have a certificate for this host.
  ///
  /// Several places have commas between them: `a.example:22866,b.example:22866`. The client begins with one of them by
  /// chance. It goes to the next one at once where the server cannot be reached, is lost, shuts down, has no room, or does not
  /// lead (`not_leading`).
  public init(at place: String? = nil) {
    plan = Plan(place: place ?? Places.usual)
  }

  /// With a name that other programs see.
  public func named(_ name: String) -> Baton { changed { $0.name = name } }

  /// With a token, by which the server knows this program. The default is the environment variable `BATON_TOKEN`;
  /// without it, the token of `tokenFile` counts.
  public func token(_ token: String) -> Baton { changed { $0.token.given = Token(said: token) } }

  /// With the token in a file. The default is the environment variable `BATON_TOKEN_FILE`.
  public func tokenFile(_ path: String) -> Baton { changed { $0.token.path = path } }

  /// With true, a token goes over plain TCP to other machines, too, because something else encrypts the way.
  public func plainToken(_ isAllowed: Bool = true) -> Baton { changed { $0.token.mayBePlain = isAllowed } }

  /// With the authorities in this file in place of the system's: one of them has signed the server's certificate. This
  /// file, and those of `certificate` and `key`, are PEM. They are read when the program connects, and again after each
  /// loss.
  public func ca(_ path: String) -> Baton { changed { $0.encryption.ca = path } }

  /// With a certificate, by which the server knows this program.
  public func certificate(_ path: String) -> Baton { changed { $0.encryption.certificate = path } }

  /// With the private key of the certificate, without a passphrase.
  public func key(_ path: String) -> Baton { changed { $0.encryption.key = path } }

  /// With public keys, at most two, of which the server must have one, beside all other checks. Each is the base64 of the
  /// SHA-256 of its SubjectPublicKeyInfo.
  public func pins(_ pins: String...) -> Baton { self.pins(pins) }

  /// The same for a list of pins.
  public func pins(_ pins: [String]) -> Baton { changed { $0.encryption.pins = pins } }

  /// With the time of silence after which the server pings this program; at least 100 ms.
  public func heartbeat(_ interval: Duration) -> Baton { changed { $0.heartbeat = interval } }

  /// With the time for which a request waits for a connection.
  public func patience(_ time: Duration) -> Baton { changed { $0.patience = time } }

  /// With the bytes of requests that may wait to be sent, 8 MiB if nothing else is said. One that is more fails at once with
  /// `BatonError.backlogFull`.
  public func maxWaitingBytes(_ bytes: Int) -> Baton { changed { $0.maxWaitingBytes = bytes } }

  /// Waits for the next server, as long as a request does, if the first one says that it shuts down.
  package func outlastingDraining() -> Baton { changed { $0.outlastsDraining = true } }

  /// With another time than two seconds by which a call may take longer than its message; for tests.
  package func grace(_ time: Duration) -> Baton { changed { $0.grace = time } }

  /// With another time than ten seconds in which a server has to say something; for tests.
  package func attempt(_ time: Duration) -> Baton { changed { $0.attempt = time } }

  /// With other waits before an attempt to connect; for tests.
  func backoff(_ backoff: Backoff) -> Baton { changed { $0.backoff = backoff } }

  /// With another time after a loss in which the server is asked for a message that it had accepted; the default is half an
  /// hour.
  package func timeToAsk(_ time: Duration) -> Baton { changed { $0.timeToAsk = time } }

  /// With a handler for the topics that match one of the patterns, at the back of a chain. It returns its verdict. If
  /// it throws, the error is logged, and the verdict is `failed` with the first line of the error. Its task is cancelled
  /// when the offer lapses.
  public func handler(
    _ name: String, _ accepts: String..., in chain: String = "main",
    _ body: @escaping @Sendable (Message) async throws -> Verdict
  ) -> Baton {
    handler(Link(name, in: chain, accepts: accepts.isEmpty ? [">"] : accepts), body)
  }

  /// With a handler whose place and settings are in `link`.
  public func handler(_ link: Link, _ body: @escaping @Sendable (Message) async throws -> Verdict) -> Baton {
    handler(Handler(link, body))
  }

  /// With a handler for payloads of one type.
  public func handler<Value: Decodable & SendableMetatype>(
    _ name: String, _ accepts: String..., in chain: String = "main",
    _ body: @escaping @Sendable (Value, Message) async throws -> Verdict
  ) -> Baton {
    handler(Link(name, in: chain, accepts: accepts.isEmpty ? [">"] : accepts), body)
  }

  /// With a handler for payloads of one type, whose place and settings are in `link`.
  public func handler<Value: Decodable & SendableMetatype>(
    _ link: Link, _ body: @escaping @Sendable (Value, Message) async throws -> Verdict
  ) -> Baton {
    handler(Handler(link, body))
  }

  /// With a handler of one kind of message.
  public func handler<Kind: BatonMessage>(
    _ name: String, _ kind: Kind.Type, in chain: String = "main",
    _ body: @escaping @Sendable (Kind, Message) async throws -> Verdict
  ) -> Baton {
    handler(Handler(name, kind, in: chain, body))
  }

  /// With a handler that accepts what `handling` accepts.
  public func handler(_ name: String, _ handling: some Handling, in chain: String = "main") -> Baton {
    handler(Handler(name, handling, in: chain))
  }

  /// With a handler that accepts what `handling` accepts, and has its place and other settings from `link`.
  public func handler(_ link: Link, _ handling: some Handling) -> Baton { handler(Handler(link, handling)) }

  /// With a handler.
  public func handler(_ handler: Handler) -> Baton { changed { $0.handlers.append(handler) } }

  /// With a handler that gets its offers in the order in which they came. `body` is called on the thread of the client,
  /// where it must not wait, and returns what finds the verdict.
  package func handler(_ link: Link, beginning body: @escaping HandlerBody) -> Baton {
    handler(Handler(link, beginning: body))
  }

  /// With a subscriber: it is called with one event after the other. `retained` and `recover` are those of
  /// `Client.subscribe`.
  public func subscriber(
    _ patterns: String..., retained: Bool = false, recover: Bool = true,
    body: @escaping @Sendable (Event) async -> Void
  ) -> Baton {
    subscriber(patterns, retained: retained, recover: recover, body: body)
  }

  /// The same for a list of patterns.
  public func subscriber(
    _ patterns: [String], retained: Bool = false, recover: Bool = true,
    body: @escaping @Sendable (Event) async -> Void
  ) -> Baton {
    changed { $0.subscribers.append((patterns, .init(retained: retained, recover: recover), body)) }
  }

  /// With a function for lines about connections that come and go, for people.
  public func reporting(_ report: @escaping @Sendable (String) -> Void) -> Baton {
    changed { $0.report = { report(shown($0)) } }
  }

  /// With a function that is told, at each connection, where a handler stands.
  package func placing(_ placed: @escaping @Sendable (TakenPlace) -> Void) -> Baton { changed { $0.placed = placed } }

  /// With a function that is told when somebody removed a handler's link or took it over.
  package func losing(_ lost: @escaping @Sendable () -> Void) -> Baton { changed { $0.lost = lost } }

  /// With false, a handler that throws has `failed`, and no more is said: the texts of errors may hold paths and
  /// passwords. By default the server is told the first line of the error.
  public func exposeErrors(_ exposes: Bool) -> Baton { changed { $0.exposesErrors = exposes } }

  /// With a function for what handlers throw, for people. By default it goes to standard error.
  public func loggingErrors(_ log: @escaping @Sendable (String) -> Void) -> Baton { changed { $0.logError = log } }

  private func changed(_ change: (inout Plan) -> Void) -> Baton {
    var other = self
    change(&other.plan)
    return other
  }

  /// Connects, inserts the handlers and subscribes. Then it goes on in the background until the client is closed. A
  /// connection that is lost is made again, with the same handlers and subscriptions. Throws `BatonError` where the
  /// first connection cannot be made, where the server refuses something, or where the token, a file or a pin cannot be
  /// used.
  public func connect() async throws -> Client {
    let session = try Session(plan)
    try await session.open(isPatient: false)
    return Client(session)
  }

  /// The same, but it waits for a server that is not there yet.
  package func connectPatiently() async throws -> Client {
    let session = try Session(plan)
    try await session.open(isPatient: true)
    return Client(session)
  }

  /// Connects, and serves until SIGTERM or SIGINT, or until the task is cancelled. Then it drains and returns; a second
  /// signal closes at once. It waits for a server that is not there yet. It also returns when other clients have
  /// taken the last of its handlers and it has no subscriber. Throws where the server refuses something.
  public func run() async throws { _ = try await serve() }

  /// The same, and says how it ended.
  package func serve() async throws -> RunEnding {
    let session = try Session(plan)
    return try await withTaskCancellationHandler {
      try await session.serve()
    } onCancel: {
      Task { await session.drain() }
    }
  }
}
