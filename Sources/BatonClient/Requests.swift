internal import UV

/// The requests of a client. They are written in the order in which they were made. Each of them has one outcome: its
/// reply, the loss of the connection, its deadline, the end of its patience, a cancellation, or the end of the client.
/// Durable messages outlive connections: they are sent again, and are the same messages.
final class Requests {
  /// What the plan says of requests.
  struct Bounds {
    /// How long they wait for a connection.
    let patience: Duration
    /// How many bytes of them may wait.
    let maxWaitingBytes: Int
    /// How much longer than its message a call may take.
    let grace: Duration
    /// How long after a loss the server is asked for a message that it had accepted, if it does not say for how long it
    /// remembers names.
    let timeToAsk: Duration
  }

  /// How long a message may take whose sender and whose server do not say.
  private static let usualTime: Duration = .seconds(30)

  let bounds: Bounds
  let settled: () -> Void
  private let gaveUp: @Sendable (Int) -> Void
  let deadlines: Deadlines
  /// Goes off when the first request has waited too long for a connection, when the wait after `busy` is over, and when
  /// those that rest are to go on.
  private let patience: Alarm
  private let pause: Alarm
  /// Goes off when this identity may send again, and when that is.
  private let quiet: Alarm
  private var quietUntil: Int64 = 0
  private let rest: Alarm
  /// Requests are written to it; nil while none is open.
  private var connection: Connection?
  /// Why the client has ended.
  private var error: BatonError?
  /// Whether all messages were cancelled, and no more are taken.
  private var isCancelled = false
  /// The time of a message that says none, and of all other requests.
  private var time = usualTime
  /// How long after a loss the server is asked for a message that it had accepted.
  private(set) var timeToAsk: Duration
  private var last = 0
  var waiting = Waiting()
  private var allowance = Allowance()
  private var backoff = Backoff()
  private var open: [Int: Request] = [:]
  /// How many of the open ones nobody waits for any more.
  private var dropped = 0
  /// Durable messages that were accepted: those without an outcome, and those that a program holds.
  var kept: [Int: Request] = [:]

  /// `settled` is called when a request has its outcome. `gaveUp` is called, from any thread, for a request that is
  /// cancelled, so that the client calls `callOff`.
  init(
    _ bounds: Bounds, on loop: Loop, settled: @escaping () -> Void, gaveUp: @escaping @Sendable (Int) -> Void
  ) {
    self.bounds = bounds
    timeToAsk = bounds.timeToAsk
    self.settled = settled
    self.gaveUp = gaveUp
    let box = Box()
    deadlines = Deadlines(on: loop) { box.owner?.over($0) }
    patience = Alarm(on: loop)
    pause = Alarm(on: loop)
    quiet = Alarm(on: loop)
    rest = Alarm(on: loop)
    box.owner = self
    patience.action = { box.owner?.giveUpWaiting() }
    pause.action = { box.owner?.goOn() }
    quiet.action = { box.owner?.flow() }
    rest.action = { box.owner?.endRest() }
  }

  /// A reference for closures that are needed before `self` is initialized.
  private final class Box {
    weak var owner: Requests?
  }

  /// Whether every request has its outcome. Durable messages that were accepted go on without this client.
  var isIdle: Bool { waiting.areKept && !areAwaited }

  /// Whether a request was written whose reply somebody waits for.
  var areAwaited: Bool { open.count > dropped }

  /// Whether a connection is open.
  var isConnected: Bool { connection != nil }

  /// A number that no line of this client has had.
  func nextID() -> Int {
    last += 1
    return last
  }

  // MARK: Asking

  /// Sends a request and waits for its reply. If the server accepts it, `accepted` is called before the next line of the
  /// server is looked at, even where nobody waits any more.
  func ask(
    _ line: RequestLine, _ kind: Request.Kind = .other, isolation: isolated (any Actor)? = #isolation,
    accepted: @escaping (ServerLine) -> Void = { _ in }
  ) async throws -> ServerLine {
    try Task.checkCancellation()
    return try await reply(to: begin(line, kind, accepted: accepted))
  }

