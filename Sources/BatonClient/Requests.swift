internal import UV

/// The requests of a client. They are written in the order in which they were made. Each of them has one outcome: its
/// reply, the loss of the connection, its deadline, the end of its patience, a cancellation, or the end of the client.
final class Requests {
  /// How long a message may take whose sender and whose server do not say.
  private static let usualTime: Duration = .seconds(30)

  private let plan: Plan
  private let settled: () -> Void
  private let gaveUp: @Sendable (Int) -> Void
  private let deadlines: Deadlines
  /// Goes off when the first request has waited too long for a connection, and when the wait after `busy` is over.
  private let patience: Alarm
  private let pause: Alarm
  /// Requests are written to it; nil while none is open.
  private var connection: Connection?
  /// Why the client has ended.
  private var error: BatonError?
  /// Whether all messages were cancelled, and no more are taken.
  private var isCancelled = false
  /// The time of a message that says none, and of all other requests.
  private var time = usualTime
  private var last = 0
  /// Those that wait, in order, from `first` on. Some of them wait no more.
  private var row: [Request] = []
  private var first = 0
  private var waiting: [Int: Request] = [:]
  private var waitingBytes = 0
  /// Those that the server did not take in, the oldest first. They go before those that wait.
  private var busy: [Request] = []
  private var allowance = Allowance()
  private var backoff = Backoff()
  private var open: [Int: Request] = [:]
  /// How many of the open ones nobody waits for any more.
  private var dropped = 0

  /// `settled` is called when a request has its outcome. `gaveUp` is called, from any thread, for a request that is
  /// cancelled, so that the client calls `callOff`.
  init(_ plan: Plan, on loop: Loop, settled: @escaping () -> Void, gaveUp: @escaping @Sendable (Int) -> Void) {
    self.plan = plan
    self.settled = settled
    self.gaveUp = gaveUp
    let box = Box()
    deadlines = Deadlines(on: loop) { box.owner?.over($0) }
    patience = Alarm(on: loop)
    pause = Alarm(on: loop)
    box.owner = self
    patience.action = { box.owner?.giveUpWaiting() }
    pause.action = { box.owner?.goOn() }
  }

  /// A reference for closures that are needed before `self` is initialized.
  private final class Box {
    weak var owner: Requests?
  }

