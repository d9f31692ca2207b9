/// The requests of a client, in the order in which they were made: those that wait until they can be written, and those
/// that wait for their reply. Each of them has one outcome.
final class Requests {
  private struct Waiting {
    let line: RequestLine
    let accepted: () -> Void
    let written: CheckedContinuation<Void, any Error>
  }

  private enum Open {
    /// Nobody asks for the reply yet.
    case written(accepted: () -> Void)
    case awaited(accepted: () -> Void, CheckedContinuation<ServerLine, any Error>)
    case settled(Swift.Result<ServerLine, any Error>)
  }

  private let patience: Duration
  private let settled: () -> Void
  private let gaveUp: @Sendable (Int, any Error) -> Void
  /// Requests are written to it; nil while none is open.
  private var connection: Connection?
  /// Why the client has ended.
  private var error: BatonError?
  private var last = 0
  private var waiting: [Int: Waiting] = [:]
  /// The ids of those that wait, in order, from `first` on.
  private var row: [Int] = []
  private var first = 0
  private var open: [Int: Open] = [:]

  /// `settled` is called when a request has its outcome. `gaveUp` is called, from any thread, for a request that is
  /// cancelled or has waited too long, so that the client calls `giveUp`.
  init(
    _ patience: Duration, settled: @escaping () -> Void, gaveUp: @escaping @Sendable (Int, any Error) -> Void
  ) {
    self.patience = patience
    self.settled = settled
    self.gaveUp = gaveUp
  }

  /// Whether every request has its outcome.
  var isIdle: Bool {
    waiting.isEmpty && open.values.allSatisfy { if case .settled = $0 { true } else { false } }
  }

  /// A number that no line of this client has had.
  func nextID() -> Int {
    last += 1
    return last
  }

  /// Sends a request and waits for its reply. If the server accepts it, `accepted` is called before the next line of
  /// the server is looked at.
  func ask(
    _ line: RequestLine, isolation: isolated (any Actor)? = #isolation, accepted: @escaping () -> Void = {}
  ) async throws -> ServerLine {
    try await reply(to: begin(line, accepted: accepted))
  }

  /// Sends a request as soon as there is a connection with room, and returns its id.
  func begin(
    _ line: RequestLine, isolation: isolated (any Actor)? = #isolation, accepted: @escaping () -> Void = {}
  ) async throws -> Int {
    try Task.checkCancellation()
    if let error { throw error }
    let id = nextID()
    if let connection, connection.hasRoom, waiting.isEmpty {
      try write(id, line, accepted, to: connection)
      return id
    }
    let alarm = Task { [patience, gaveUp] in
      try await Task.sleep(for: patience)
      gaveUp(id, BatonError.unreachable("there has been no connection for \(patience)"))
    }
    defer { alarm.cancel() }
    try await withTaskCancellationHandler {
      // A closure that names the actor runs on it.
      isolation?.assertIsolated()
      try await withCheckedThrowingContinuation { continuation in
        waiting[id] = Waiting(line: line, accepted: accepted, written: continuation)
        row.append(id)
      }
    } onCancel: { [gaveUp] in
      gaveUp(id, CancellationError())
    }
    return id
  }

  /// Waits for the reply to a request.
  func reply(to id: Int, isolation: isolated (any Actor)? = #isolation) async throws -> ServerLine {
    let reply = try await answer(to: id)
    if reply.op == "error" { throw reply.refusal }
    return reply
  }

  /// Waits for the reply to a request, also if that is an error.
  func answer(to id: Int, isolation: isolated (any Actor)? = #isolation) async throws -> ServerLine {
    try await withTaskCancellationHandler {
      // A closure that names the actor runs on it.
      isolation?.assertIsolated()
      return try await withCheckedThrowingContinuation { continuation in
        switch open.removeValue(forKey: id) {
        case .settled(let outcome): continuation.resume(with: outcome)
        case .written(let accepted): open[id] = .awaited(accepted: accepted, continuation)
        case .awaited, nil: continuation.resume(throwing: CancellationError())
        }
      }
    } onCancel: { [gaveUp] in
      gaveUp(id, CancellationError())
    }
  }

  /// Sends a line that gets no reply, if a connection is open.
  func tell(_ line: RequestLine) { connection?.tell(line) }

  /// The connection is open: requests are written to it.
  func open(_ connection: Connection) {
    self.connection = connection
    flow()
  }

  /// Writes the requests that wait, as far as there is room.
  func flow() {
    while let connection, connection.hasRoom, first < row.count {
      let id = row[first]
      first += 1
      guard let request = waiting.removeValue(forKey: id) else { continue }
      request.written.resume(with: Swift.Result { try write(id, request.line, request.accepted, to: connection) })
    }
    if first == row.count || first > 1000 {
      row.removeFirst(first)
      first = 0
    }
  }

  /// A reply has come.
  func settle(_ id: Int, _ line: ServerLine) {
    switch open.removeValue(forKey: id) {
    case .written(let accepted):
      if line.op != "error" { accepted() }
      open[id] = .settled(.success(line))
    case .awaited(let accepted, let reply):
      if line.op != "error" { accepted() }
      reply.resume(returning: line)
    case .settled, nil: return
    }
    settled()
  }

  /// The connection is lost, and no replies come. The requests that were not written wait on.
  func lost(_ error: BatonError) {
    connection = nil
    for (id, request) in open {
      switch request {
      case .written: open[id] = .settled(.failure(error))
      case .awaited(_, let reply):
        open[id] = nil
        reply.resume(throwing: error)
      case .settled: break
      }
    }
  }

  /// The client has ended.
  func end(_ error: BatonError) {
    self.error = error
    lost(error)
    for request in waiting.values { request.written.resume(throwing: error) }
    waiting = [:]
  }

  /// A request is cancelled, or has waited too long.
  func giveUp(_ id: Int, _ error: any Error) {
    if let request = waiting.removeValue(forKey: id) { return request.written.resume(throwing: error) }
    guard error is CancellationError, case .awaited(_, let reply) = open[id] else { return }
    open[id] = nil
    reply.resume(throwing: error)
    settled()
  }

  private func write(_ id: Int, _ line: RequestLine, _ accepted: @escaping () -> Void, to connection: Connection)
    throws(BatonError)
  {
    // The server would close the connection, with all that is open on it.
    let count = line.bytes.count + 32
    guard count <= connection.maxLine else {
      throw .refused(
        code: "line_too_long", message: "the line has \(count) bytes; the server takes \(connection.maxLine)")
    }
    var line = line
    line.add("id", id)
    let bytes = line.ended
    guard connection.isReadable(bytes) else { throw Connection.tooDeep }
    open[id] = .written(accepted: accepted)
    connection.send(bytes)
  }
}
