/// Where a NATS server is.
public struct NATSPlace: Equatable, Sendable, CustomStringConvertible {
  /// A name or a number.
  public let host: String
  /// The port.
  public let port: UInt16
  /// Whether nothing may be said there without encryption.
  public let isEncrypted: Bool

  /// A place.
  public init(host: String, port: UInt16, isEncrypted: Bool) {
    (self.host, self.port, self.isEncrypted) = (host, port, isEncrypted)
  }

  /// `nats://HOST:PORT` or `tls://HOST:PORT`.
  public var description: String {
    "\(isEncrypted ? "tls" : "nats")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}

/// By what a client shows who it is, beside a certificate.
public enum NATSCredentials: Equatable, Sendable {
  /// A user and a password.
  case user(String, password: String)
  /// A token.
  case token(String)
  /// A key, and perhaps what somebody whom the server knows has signed of it (JWT).
  case key(NATSKey, proof: String?)
}
