#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What a program is to Baton, said in one expression: its name, its handlers and subscribers. Nothing happens until
/// `run()` or `connect()`.
///
///     try await Baton()
///       .named("porter")
///       .handler("porter", "door.*") { message in .handled("opened") }
///       .run()
public struct Baton: Sendable {
  /// Takes a message in, and returns what finds the verdict.
  package typealias HandlerBody = @Sendable (Message) -> @Sendable () async throws -> Verdict

  /// Where the server is.
  public let place: String
  var name: String?
  var heartbeat: Duration = .seconds(15)
  var patience: Duration = .seconds(30)
  var handlers: [(link: Link, body: HandlerBody)] = []
  var subscribers: [(patterns: [String], body: @Sendable (Event) async -> Void)] = []
  var report: @Sendable (String) -> Void = { _ in }

  /// For the server at `place`: `HOST:PORT` or `unix:PATH`. Left out, it is what the environment's `BATON_SERVER` says,
  /// or else `127.0.0.1:22866`.
  public init(at place: String? = nil) {
    let usual = getenv("BATON_SERVER").map { String(cString: $0) } ?? ""
    self.place = place ?? (usual.isEmpty ? "127.0.0.1:22866" : usual)
  }

  /// With a name that others see.
  public func named(_ name: String) -> Baton { changed { $0.name = name } }

  /// With that much silence after which the server asks whether this program is still there; 100 ms at least.
  public func heartbeat(_ interval: Duration) -> Baton { changed { $0.heartbeat = interval } }

  /// With that much time for which a request waits where there is no connection just now.
  public func patience(_ time: Duration) -> Baton { changed { $0.patience = time } }

  /// With a handler for the topics that match the patterns, at the back of a chain. What it returns is its verdict;
  /// throwing is `failed`. Its task is cancelled when the offer has lapsed.
  public func handler(
    _ name: String, _ accepts: String..., in chain: String = "main",
    _ body: @escaping @Sendable (Message) async throws -> Verdict
  ) -> Baton {
    handler(Link(name, in: chain, accepts: accepts.isEmpty ? [">"] : accepts), body)
  }

  /// With a handler whose place and settings `link` says.
  public func handler(_ link: Link, _ body: @escaping @Sendable (Message) async throws -> Verdict) -> Baton {
    handler(link, beginning: { message in { try await body(message) } })
  }

  /// With a handler that hears of its offers in the order in which they came: `body` is called on the client's own
  /// thread, where it must not wait, and returns what finds the verdict.
  package func handler(_ link: Link, beginning body: @escaping HandlerBody) -> Baton {
    changed { $0.handlers.append((link, body)) }
  }

  /// With a handler of one kind of message.
  public func handler<Kind: BatonMessage>(
    _ name: String, _ kind: Kind.Type, in chain: String = "main",
    _ body: @escaping @Sendable (Kind, Message) async throws -> Verdict
  ) -> Baton {
    handler(Link(name, in: chain, accepts: [kind.topic])) { try await body($0.decode(kind), $0) }
  }

  /// With a subscriber: called with one event after the other.
  public func subscriber(_ patterns: String..., body: @escaping @Sendable (Event) async -> Void) -> Baton {
    subscriber(patterns, body: body)
  }

  /// The same for a list of patterns.
  public func subscriber(_ patterns: [String], body: @escaping @Sendable (Event) async -> Void) -> Baton {
    changed { $0.subscribers.append((patterns, body)) }
  }

  /// With a place for lines about connections that come and go, for people.
  public func reporting(_ report: @escaping @Sendable (String) -> Void) -> Baton { changed { $0.report = report } }

  private func changed(_ change: (inout Baton) -> Void) -> Baton {
    var other = self
    change(&other)
    return other
  }

  /// Connects, puts everything in, and goes on in the background until the client is closed: a connection that is lost
  /// is made again, with all that was there. Throws `BatonError` where the first connection cannot be made, or where
  /// the server refuses something.
  public func connect() async throws -> Client {
    let session = try Session(self)
    try await session.open(isPatient: false)
    return Client(session)
  }

  /// Connects, as often as it takes, and serves until SIGTERM or SIGINT, or until the task is cancelled: then it takes
  /// its links out, finishes what is open, and returns; a second signal ends it at once. Throws where the server refuses something.
  public func run() async throws {
    let session = try Session(self)
    try await withTaskCancellationHandler {
      await session.drainOnSignals()
      do {
        try await session.open(isPatient: true)
      } catch BatonError.closed {
        return
      }
      try await session.untilClosed()
    } onCancel: {
      Task { await session.drain() }
    }
  }
}
