/// The SHA-256 of a token. The server keeps no token.
public struct TokenDigest: Hashable, Sendable {
  /// The 32 bytes, as four numbers.
  public let words: SIMD4<UInt64>

  /// From four numbers, each of eight bytes.
  public init(words: SIMD4<UInt64>) { self.words = words }

  /// From 32 bytes; nil if there are not 32.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    var words = SIMD4<UInt64>()
    for (at, byte) in bytes.enumerated() { words[at / 8] = words[at / 8] << 8 | UInt64(byte) }
    self.words = words
  }
}

/// A user of the system at the other end of a Unix socket, as the configuration file names it.
public enum SystemUser: Hashable, Sendable {
  case named(String)
  case numbered(UInt32)
}

/// The most that all connections of an identity may have together; nil: as much as one connection (contract,
/// section 11).
public struct PeerLimits: Equatable, Sendable {
  /// Connections at once.
  public var connections: Int?
  /// Messages under way.
  public var openMessages: Int?
  /// In bytes.
  public var openBytes: Int?
  /// Links and mounts.
  public var links: Int?
  /// Patterns of subscriptions and links.
  public var patterns: Int?
  /// Messages and broadcasts in a second.
  public var perSecond: Int?
  /// How many of them may come at once, after a time without any; nil: as many as in a second.
  public var burst: Int?

  /// No limits.
  public init() {}

  /// Whether there is a limit on messages.
  var boundMessages: Bool { openMessages != nil || openBytes != nil }
}

/// Who may do what: what the configuration file says under `peers` (contract, section 11). Whoever makes it has checked it:
/// names are different, and so are tokens, certificates and users.
public struct AccessRules: Sendable {
  /// One entry.
  public struct Peer: Equatable, Sendable {
    /// The identity: at most 31 bytes, without dots; or `anonymous`, whose entry names nobody.
    public var name: String
    /// The tokens that name it, by their SHA-256.
    public var tokens: [TokenDigest] = []
    /// Names of client certificates: `dns:web.example`, `uri:…`, in lower case.
    public var certificates: [String] = []
    /// The users of the system that are it, over Unix sockets.
    public var users: [SystemUser] = []
    /// What it may do.
    public var may: [Right] = []
    /// What all its connections may have together.
    public var limits = PeerLimits()

    /// An entry that nobody is, and that may do nothing.
    public init(name: String) { self.name = name }
  }

  /// The entries.
  public var peers: [Peer]
  /// Whether tokens are taken over connections that anybody on the way can read: those of `BATON_TOKEN`.
  public var takesPlainTokens = false
  /// The authorities whose client certificates count, by the SHA-256 of theirs; nil: all of them.
  public var authorities: Set<TokenDigest>?
  /// Makes the SHA-256 of a token. The core has none of its own.
  public var digest: @Sendable (UnsafeRawBufferPointer) -> TokenDigest

  /// The rules of these entries.
  public init(peers: [Peer], digest: @escaping @Sendable (UnsafeRawBufferPointer) -> TokenDigest) {
    self.peers = peers
    self.digest = digest
  }
}
