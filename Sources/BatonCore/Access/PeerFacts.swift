/// What the transport knows about the other end of a connection, before its first line (contract, section 11).
public struct PeerFacts: Equatable, Sendable {
  /// What counts as one address: an IPv4 address, the first 64 bits of an IPv6 address, or 0 for a Unix socket.
  public var address: UInt64 = 0
  /// Whether a token may come over the connection: it is encrypted, or it does not leave the machine, or its listener
  /// says so (`plain_tokens`).
  public var takesTokens = true
  /// The user of the process at the other end of a Unix socket, by number and by name; empty elsewhere, and behind a
  /// proxy.
  public var users: [SystemUser] = []
  /// The names in the client certificate, if an authority that the server trusts has signed it: `dns:web.example`.
  public var certificates: [String] = []
  /// The authorities by which its certificate was accepted: the SHA-256 of theirs; none without a certificate.
  public var authorities: [TokenDigest] = []

  /// Whether the peer has a certificate that an authority has signed; its names may be none that are looked at.
  public var hasCertificate: Bool { !certificates.isEmpty || !authorities.isEmpty }

  /// What a peer is told whose certificate names nobody: nothing else would say that it was seen.
  public static let unknownCertificate =
    "your certificate was seen, and no entry of the configuration file has one of its names under \"certificate\", or its "
    + "authority is in tls: clients no more; ask its operator"

  /// Through which door it came.
  public var door = PeerDoor.lines

  /// Whether the peer cannot speak yet, because the encryption has not begun. `shookHands` ends that.
  public var isHandshaking = false

  /// A peer of which nothing is known.
  public init() {}
}
