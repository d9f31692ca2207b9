/// A request that was sent, and whose reply is still to come.
public struct Pending: Sendable {
  let task: Task<ServerLine, any Error>

  /// Waits for the reply of the server. Throws `BatonError`.
  public var reply: Payload {
    get async throws { try await task.value.whole }
  }

  /// Waits for the result of the message. Throws `BatonError`.
  public var result: SendResult {
    get async throws { try await task.value.result }
  }
}
