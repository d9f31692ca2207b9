import BatonClient

/// The offers that wait for a person: each is a task that waits here until somebody decides, nobody did in time, or the
/// server has given it up.
actor AskedMessages {
  /// What the desk is told.
  enum News: Sendable {
    case came(Question)
    case told(topic: String)
    /// `isInTime`: its time is over, and the link has said so; otherwise the server has given it up.
    case lapsed(Int, why: String, isInTime: Bool)
  }

  private let tell: @Sendable (News) -> Void
  private var waiting: [Int: CheckedContinuation<Verdict, any Error>] = [:]
  /// Those that have ended before they began to wait.
  private var ended: Set<Int> = []

  init(_ tell: @escaping @Sendable (News) -> Void) { self.tell = tell }

  /// Waits for the verdict on a question. `begun` is called once it can be answered.
  func verdict(on question: Question, begun: @Sendable () -> Void = {}) async throws -> Verdict {
    let id = question.id
    let end = Task { [ends = question.ends] in
      guard let ends else { return }
      try await Task.sleep(until: ends, clock: .continuous)
      lapse(id, "nobody decided in time; the link has failed", .failed("nobody answered"))
    }
    defer {
      end.cancel()
      ended.remove(id)
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard !ended.contains(id) else { return continuation.resume(throwing: CancellationError()) }
        waiting[id] = continuation
        begun()
      }
    } onCancel: {
      Task { await lapse(id, "the server has given it up, or the connection is lost", nil) }
    }
  }

  /// The person has decided. Returns whether that counts: nothing happens if it was too late.
  @discardableResult
  func answer(_ id: Int, _ verdict: Verdict) -> Bool {
    guard let continuation = waiting.removeValue(forKey: id) else { return false }
    continuation.resume(returning: verdict)
    return true
  }

  private func lapse(_ id: Int, _ why: String, _ verdict: Verdict?) {
    let continuation = waiting.removeValue(forKey: id)
    if continuation == nil, verdict == nil { ended.insert(id) }
    if let verdict {
      continuation?.resume(returning: verdict)
    } else {
      continuation?.resume(throwing: CancellationError())
    }
    tell(.lapsed(id, why: why, isInTime: verdict != nil))
  }

  /// Takes an offer in, and returns what waits for its verdict. It is called in the order in which offers come.
  nonisolated func take(_ message: Message, as id: Int) -> @Sendable () async throws -> Verdict {
    guard !message.isNotice else {
      tell(.told(topic: message.topic))
      return { .handled }
    }
    let question = Question(id, message, at: .now)
    tell(.came(question))
    return { try await self.verdict(on: question) }
  }
}