  /// Sends a request, after those that were begun before.
  func begin(
    _ line: RequestLine, _ kind: Request.Kind = .other, accepted: @escaping (ServerLine) -> Void = { _ in }
  ) throws(BatonError) -> Request {
    if let error { throw error }
    if isCancelled, kind.isMessage { throw .closed }
    let time = Int64((kind.time ?? time).milliseconds + bounds.grace.milliseconds) * 1000
    let request = Request(nextID(), line, kind, time: time, accepted: accepted)
    if let connection, waiting.next() == nil, connection.hasRoom,
      !kind.isMessage || !quiet.isSet && allowance.allows(request.size)
    {
      launch(request, to: connection)
    } else {
      try put(request)
    }
    if !request.hasEnded { deadlines.add(request) }
    return request
  }

  /// Waits until a request is written, or accepted if a program is to hold it, or has its outcome.
  func untilWritten(_ request: Request, isolation: isolated (any Actor)? = #isolation) async {
    guard !request.hasEnded, request.isWaiting || request.isHeld && request.acceptance == nil else { return }
    let id = request.id
    await withTaskCancellationHandler {
      isolation?.assertIsolated()
      await withCheckedContinuation { request.writing = $0 }
    } onCancel: { [gaveUp] in
      gaveUp(id)
    }
  }

  /// Waits for the reply to a request.
  func reply(to request: Request, isolation: isolated (any Actor)? = #isolation) async throws -> ServerLine {
    let reply = try await answer(to: request)
    if reply.op == "error" { throw reply.refusal }
    return reply
  }

  /// Waits for the reply to a request, also if that is an error. Who is cancelled calls the request off.
  func answer(to request: Request, isolation: isolated (any Actor)? = #isolation) async throws -> ServerLine {
    if let outcome = request.outcome { return try outcome.get() }
    let id = request.id
    return try await withTaskCancellationHandler {
      // A closure that names the actor runs on it.
      isolation?.assertIsolated()
      return try await withCheckedThrowingContinuation { continuation in
        if let outcome = request.outcome { return continuation.resume(with: outcome) }
        request.reply = continuation
      }
    } onCancel: { [gaveUp] in
      gaveUp(id)
    }
  }

  /// Sends a line that gets no reply, if a connection is open.
  func tell(_ line: RequestLine) { connection?.tell(line) }

  /// Sends a request whose reply nobody waits for, if a connection is open.
  func tellSilently(_ line: RequestLine) {
    var line = line
    line.add("id", nextID())
    connection?.tell(line)
  }

  // MARK: What the connection brings

  /// The connection is open: requests are written to it. The server has said how much it allows, and for how long it
  /// remembers names. A loss may be noticed late: half of that time is left.
  func open(_ connection: Connection, _ welcome: ServerLine?) {
    allowance.set(
      messages: welcome?.integer("max_open_messages", from: 1), bytes: welcome?.integer("max_open_bytes", from: 1))
    time = welcome?.time("timeout_ms", to: ServerLine.day) ?? Requests.usualTime
    timeToAsk = welcome?.time("remembered_ms", to: ServerLine.week).map { $0 / 2 } ?? bounds.timeToAsk
    self.connection = connection
    patience.unset()
    flow()
  }

  /// Writes the requests that wait, as far as there is room.
  func flow() {
    while let connection, connection.hasRoom, let request = waiting.next() {
      if quiet.isSet, request.kind.isMessage || request.busy != nil { return }
      if request.kind.isMessage, !allowance.allows(request.size) { return }
      takeOut(request)
      launch(request, to: connection)
    }
  }

  /// A reply has come.
  func settle(_ id: Int, _ line: ServerLine) {
    // Only a durable message is accepted first, and has its result later.
    if line.op == "accepted", let request = open[id], !request.kind.isDurable { return }
    guard let request = open.removeValue(forKey: id) else {
      if line.op != "accepted", let request = kept[id] { finish(request, .success(line)) }
      return
    }
    if request.isDropped || request.acceptance != nil { dropped -= 1 }
    let isError = line.op == "error"
    if request.kind.isMessage {
      let isOvertaken = allowance.isOvertaken(request.id, request.kind.key)
      allowance.ended(request.size, request.kind.key)
      if isError, !request.hasEnded, let code = line.text("code") {
        if code == "busy", !isOvertaken || request.lost != nil { return putBack(request, line.refusal, line.retry) }
        if request.kind.isDurable, rests(request, code, line) { return flow() }
      }
      if !waiting.isEmpty {
        backoff.succeeded()
        allowance.widen()
      }
    } else if isError, !request.isDropped, !request.hasEnded, let retry = line.retry {
      return putBack(request, line.refusal, retry)
    }
    if !isError { request.accepted(line) }
    if !request.isDropped {
      if line.op == "accepted" { keepAccepted(request, line) } else { finish(request, .success(line)) }
    }
    if !waiting.isEmpty { flow() }
  }

