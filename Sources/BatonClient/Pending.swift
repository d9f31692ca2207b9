/// A request that was begun, and whose reply is still to come.
public struct Pending: Sendable {
  let task: Task<ServerLine, any Error>

  /// The server's reply, waited for. Throws `BatonError`.
  public var reply: Payload {
    get async throws { try await task.value.whole }
  }

  /// What became of the message, waited for. Throws `BatonError`.
  public var result: SendResult {
    get async throws { try SendResult(await task.value) }
  }
}
