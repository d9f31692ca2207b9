/// How requests wait for a connection and for room on it, and everybody for something to change.
extension Session {
  /// Whether lines can be sent.
  private var hasRoom: Bool {
    if case .open = phase { unsentCount < Socket.comfortable } else { false }
  }

  /// Waits until lines can be sent, and until all are sent that were to be sent before. Throws where the client is
  /// closed, or where that takes longer than `patience`.
  func ready(within patience: Duration?) async throws {
    try Task.checkCancellation()
    if hasRoom, row.first == nil { return }
    let until = patience.map { ContinuousClock.now + $0 }
    lastToken += 1
    let ticket = lastToken
    row.join(ticket)
    let alarm = until.map { until in
      Task {
        try? await Task.sleep(until: until, clock: .continuous)
        row.wake(ticket)
      }
    }
    defer {
      alarm?.cancel()
      row.leave(ticket)
      row.wake(row.first)
    }
    while true {
      try Task.checkCancellation()
      if case .closed(let error) = phase { throw error }
      if hasRoom, row.first == ticket { return }
      if let until, ContinuousClock.now >= until {
        throw BatonError.unreachable("there has been no connection for \(patience ?? .zero)")
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { row.sleep(ticket, $0) }
      } onCancel: {
        Task { await wakeInRow(ticket) }
      }
    }
  }

  private func wakeInRow(_ ticket: Int) { row.wake(ticket) }

  /// Waits until something has changed, or the task is cancelled.
  func change() async {
    lastToken += 1
    let id = lastToken
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { continuation.resume() } else { waiting[id] = continuation }
      }
    } onCancel: {
      Task { await wake(id) }
    }
  }

  private func wake(_ id: Int) { waiting.removeValue(forKey: id)?.resume() }

  /// Something has changed: everybody who waits looks again.
  func changed() {
    let all = waiting
    waiting = [:]
    for (_, continuation) in all { continuation.resume() }
    if case .closed = phase { row.wakeAll() } else { row.wake(row.first) }
  }
}
