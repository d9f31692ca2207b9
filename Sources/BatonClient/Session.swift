internal import BatonCore
internal import UV

/// All that hangs on one client: its connection, which comes and goes, the requests that are open, the handlers and the
/// subscribers, which stay. It runs on the loop's thread, where its socket calls it, too.
actor Session {
  enum Phase {
    /// There is no connection; the next attempt is due or under way.
    case apart
    /// Connected: handlers and subscriptions are put in.
    case settingUp
    case open
    case closed(BatonError)
  }

  /// One handler's place.
  struct Place {
    let link: Link
    let body: Baton.HandlerBody
    /// As the server spelled it last: with it the handler gets its old place.
    var rank: Payload?
    /// Whether it has served: then a name that is taken is its own, from a connection that still stands.
    var hasServed = false
    /// Whether somebody else has it now, or nobody.
    var isGone = false
  }

  /// One subscriber.
  struct Subscription {
    let patterns: [String]
    let stream: AsyncStream<Event>.Continuation
    var missed = 0
  }

  /// All clients of the process share one loop.
  private static let shared = Swift.Result { try LoopThread() }

  let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  let plan: Baton
  let endpoint: Endpoint
  var phase = Phase.apart
  var isPatient = false
  /// Whether the work is over once nobody needs the handlers any more.
  var isServing = false
  var isDraining = false
  var hasBeenOpen = false
  var socket: Socket?
  /// Counts connections: what belongs to an earlier one is of no use any more.
  var number = 0
  var backoff = Backoff()
  var lastHeard = ContinuousClock.now
  /// What the server has just said, if that answers no request: where it closes then, that is why.
  var lastFault: BatonError?
  /// How long a line the server takes, once it has said so.
  var maxLine = Int.max
  var signals: [Signal] = []

  var places: [Place]
  var subscriptions: [Int: Subscription] = [:]
  /// The handlers' tasks by their offers' ids.
  var offers: [Int: Task<Void, Never>] = [:]
  /// The last request's id, and the last number of whatever else has to be found again.
  var lastID = 0
  var lastToken = 0
  var requests: [Int: CheckedContinuation<ServerLine, any Error>] = [:]
  var steps: [Int: SetupStep] = [:]
  /// Those who wait for something to change.
  var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  /// Those who wait until they can send something.
  var row = RequestRow()
  /// Looks over what is sent.
  private var scanner = LineScanner(maximumDepth: Session.deepest)

  init(_ plan: Baton) throws {
    guard let endpoint = Endpoint(plan.place) else { throw BatonError.notAPlace(plan.place) }
    self.endpoint = endpoint
    self.plan = plan
    places = plan.handlers.map { Place(link: $0.link, body: $0.body) }
    do { thread = try Session.shared.get() } catch { throw BatonError.unreachable("\(error)") }
  }

  /// Connects and sets everything up. One that is not patient gives up where the first attempt fails.
  func open(isPatient: Bool) async throws {
    self.isPatient = isPatient
    for subscriber in plan.subscribers {
      let events = listen(to: subscriber.patterns)
      Task { for await event in events { await subscriber.body(event) } }
    }
    connect()
    try await ready(within: nil)
  }

  /// Bytes that the kernel has not taken yet.
  var unsentCount: Int { socket?.unsentCount ?? 0 }

  // MARK: Requests

  /// Sends a request and waits for its reply.
  func request(_ line: RequestLine) async throws -> ServerLine {
    try await ready(within: plan.patience)
    return try await requestNow(line)
  }

  /// Sends a request as soon as there is room, after those that were begun before; the task has its reply.
  func begin(_ line: RequestLine) async throws -> Task<ServerLine, any Error> {
    try await ready(within: plan.patience)
    return Task { try await requestNow(line) }
  }

  /// The same where the connection stands.
  func requestNow(_ line: RequestLine) async throws -> ServerLine {
    // The server would close the connection with everything that is open on it.
    let count = line.bytes.count + 32
    guard count <= maxLine else {
      throw BatonError.refused(
        code: "line_too_long", message: "the line takes \(count) bytes; the server takes \(maxLine)")
    }
    let id = lastID + 1
    var line = line
    line.add("id", id)
    let bytes = line.ended
    guard isReadable(bytes) else { throw Session.tooDeep }
    lastID = id
    let reply = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<ServerLine, any Error>) in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        requests[id] = continuation
        socket?.send(bytes)
      }
    } onCancel: {
      Task { await forget(id) }
    }
    if reply.op == "error" { throw reply.refusal }
    return reply
  }

  private func forget(_ id: Int) { requests.removeValue(forKey: id)?.resume(throwing: CancellationError()) }

  func send(_ line: RequestLine, id: Int? = nil) {
    var line = line
    line.add("id", id)
    socket?.send(line.ended)
  }

  /// How deep a line may be nested unless the server is told otherwise.
  private static let deepest = 128
  static let tooDeep = BatonError.refused(
    code: "too_deep", message: "nested more than \(deepest) deep; flatten it or send it as a string")

  /// Whether the server can read a line, which is known to be JSON: one that is nested too deeply would be answered
  /// without its id, so that nobody knew which one it was.
  func isReadable(_ line: [UInt8]) -> Bool {
    // Each level takes two bytes.
    if line.count < Session.deepest * 2 { return true }
    return line.withUnsafeBytes { scanner.scan(UnsafeRawBufferPointer(rebasing: $0.dropLast())) } == nil
  }

  // MARK: What comes

  func received(_ line: ServerLine, on number: Int) {
    guard number == self.number else { return }
    lastHeard = .now
    lastFault = nil
    switch line.op {
    case "offer", "notice": offered(line)
    case "lapsed": line.integer("id").map { offers[$0]?.cancel() }
    case "event": deliver(line)
    case "missed": lose(line.integer("count") ?? 0)
    case "ping": send(RequestLine("pong"))
    case "moved", "replaced", "removed": placeChanged(line)
    case "draining": plan.report("the server is going")
    case "error" where line.integer("id") == nil: fault(line)
    default: replied(line)
    }
  }

  private func replied(_ line: ServerLine) {
    guard let id = line.integer("id") else { return }
    if let step = steps.removeValue(forKey: id) { return settle(step, line) }
    guard let request = requests.removeValue(forKey: id) else { return }
    request.resume(returning: line)
    if isDraining { changed() }
  }

  /// An error that answers no request: about a verdict, or why the server closes.
  private func fault(_ line: ServerLine) {
    guard let offer = line.integer("offer") else {
      // A line of ours could not be read, and nobody knows which: whoever waits for its answer has to be told.
      if ["bad_json", "too_deep"].contains(line.text("code")) { return lost(line.refusal.description, on: number) }
      lastFault = line.refusal
      return plan.report(line.refusal.description)
    }
    // Too late is what lapsed offers are; anything else leaves the offer open, and somebody has to end it.
    if ["late_verdict", "unknown_offer"].contains(line.text("code")) { return }
    plan.report("the server refused the answer to offer \(offer): \(line.refusal)")
    var failed = RequestLine("failed")
    failed.add("id", offer)
    failed.add("message", text: shortened(line.text("message") ?? "", to: 1000))
    send(failed)
  }

  func hasRoom(on number: Int) {
    if number == self.number { changed() }
  }
}

extension ServerLine {
  /// What an `error` line says.
  var refusal: BatonError { .refused(code: text("code") ?? "", message: text("message") ?? "") }
}

/// The beginning of a text, of at most so many bytes of UTF-8.
func shortened(_ text: String, to most: Int) -> String {
  if text.utf8.count <= most { return text }
  var short = ""
  for character in text.unicodeScalars {
    if short.utf8.count + 4 > most { break }
    short.unicodeScalars.append(character)
  }
  return short
}
