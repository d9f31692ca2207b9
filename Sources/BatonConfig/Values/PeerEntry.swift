public import BatonCore

/// One entry of `peers`: by what a peer is known, and what it may do.
public struct PeerEntry: Sendable {
  /// The identity, or `anonymous`.
  public let name: String
  /// Where the entry stands.
  public let origin: Origin
  /// The SHA-256 of its tokens.
  public var tokens: [Sourced<TokenDigest>] = []
  /// `dns:…` and `uri:…`, in lower case.
  public var certificates: [Sourced<String>] = []
  /// Its users of the system.
  public var users: [Sourced<SystemUser>] = []
  /// What it may do; nothing else.
  public var may: [Sourced<Right>] = []
  /// What its connections may have together.
  public var limits = PeerLimits()
  /// Where each limit stands, by its name in the file.
  var limitOrigins: [String: Origin] = [:]

  init(name: String, origin: Origin) {
    self.name = name
    self.origin = origin
  }

  /// The entry for everybody who is not known. It names nobody.
  public static let anonymous = "anonymous"
  /// The identity of whoever shows `BATON_TOKEN`.
  public static let owner = "owner"

  /// Whether it is the entry for everybody who is not known.
  public var isAnonymous: Bool { name == PeerEntry.anonymous }

  /// The entry as the core takes it.
  var rule: AccessRules.Peer {
    var peer = AccessRules.Peer(name: name)
    peer.tokens = tokens.map(\.value)
    peer.certificates = certificates.map(\.value)
    peer.users = users.map(\.value)
    peer.may = may.map(\.value)
    peer.limits = limits
    return peer
  }
}

extension SystemUser: CustomStringConvertible {
  /// The name or the number.
  public var description: String {
    switch self {
    case .named(let name): name
    case .numbered(let number): "\(number)"
    }
  }
}

extension PeerLimits {
  /// The names in the file, which are those of settings, and where each value goes.
  static let table: [(name: String, path: any WritableKeyPath<PeerLimits, Int?> & Sendable)] = [
    ("max_connections", \.connections), ("max_open_messages", \.openMessages), ("max_open_bytes", \.openBytes),
    ("max_links", \.links), ("max_patterns", \.patterns), ("per_second", \.perSecond), ("burst", \.burst),
  ]

  /// Those that are no settings of the server: a number of messages, from 1 on.
  static let rates = ["per_second", "burst"]
  static let rateRange: ClosedRange<Int64> = 1...1_000_000
}

extension PeerEntry {
  /// Why no token is made for that name; nil if one is.
  public static func complaint(tokenFor name: String) -> String? {
    if name == anonymous { return "anonymous is everybody who is not known, so it has no token" }
    return FileReader.complaint(identity: name)
  }
}
