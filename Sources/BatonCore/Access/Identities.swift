/// All identities, and how they are found: by token, by client certificate, by user. It knows no connection.
///
/// An identity keeps its slot over a reload; one that the file has no more stays without rights until its last
/// connection has gone, and the last of its messages has ended. The dictionaries are only looked into: nothing goes over them.
struct Identities: ~Copyable {
  private var table = Table<Identity>()
  private var byName: [String: Slot<Identity>] = [:]
  private var byToken: [TokenDigest: Slot<Identity>] = [:]
  private var byCertificate: [String: Slot<Identity>] = [:]
  private var byUser: [SystemUser: Slot<Identity>] = [:]
  /// The entry of those without an identity, or `nobody`.
  private(set) var anonymous = Slot<Identity>.nobody
  private var digest: (@Sendable (UnsafeRawBufferPointer) -> TokenDigest)?
  /// Whether tokens are taken where anybody on the way can read them.
  private(set) var takesPlainTokens = false
  private var authorities: Set<TokenDigest>?

  /// Whether the server asks who is there. If not, everybody may do everything.
  private(set) var isAsked = false

  subscript(identity: Slot<Identity>) -> Identity {
    @inline(__always)
    _read { yield table[identity] }
    @inline(__always)
    _modify { yield &table[identity] }
  }

  /// Takes the entries of the configuration file, in place of those from before. `isUnderReview` says that connections may
  /// still have what those lost before.
  mutating func take(_ rules: AccessRules, isUnderReview: Bool = false) {
    digest = rules.digest
    isAsked = true
    takesPlainTokens = rules.takesPlainTokens
    authorities = rules.authorities
    byToken = [:]
    byCertificate = [:]
    byUser = [:]
    anonymous = .nobody
    var left = byName
    byName = [:]
    for peer in rules.peers {
      let identity = left.removeValue(forKey: peer.name) ?? table.insert(Identity(peer))
      table[identity].take(peer, isUnderReview: isUnderReview)
      byName[peer.name] = identity
      if table[identity].isAnonymous { anonymous = identity }
      for token in peer.tokens { byToken[token] = identity }
      for certificate in peer.certificates { byCertificate[certificate] = identity }
      for user in peer.users { byUser[user] = identity }
    }
    for (_, identity) in left.sorted(by: { $0.key < $1.key }) {
      table[identity].leave()
      forgetIfUnused(identity)
    }
  }

  /// Nobody is asked any more: everybody may do everything.
  mutating func askNobody() {
    digest = nil
    isAsked = false
    for (_, identity) in byName.sorted(by: { $0.key < $1.key }) {
      table[identity].leave()
      forgetIfUnused(identity)
    }
    (byName, byToken, byCertificate, byUser) = ([:], [:], [:], [:])
    anonymous = .nobody
  }

  /// An account of the identity is not used any more.
  mutating func release(_ identity: Slot<Identity>) {
    table[identity].accounts -= 1
    forgetIfUnused(identity)
  }

  private mutating func forgetIfUnused(_ identity: Slot<Identity>) {
    guard table[identity].isGone, table[identity].accounts == 0 else { return }
    table.remove(identity)
  }

  /// The digest of a token; nil if nobody is asked for one.
  func digest(of token: UnsafeRawBufferPointer) -> TokenDigest? { digest?(token) }

  /// Whom a token names.
  func find(_ token: TokenDigest) -> Slot<Identity>? { byToken[token] }

  /// Whom a name means: an identity, or those without one.
  func find(_ name: String) -> Slot<Identity>? {
    byName[name] ?? (name.hasPrefix("#") && anonymous != .nobody ? anonymous : nil)
  }

  /// Whom the certificate or the user of a connection names. A certificate names nobody any more when an authority by
  /// which it was accepted is gone.
  func find(_ facts: PeerFacts) -> Found {
    var found = Found.nobody
    let counts = authorities.map { facts.authorities.allSatisfy($0.contains) } ?? true
    for certificate in facts.certificates where counts {
      if let identity = byCertificate[certificate] { found = found.and(identity) }
    }
    for user in facts.users {
      if let identity = byUser[user] { found = found.and(identity) }
    }
    return found
  }

  enum Found: Equatable {
    case nobody
    case one(Slot<Identity>)
    /// Two entries fit.
    case several

    fileprivate func and(_ identity: Slot<Identity>) -> Found {
      switch self {
      case .nobody: .one(identity)
      case .one(identity): self
      default: .several
      }
    }
  }
}
