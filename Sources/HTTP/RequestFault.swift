/// What is wrong with a request's head or framing. Behind it nothing on the connection can be told apart, so the
/// connection must close when the answer has been written.
public struct RequestFault: Error, Equatable, Sendable {
  /// The answer's status: 400, 426, 431 or 505.
  public let status: Int
  /// What is wrong, for people; one line.
  public let message: String

  /// A fault with these words.
  public init(status: Int = 400, _ message: String) {
    self.status = status
    self.message = message
  }
}
