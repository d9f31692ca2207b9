/// A durable message that the server has accepted: `Client.sendDurable` returns it. The message goes on whatever becomes of
/// this value, and of this program.
public final class AcceptedMessage: Sendable {
  /// The name of the message on the server.
  public let stored: String
  /// The sender's own name for it.
  public let once: String
  /// Whether the server had accepted it before, under the same `once`.
  public let isKnown: Bool
  /// The whole line that the server sent.
  public let line: Payload
  private let keeper: ResultKeeper

  init(_ acceptance: ServerLine, once: String, _ keeper: ResultKeeper) {
    stored = acceptance.text("stored") ?? ""
    isKnown = acceptance.flag("known")
    self.once = once
    line = acceptance.whole
    self.keeper = keeper
  }

  deinit { keeper.forget() }

  /// Waits for the result, as long as it takes. After a lost connection the server is asked again. To cancel the task ends
  /// the waiting, and not the message. Throws `BatonError`: `connectionLost` where there was no connection for half of
  /// the time for which the server remembers names, which is half an hour as a rule: later it may have forgotten this one.
  public nonisolated(nonsending) func result() async throws -> SendResult { try await keeper.result().result }
}

/// Who waits for the result of a durable message, and is told that nobody wants it any more.
struct ResultKeeper: Sendable {
  let result: @Sendable () async throws -> ServerLine
  let forget: @Sendable () -> Void
}
