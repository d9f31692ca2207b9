/// What one door of HTTP lets in, and how much.
struct HTTPRules: Sendable {
  /// Names of hosts that `Host` may have beside IP addresses and `localhost` (`--http-host`), in any case.
  var hosts: [String]
  /// Origins whose pages may ask (`--allow-origin`), exactly as browsers spell them: `https://ops.example`.
  var origins: [String]
  /// The origin of its own pages for browsers that come through a proxy (`--public-address`): `https://baton.example`.
  var ownOrigin: String?
  /// Whether browsers speak TLS with the door, or with a proxy in front of it: then its own pages come from `https`.
  var isEncrypted: Bool
  /// The bytes of a line (`max_line`).
  var maxLine: Int
  /// The levels that a line may be nested (`max_depth`).
  var maxDepth: Int
  /// Whether the router knows the peer without a token, or need not know it.
  var isPeerKnown: Bool
  /// Whether the peer has a certificate.
  var hasCertificate: Bool

  init(
    hosts: [String] = [], origins: [String] = [], isEncrypted: Bool = false, maxLine: Int = 1 << 20,
    maxDepth: Int = 128, isPeerKnown: Bool = true, hasCertificate: Bool = false
  ) {
    self.hosts = hosts
    self.origins = origins
    self.isEncrypted = isEncrypted
    self.maxLine = maxLine
    self.maxDepth = maxDepth
    self.isPeerKnown = isPeerKnown
    self.hasCertificate = hasCertificate
  }

  /// The bytes that payload and meta may have together (contract, section 2).
  var maxContent: Int { maxLine - 4096 }
}
