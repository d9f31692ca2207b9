/// What is said about a place where the server listens, beside the place itself.
public struct ListeningOptions: Equatable, Sendable {
  /// The mode of a Unix socket's file; nil: its owner only.
  public var mode: UInt16?
  /// The number of the group of a Unix socket's file; nil: that of the process.
  public var group: UInt32?
  /// Whether tokens are taken over TCP although anybody on the way can read them.
  public var takesPlainTokens = false

  /// Whether what goes over TCP is encrypted. The server needs a certificate.
  public var isEncrypted = false

  /// Whether peers speak HTTP here, and no lines.
  public var speaksHTTP = false

  /// Whether each connection has to begin with the header of a proxy (the PROXY protocol), in front of the encryption too.
  public var takesProxyHeader = false

  /// A plain place, for the owner only if it is a Unix socket.
  public init() {}
}