  /// The connection is lost, and no replies come. The requests that were not written wait on, and so do durable messages,
  /// as long as somebody waits for what comes of them, and there is another connection to come.
  func lost(_ error: BatonError, isLast: Bool) {
    guard connection != nil else { return }
    connection = nil
    let all = open.values.filter { !$0.hasEnded && $0.acceptance == nil }.sorted { $0.id < $1.id }
    open = [:]
    dropped = 0
    allowance.clear()
    pause.unset()
    for request in all where isLast || !request.kind.isDurable { finish(request, .failure(error)) }
    if !isLast {
      outlive(all.filter(\.kind.isDurable) + kept.values.filter { !$0.hasEnded && waiting[$0.id] == nil }, error)
    }
    endRest()
    giveUpWaiting()
  }

  /// The client has ended.
  func end(_ error: BatonError) {
    self.error = error
    lost(error, isLast: true)
    let all = waiting.inOrder + kept.values.sorted { $0.id < $1.id }
    waiting = Waiting()
    for request in all { finish(request, .failure(error == .closed ? error : request.lost ?? error)) }
    deadlines.stop()
    patience.close()
    pause.close()
    quiet.close()
    rest.close()
  }

  /// Whether it was written, and no answer has come.
  func isOpen(_ request: Request) -> Bool { open[request.id] === request }

  // MARK: How one begins

  /// Writes it, unless the server would close the connection for it, with all that is open there.
  private func launch(_ request: Request, to connection: Connection) {
    var line = request.line
    line.add("id", request.id)
    let bytes = line.ended
    guard bytes.count <= connection.maxLine else {
      let why = "the line has \(bytes.count) bytes, and the server takes \(connection.maxLine) (max_line)"
      return finish(request, .failure(BatonError.refused(code: "line_too_long", message: why)))
    }
    guard connection.isReadable(bytes) else { return finish(request, .failure(Connection.tooDeep)) }
    open[request.id] = request
    if request.acceptance != nil { dropped += 1 }
    if request.kind.isMessage { allowance.opened(request.id, request.size, request.kind.key) }
    connection.send(bytes)
    if !request.isHeld { request.wake() }
  }

  /// Lets it wait.
  private func put(_ request: Request) throws(BatonError) {
    guard waiting.bytes + request.size <= bounds.maxWaitingBytes else {
      throw .backlogFull(
        "requests of \(waiting.bytes) bytes wait to be sent, and \(bounds.maxWaitingBytes) are the most "
          + "(maxWaitingBytes): wait for some of them")
    }
    request.patienceEnds = MonotonicClock.microseconds + Int64(bounds.patience.milliseconds) * 1000
    waiting.append(request)
    if connection == nil, !patience.isSet { patience.set(microseconds: request.patienceEnds) }
  }

  /// The server has not taken it in. With `retry`, it may take the next one in that time.
  private func putBack(_ request: Request, _ refusal: BatonError, _ retry: Duration?) {
    if request.lost == nil { request.busy = refusal }
    waiting.addAgain([request])
    if let retry { return beQuiet(retry) }
    allowance.restrict()
    if allowance.isUnused { setForAWhile(pause) }
  }

  /// This identity has sent too fast.
  private func beQuiet(_ time: Duration) {
    let until = MonotonicClock.microseconds + Int64(time.milliseconds) * 1000
    guard !quiet.isSet || quietUntil < until else { return }
    quietUntil = until
    quiet.set(microseconds: until)
  }

