/// One request, from the call to its outcome.
final class Request {
  /// What kind of request it is: whether the server has it open until its end, so that it counts there, and can be called
  /// off; how long it may take, if it says so; the key with which messages go one at a time; and whether it is the same
  /// message when it is sent again, because it is durable and has a name of its own (`once`).
  struct Kind: Sendable {
    var isMessage = false
    var time: Duration?
    var key: String?
    var isDurable = false

    /// A message, or a broadcast that walks a chain first.
    static func message(_ time: Duration?, key: String?, isDurable: Bool = false) -> Kind {
      Kind(isMessage: true, time: time, key: key, isDurable: isDurable)
    }
    /// Any other request.
    static let other = Kind()

    private init(isMessage: Bool = false, time: Duration? = nil, key: String? = nil, isDurable: Bool = false) {
      (self.isMessage, self.time, self.key, self.isDurable) = (isMessage, time, key, isDurable)
    }

    /// What the members of a request say.
    init(_ op: String, _ members: [(String, Payload)]) {
      func member(_ name: String) -> Payload? { members.first { $0.0 == name }?.1 }
      let isNotice = member("mode")?.json == "\"notify\""
      guard op == "send" && !isNotice || op == "broadcast" && member("via") != nil else {
        self = .other
        return
      }
      let isDurable = member("durable")?.json == "true"
      // That is the time of one try then.
      let milliseconds =
        isDurable ? nil : member("timeout_ms").flatMap { Int($0.json) }.map { min(max($0, 0), ServerLine.day) }
      self = .message(
        milliseconds.map { .milliseconds($0) }, key: member("key")?.json, isDurable: isDurable && member("once") != nil)
    }
  }

  /// The `id` of its line. Later requests have higher ones.
  let id: Int
  /// Its line without the id.
  let line: RequestLine
  let kind: Kind
  /// What is called when the server accepts it, before the next line of the server is looked at.
  let accepted: (ServerLine) -> Void
  /// The bytes of its line, about.
  let size: Int
  /// How long it may take from the call on, in microseconds; and a message that was accepted, from the loss of the
  /// connection on until the server is asked again.
  var time: Int64
  /// When that is over, as `Deadlines` says it; 0 where it may take as long as it takes.
  var deadline: Int64 = 0
  /// When it is given up if there is no connection.
  var patienceEnds: Int64 = 0
  /// Whether it waits to be written, in one of the rows; and whether it does so again, because the server did not take it
  /// in, or because the connection was lost. `busy` and `lost` say why.
  var isWaiting = false
  var waitsAgain = false
  var busy: BatonError?
  var lost: BatonError?
  /// Until when the server may be asked again, once the connection was lost on which it was accepted; 0 if it was not.
  var askUntil: Int64 = 0
  /// Whether it is open, and nobody waits for its reply any more.
  var isDropped = false
  /// Who waits until it is written, or accepted, and who waits for the reply.
  var writing: CheckedContinuation<Void, Never>?
  var reply: CheckedContinuation<ServerLine, any Error>?
  private(set) var outcome: Swift.Result<ServerLine, any Error>?
  /// What the server said when it accepted a durable message.
  private(set) var acceptance: ServerLine?
  /// Whether a program holds it, and may ask for its result at any time; those who do now, by their numbers.
  var isHeld = false
  var listeners: [Int: CheckedContinuation<ServerLine, any Error>] = [:]

  init(
    _ id: Int, _ line: RequestLine, _ kind: Kind, time: Int64, accepted: @escaping (ServerLine) -> Void
  ) {
    self.id = id
    self.line = line
    self.kind = kind
    self.time = time
    self.accepted = accepted
    size = line.bytes.count + 24
  }

  var hasEnded: Bool { outcome != nil }

  /// Whether somebody waits for what comes of it now.
  var isAwaited: Bool { !isHeld || acceptance == nil || !listeners.isEmpty }

  /// The server has it on disk.
  func accept(_ line: ServerLine) {
    acceptance = line
    if isHeld { wake() }
  }

  /// It was written, or accepted.
  func wake() {
    writing?.resume()
    writing = nil
  }

  /// It has its outcome: all who wait for it are told.
  func end(_ outcome: Swift.Result<ServerLine, any Error>) {
    self.outcome = outcome
    wake()
    reply?.resume(with: outcome)
    for listener in listeners.values { listener.resume(with: outcome) }
    (reply, listeners) = (nil, [:])
  }
}
