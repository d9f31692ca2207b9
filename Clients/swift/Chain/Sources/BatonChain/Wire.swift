#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What the senders that `@Chain` makes send with.
public struct ChainWire: Sendable {
  private let client: Client
  private let chain: String
  private let timeout: Duration?
  private let onError: @Sendable (any Error) -> Void

  /// To `chain`. An answer may take `timeout`, or as long as the server allows. `onError` gets what methods that do not
  /// throw cannot tell their callers.
  public init(
    _ client: Client, chain: String, timeout: Duration?, onError: @escaping @Sendable (any Error) -> Void
  ) {
    self.client = client
    self.chain = chain
    self.timeout = timeout
    self.onError = onError
  }

  /// Sends a message, and returns the answer; nil where no link handles it. Throws `BatonError.notHandled` where it was
  /// rejected, failed or took too long, a `DecodingError` where the answer is of another shape, and what `Client.send`
  /// throws.
  public nonisolated(nonsending) func ask<Value: Encodable, Answer: Decodable>(
    _ topic: String, _ payload: Value? = Payload?.none, for answer: Answer.Type = Answer.self
  ) async throws -> Answer? {
    let result = try await client.send(topic, payload, chain: chain, timeout: timeout)
    return result.status == .unhandled ? nil : try result.value(answer)
  }

  /// Tells every link of the chain. Throws what `Client.notify` throws.
  public nonisolated(nonsending) func tell<Value: Encodable>(
    _ topic: String, _ payload: Value? = Payload?.none
  ) async throws {
    _ = try await client.notify(topic, payload, chain: chain)
  }

  /// The same for a caller that cannot be told of an error.
  public nonisolated(nonsending) func tellAnyway<Value: Encodable>(
    _ topic: String, _ payload: Value? = Payload?.none
  ) async {
    do { try await tell(topic, payload) } catch { onError(error) }
  }

  /// Prints an error to standard error.
  public static func complain(_ error: any Error) {
    var line = "a notice was not sent: \(error)\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
