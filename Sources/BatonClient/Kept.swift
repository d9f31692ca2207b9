internal import UV

/// Durable messages: what the server has accepted goes on without its sender, and is the same message when it is sent
/// again.
extension Requests {
  // MARK: What a program wants

  /// Begins a durable message that a program holds. `untilAccepted` waits until the server has it, `awaitResult` for its
  /// result, and `letGo` ends the holding.
  func holdDurable(_ line: RequestLine, key: String?) throws(BatonError) -> Request {
    let request = try begin(line, .message(nil, key: key, isDurable: true))
    request.isHeld = true
    return request
  }

  /// Waits until the server has accepted a message that a program holds.
  func untilAccepted(
    _ request: Request, isolation: isolated (any Actor)? = #isolation
  ) async throws -> ServerLine {
    await untilWritten(request)
    if let acceptance = request.acceptance { return acceptance }
    let reply = try request.outcome?.get()
    if let reply, reply.op == "error" { throw reply.refusal }
    if reply?.text("status") == "cancelled" { throw CancellationError() }
    throw BatonError.refused(code: "bad_reply", message: "the server did not say that it has accepted the message")
  }

  /// Waits for the result of a message that a program holds. If the connection was lost meanwhile, the server is asked
  /// again. `number` tells this call from others of the same message.
  func awaitResult(
    of id: Int, _ number: Int, gaveUp: @escaping @Sendable () -> Void, isolation: isolated (any Actor)? = #isolation
  ) async throws -> ServerLine {
    guard let request = kept[id] else { throw BatonError.closed }
    let line: ServerLine
    if let outcome = request.outcome {
      line = try outcome.get()
    } else {
      line = try await withTaskCancellationHandler {
        isolation?.assertIsolated()
        return try await withCheckedThrowingContinuation { continuation in
          request.listeners[number] = continuation
          if request.askUntil != 0, waiting[id] == nil, !isOpen(request) { askAgain(request) }
        }
      } onCancel: {
        gaveUp()
      }
    }
    if line.op == "error" { throw line.refusal }
    return line
  }

  /// Who waited for a result was cancelled. The message goes on.
  func stopListening(_ id: Int, _ number: Int) {
    guard let request = kept[id], let listener = request.listeners.removeValue(forKey: number) else { return }
    if !request.isAwaited, waiting[id] != nil {
      takeOut(request)
      deadlines.remove(request)
    }
    listener.resume(throwing: CancellationError())
  }

  /// The program does not hold a message any more.
  func letGo(_ id: Int) {
    guard let request = kept.removeValue(forKey: id), !request.hasEnded else { return }
    drop(request)
    request.isHeld = false
    finish(request, .failure(CancellationError()))
  }

  // MARK: What the server says

  /// The server has it on disk. Its result comes when it comes.
  func keepAccepted(_ request: Request, _ line: ServerLine) {
    deadlines.remove(request)
    (request.lost, request.askUntil) = (nil, 0)
    kept[request.id] = request
    request.accept(line)
    settled()
  }

  // MARK: The connection

  /// Durable messages whose connection is lost. They are sent again if somebody waits for what comes of them.
  func outlive(_ requests: [Request], _ error: BatonError) {
    let now = MonotonicClock.microseconds
    for request in requests {
      (request.busy, request.lost) = (nil, error)
      guard request.acceptance != nil, request.askUntil == 0 else { continue }
      request.askUntil = now + Int64(timeToAsk.milliseconds) * 1000
      if request.isAwaited { limit(request, at: now) }
    }
    waiting.addAgain(requests.filter(\.isAwaited))
  }

  private func askAgain(_ request: Request) {
    let now = MonotonicClock.microseconds
    guard now < request.askUntil else { return finish(request, .failure(forgotten(request))) }
    limit(request, at: now)
    waiting.addAgain([request])
    flow()
  }

  /// After some time the server must not be asked any more.
  private func limit(_ request: Request, at now: Int64) {
    deadlines.remove(request)
    request.time = request.askUntil - now
    deadlines.add(request)
  }

  /// Why nobody asks for a message any more that the server keeps.
  func forgotten(_ request: Request) -> BatonError {
    let name = request.acceptance?.text("stored") ?? ""
    return .connectionLost(
      "the server has accepted the message and keeps it, as \(name), but there was no connection for so long "
        + "that the server is not asked again: it may have forgotten the sender's name of the message (once)")
  }
}
