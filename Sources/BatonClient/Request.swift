/// One request, from the call to its outcome.
final class Request {
  /// What kind of request it is: whether the server has it open until its end, so that it counts there, and can be called
  /// off; how long it may take, if it says so; and the key with which messages go one at a time.
  struct Kind: Sendable {
    var isMessage = false
    var time: Duration?
    var key: String?

    /// A message, or a broadcast that walks a chain first.
    static func message(_ time: Duration?, key: String?) -> Kind { Kind(isMessage: true, time: time, key: key) }
    /// Any other request.
    static let other = Kind()

    private init(isMessage: Bool = false, time: Duration? = nil, key: String? = nil) {
      (self.isMessage, self.time, self.key) = (isMessage, time, key)
    }

    /// What the members of a request say.
    init(_ op: String, _ members: [(String, Payload)]) {
      func member(_ name: String) -> Payload? { members.first { $0.0 == name }?.1 }
      let isNotice = member("mode")?.json == "\"notify\""
      guard op == "send" && !isNotice || op == "broadcast" && member("via") != nil else {
        self = .other
        return
      }
      let milliseconds = member("timeout_ms").flatMap { Int($0.json) }
      self = .message(milliseconds.map { .milliseconds($0) }, key: member("key")?.json)
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
  /// How long it may take from the call on, in microseconds.
  let time: Int64
  /// When that is over, as `Deadlines` says it; 0 where it is not waited for.
  var deadline: Int64 = 0
  /// When it is given up if there is no connection.
  var patienceEnds: Int64 = 0
  /// Whether it waits to be written, in the row of those that wait.
  var isWaiting = false
  /// Whether it waits because the server did not take it in; and what the server said then.
  var waitsAgain = false
  var busy: BatonError?
  /// Whether it is open, and nobody waits for its reply any more.
  var isDropped = false
  /// Who waits until it is written, and who waits for the reply.
  var writing: CheckedContinuation<Void, Never>?
  var reply: CheckedContinuation<ServerLine, any Error>?
  private(set) var outcome: Swift.Result<ServerLine, any Error>?

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

  /// It has its outcome: all who wait for it are told.
  func end(_ outcome: Swift.Result<ServerLine, any Error>) {
    self.outcome = outcome
    writing?.resume()
    reply?.resume(with: outcome)
    (writing, reply) = (nil, nil)
  }
}