  /// Whether every request has its outcome.
  var isIdle: Bool { waiting.isEmpty && busy.isEmpty && !areAwaited }

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
    let time = Int64((kind.time ?? time).milliseconds + plan.grace.milliseconds) * 1000
    let request = Request(nextID(), line, kind, time: time, accepted: accepted)
    if let connection, waiting.isEmpty, busy.isEmpty, connection.hasRoom,
      !kind.isMessage || allowance.allows(request.size)
    {
      launch(request, to: connection)
    } else {
      try put(request)
    }
    if !request.hasEnded { deadlines.add(request) }
    return request
  }

  /// Waits until a request is written, or has its outcome.
  func untilWritten(_ request: Request, isolation: isolated (any Actor)? = #isolation) async {
    guard !request.hasEnded, request.isWaiting else { return }
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

  /// The connection is open: requests are written to it. The server has said how much it allows.
  func open(_ connection: Connection, _ welcome: ServerLine?) {
    allowance.set(messages: welcome?.integer("max_open_messages"), bytes: welcome?.integer("max_open_bytes"))
    time = welcome?.integer("timeout_ms").map { .milliseconds($0) } ?? Requests.usualTime
    self.connection = connection
    patience.unset()
    flow()
  }

  /// Writes the requests that wait, as far as there is room.
  func flow() {
    while let connection, connection.hasRoom, let request = nextToWrite {
      if request.kind.isMessage, !allowance.allows(request.size) { return }
      takeOut(request)
      launch(request, to: connection)
    }
  }

  private var nextToWrite: Request? {
    if let first = busy.first { return first }
    while first < row.count, !row[first].isWaiting { first += 1 }
    if first == row.count || first > 1000 {
      row.removeFirst(first)
      first = 0
    }
    return row.isEmpty ? nil : row[first]
  }

  /// A reply has come.
  func settle(_ id: Int, _ line: ServerLine) {
    guard let request = open.removeValue(forKey: id) else { return }
    let isError = line.op == "error"
    if request.kind.isMessage {
      let isOvertaken = allowance.isOvertaken(request.id, request.kind.key)
      allowance.ended(request.size, request.kind.key)
      if isError, !isOvertaken, !request.hasEnded, line.text("code") == "busy" {
        return putBack(request, line.refusal)
      }
      if !busy.isEmpty || !waiting.isEmpty {
        backoff.succeeded()
        allowance.widen()
      }
    }
    if !isError { request.accepted(line) }
    if request.isDropped { dropped -= 1 } else { finish(request, .success(line)) }
    if !busy.isEmpty || !waiting.isEmpty { flow() }
  }

  /// The connection is lost, and no replies come. The requests that were not written wait on.
  func lost(_ error: BatonError) {
    guard connection != nil else { return }
    connection = nil
    let all = open.values.sorted { $0.id < $1.id }
    open = [:]
    dropped = 0
    allowance.clear()
    pause.unset()
    for request in all where !request.hasEnded { finish(request, .failure(error)) }
    giveUpWaiting()
  }

  /// The client has ended.
  func end(_ error: BatonError) {
    self.error = error
    lost(error)
    let all = busy + row[first...].filter(\.isWaiting)
    (busy, row, first, waiting, waitingBytes) = ([], [], 0, [:], 0)
    for request in all { finish(request, .failure(error)) }
    deadlines.stop()
    patience.close()
    pause.close()
  }

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
    if request.kind.isMessage { allowance.opened(request.id, request.size, request.kind.key) }
    connection.send(bytes)
    request.writing?.resume()
    request.writing = nil
  }

  /// Lets it wait.
  private func put(_ request: Request) throws(BatonError) {
    guard waitingBytes + request.size <= plan.maxWaitingBytes else {
      throw .backlogFull(
        "requests of \(waitingBytes) bytes wait to be sent, and \(plan.maxWaitingBytes) are the most "
          + "(maxWaitingBytes): wait for some of them")
    }
    request.patienceEnds = MonotonicClock.microseconds + Int64(plan.patience.milliseconds) * 1000
    request.isWaiting = true
    waiting[request.id] = request
    row.append(request)
    waitingBytes += request.size
    if connection == nil, !patience.isSet { patience.set(microseconds: request.patienceEnds) }
  }

  /// The server has not taken it in.
  private func putBack(_ request: Request, _ refusal: BatonError) {
    request.busy = refusal
    request.waitsAgain = true
    waitingBytes += request.size
    busy.insert(request, at: busy.firstIndex { $0.id > request.id } ?? busy.count)
    allowance.restrict()
    if allowance.isUnused, !pause.isSet {
      pause.set(microseconds: MonotonicClock.microseconds + Int64(backoff.next().milliseconds) * 1000)
    }
  }

  /// The wait after `busy` is over.
  private func goOn() {
    if allowance.isUnused { allowance.widen() }
    flow()
  }

  // MARK: How one ends

  private func finish(_ request: Request, _ outcome: Swift.Result<ServerLine, any Error>) {
    guard !request.hasEnded else { return }
    request.end(outcome)
    deadlines.remove(request)
    settled()
  }

  /// It waits no more, where it has waited.
  private func takeOut(_ request: Request) {
    if request.isWaiting {
      request.isWaiting = false
      waiting[request.id] = nil
      waitingBytes -= request.size
    } else if request.waitsAgain {
      request.waitsAgain = false
      waitingBytes -= request.size
      busy.removeAll { $0 === request }
    }
    if busy.isEmpty, waiting.isEmpty { allowance.unrestrict() }
  }

  /// Its deadline has come.
  private func over(_ request: Request) {
    guard !request.hasEnded else { return }
    let isSent = open[request.id] === request
    drop(request)
    if let busy = request.busy, !isSent { return finish(request, .failure(busy)) }
    let what = isSent ? "the server may have carried it out" : "it was not sent"
    let seconds = Double(request.time / 1000) / 1000
    finish(request, .failure(BatonError.noAnswer("no answer came within \(seconds) s; \(what)", maySent: isSent)))
  }

  /// Its caller was cancelled.
  func callOff(_ id: Int) {
    guard let request = open[id] ?? waiting[id] ?? busy.first(where: { $0.id == id }), !request.hasEnded else { return }
    drop(request)
    finish(request, .failure(CancellationError()))
  }

  /// Nobody waits for it any more. If it was written, the server is told, and its place counts until an answer comes.
  private func drop(_ request: Request) {
    guard open[request.id] === request else { return takeOut(request) }
    request.isDropped = true
    dropped += 1
    tellCancelled(request)
  }

  /// Cancels all messages, and takes no more. Those that were written get their results; those that wait end with a
  /// `CancellationError`. Returns how many there were.
  func cancelMessages() -> Int {
    isCancelled = true
    let waiting = (busy + row[first...].filter(\.isWaiting)).filter(\.kind.isMessage)
    let written = open.values.filter { $0.kind.isMessage && !$0.hasEnded }.sorted { $0.id < $1.id }
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
    while first < row.count, !row[first].isWaiting || row[first].patienceEnds <= now {
      let request = row[first]
      first += 1
      guard request.isWaiting else { continue }
      takeOut(request)
      finish(request, .failure(BatonError.unreachable("there has been no connection for \(plan.patience)")))
    }
    if first < row.count { patience.set(microseconds: row[first].patienceEnds) }
  }
}