  /// Whether it is to be sent again after such an error: after a wait, where that says nothing of the line that was sent
  /// before a loss; on the next connection, where the server drains or does not lead.
  private func rests(_ request: Request, _ code: String, _ line: ServerLine) -> Bool {
    let isForNext = ["draining", "not_leading"].contains(code)
    guard isForNext || request.lost != nil && code == "store_failed" else { return false }
    if request.lost == nil {
      guard waiting.bytes + request.size <= bounds.maxWaitingBytes else { return false }
      request.busy = line.refusal
    }
    waiting.rest(request)
    if !isForNext { setForAWhile(rest) }
    return true
  }

  private func setForAWhile(_ alarm: Alarm) {
    guard !alarm.isSet else { return }
    alarm.set(microseconds: MonotonicClock.microseconds + Int64(backoff.next().milliseconds) * 1000)
  }

  private func endRest() {
    rest.unset()
    waiting.endRest()
    flow()
  }

  /// The wait after `busy` is over.
  private func goOn() {
    if allowance.isUnused { allowance.widen() }
    flow()
  }

  // MARK: How one ends

  func finish(_ request: Request, _ outcome: Swift.Result<ServerLine, any Error>) {
    guard !request.hasEnded else { return }
    request.end(outcome)
    deadlines.remove(request)
    if !request.isHeld { kept[request.id] = nil }
    settled()
  }

  /// It waits no more, where it has waited.
  func takeOut(_ request: Request) {
    waiting.remove(request)
    if waiting.isEmpty { allowance.unrestrict() }
  }

  /// Its deadline has come.
  private func over(_ request: Request) {
    guard !request.hasEnded else { return }
    let isOpen = isOpen(request)
    drop(request)
    if request.acceptance != nil { return finish(request, .failure(forgotten(request))) }
    if let busy = request.busy, !isOpen { return finish(request, .failure(busy)) }
    let isSent = isOpen || request.lost != nil
    let what = isSent ? "the server may have carried it out" : "it was not sent"
    let seconds = Double(request.time / 1000) / 1000
    finish(request, .failure(BatonError.noAnswer("no answer came within \(seconds) s; \(what)", maySent: isSent)))
  }

  /// Its caller was cancelled.
  func callOff(_ id: Int) {
    guard let request = open[id] ?? waiting[id] ?? kept[id], !request.hasEnded else { return }
    // Whoever waited until it was accepted has it now.
    if request.isHeld, request.acceptance != nil { return }
    drop(request)
    finish(request, .failure(CancellationError()))
  }

  /// Nobody waits for it any more. If it was written, the server is told, and its place counts until an answer comes. What
  /// the server has accepted goes on.
  func drop(_ request: Request) {
    guard isOpen(request) else { return takeOut(request) }
    request.isDropped = true
    guard request.acceptance == nil else { return }
    dropped += 1
    tellCancelled(request)
  }

  /// Cancels all messages, and takes no more. Those that were written get their results; those that wait end with a
  /// `CancellationError`. Returns how many there were.
  func cancelMessages() -> Int {
    isCancelled = true
    let waiting = waiting.inOrder.filter { $0.kind.isMessage && $0.acceptance == nil }
    let written = open.values.filter { $0.kind.isMessage && !$0.hasEnded && $0.acceptance == nil }
      .sorted { $0.id < $1.id }
    for request in waiting {
      takeOut(request)
      finish(request, .failure(CancellationError()))
    }
    written.forEach(tellCancelled)
    return waiting.count + written.count
  }

  /// Tells the server that an open message is cancelled, if it can be told.
  private func tellCancelled(_ request: Request) {
    guard request.kind.isMessage, let connection, connection.hasRoom else { return }
    var line = RequestLine("cancel")
    line.add("request", request.id)
    line.add("id", nextID())
    connection.tell(line)
  }

  /// Ends the requests that have waited too long, while there is no connection. With one they wait for room, and their
  /// deadlines end them.
  private func giveUpWaiting() {
    guard connection == nil, error == nil else { return }
    let now = MonotonicClock.microseconds
    while let request = waiting.firstNew() {
      guard request.patienceEnds <= now else { return patience.set(microseconds: request.patienceEnds) }
      takeOut(request)
      finish(request, .failure(BatonError.unreachable("there has been no connection for \(bounds.patience)")))
    }
  }
}
