// Access: who is there, and what may they do: rights, the entries of the configuration file, and how an identity is found.
// It owns the identities.

/// One entry of `peers`, ready for use: what it may do, and what all its connections have together (contract,
/// section 11).
struct Identity: ~Copyable {
  /// The name; `anonymous` for those who have none.
  let name: String
  /// Whether it is the entry for connections without an identity.
  var isAnonymous: Bool { name == Identity.anonymousName }
  static let anonymousName = "anonymous"

  private(set) var may: [Right] = []
  /// Whether a right allows everything.
  private(set) var mayEverything = false
  /// What `welcome` says of it: `,"identity":"web","may":["send to main"]`.
  private(set) var welcome = OwnedBytes()
  var limits = PeerLimits()
  /// Whether a right that it had before the file was read the last time is not there now. Another right may cover it;
  /// but not where a link is declared, which is meant by its full name only. So all that it has is looked at then.
  private(set) var hasLost = false
  /// Whether the file has it no more.
  var isGone = false
  private var sends = MessageRights()
  private var broadcasts = MessageRights()

  /// The requests of HTTP of all its connections.
  var requests = 0
  /// The accounts of its connections, and of messages that connections have left under way.
  var accounts = 0

  init(_ peer: AccessRules.Peer) {
    name = peer.name
    take(peer)
  }

  /// Takes what the file says of it now. `isUnderReview` says that connections may still have what it lost before.
  mutating func take(_ peer: AccessRules.Peer, isUnderReview: Bool = false) {
    mayEverything = peer.may.contains { $0.kind == .everything }
    // A wider right does not take the place of another one everywhere: it means no declared links.
    hasLost = isUnderReview && hasLost || !mayEverything && !may.allSatisfy(peer.may.contains)
    may = peer.may
    limits = peer.limits
    isGone = false
    sends = MessageRights(.send, of: may)
    broadcasts = MessageRights(.broadcast, of: may)
    let rights = peer.may.map { Identity.quoted($0.spelling) }.joined(separator: ",")
    welcome = OwnedBytes((isAnonymous ? "" : ",\"identity\":\"\(name)\"") + ",\"may\":[\(rights)]")
  }

  /// A text as a JSON string.
  private static func quoted(_ text: String) -> String {
    let bytes = OwnedBytes(text)
    defer { extendLifetime(bytes) }
    return OwnedBytes(quoting: bytes.bytes).string
  }

  /// The file has it no more: it may do nothing.
  mutating func leave() {
    hasLost = true
    may = []
    mayEverything = false
    isGone = true
    sends = MessageRights()
    broadcasts = MessageRights()
  }

  /// Whether it may send this topic down this chain.
  @inline(__always)
  mutating func maySend(to chain: UnsafeRawBufferPointer, on topic: UnsafeRawBufferPointer) -> Bool {
    mayEverything || sends.allow(chain, topic)
  }

  /// Whether a right of this kind means the chain, and the topic or pattern lies within it.
  mutating func allows(_ kind: Right.Kind, chain: UnsafeRawBufferPointer, topic: UnsafeRawBufferPointer? = nil) -> Bool
  {
    mayEverything
      || may.contains { right in
        right.kind == kind && !right.isServer && right.chain?.matches(chain) == true
          && (topic.map { right.allows(topic: $0) } ?? true)
      }
  }

  /// Whether one right lets it see every chain.
  var seesAllChains: Bool { mayEverything || may.contains { $0.kind == .see && $0.chain?.isAny == true } }

  /// Whether a right lets it see any chain.
  var seesSomeChain: Bool { mayEverything || may.contains { $0.kind == .see && !$0.isServer } }

  /// The chains that it may see now.
  var sight: ChainSight { mayEverything ? .all : ChainSight(of: may) }

  /// Whether a right means the server.
  mutating func allowsServer(_ kind: Right.Kind) -> Bool {
    mayEverything || may.contains { $0.kind == kind && $0.isServer }
  }

  /// Whether it may broadcast the topic: directly if `via` is nil, otherwise through that chain.
  @inline(__always)
  mutating func mayBroadcast(_ topic: UnsafeRawBufferPointer, via: UnsafeRawBufferPointer?) -> Bool {
    mayEverything || broadcasts.allow(via ?? .empty, topic) || via.map { maySendOut(topic, via: $0) } ?? false
  }

  /// Whether it may broadcast the topic directly, and send it down the chain.
  @inline(never)
  private mutating func maySendOut(_ topic: UnsafeRawBufferPointer, via: UnsafeRawBufferPointer) -> Bool {
    guard broadcasts.allow(.empty, topic), sends.allow(via, topic) else { return false }
    broadcasts.remember(via, topic)
    return true
  }

  /// Whether it may subscribe to the pattern.
  mutating func maySubscribe(to pattern: UnsafeRawBufferPointer) -> Bool {
    guard !mayEverything else { return true }
    guard may.contains(where: { $0.kind == .subscribe && $0.allows(topic: pattern) }) else { return false }
    return !Words.isServers(pattern) || allowsServer(.see)
  }

  /// Whether it may be this handler for the pattern; for any pattern if that is nil. A declared link is meant only by a
  /// right that names it in full.
  mutating func mayServe(
    _ handler: UnsafeRawBufferPointer, in chain: UnsafeRawBufferPointer, on pattern: UnsafeRawBufferPointer?,
    isDeclared: Bool
  ) -> Bool {
    mayEverything
      || may.contains { right in
        guard right.kind == .serve, let chains = right.chain, let handlers = right.handler else { return false }
        if isDeclared, chains.isPrefix || handlers.isPrefix { return false }
        return chains.matches(chain) && handlers.matches(handler) && (pattern.map { right.allows(topic: $0) } ?? true)
      }
  }
}

extension Right {
  /// Whether the topic or pattern lies within its pattern.
  func allows(topic: UnsafeRawBufferPointer) -> Bool {
    pattern.withUnsafeBytes { Pattern.covers(topic, within: $0) }
  }
}
