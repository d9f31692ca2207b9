/// Looks whether a peer may do what it asks for (contract, section 11). The form of the line is right by then, and
/// nothing has been looked up for it: so nobody learns about what it may not see.
extension Router {
  /// Throws a `Fault` if the identity of the connection has no right to the request. An op that has no case here, and of
  /// which the table does not say that it needs no right, is refused.
  @inline(never)
  mutating func permit(_ connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let identity = connections[connection].identity
    // Strangers say only what needs no right.
    guard identity != .nobody, !identities[identity].mayEverything else { return }
    switch request.op {
    // Who cancels a message sent it. Who answers serves a link, and leaves it when the right is taken away.
    case let op where op.needsNoRight: break
    case .send: try permitSend(identity)
    case .broadcast: try permitBroadcast(identity)
    case .subscribe: try permitSubscribe(identity)
    case .insert: try permitInsert(identity, at: now)
    case .replace: try permitReplace(identity, at: now)
    case .remove: try permitRemove(connection, at: now)
    case .mount: try permitMount(identity)
    case .move, .unmount: try permitOuter(identity)
    case .explain: try permitSight(identity, of: true)
    case .inspect: try permitInspect(identity)
    case .walks: try permitSight(identity, of: request.has(.chain))
    case .findings: if !identities[identity].seesSomeChain { try permitServer(.see, identity) }
    case .close, .reload, .handOver: try permitServer(.manage, identity)
    case .nodes: try permitServer(.see, identity)
    case .dead: try permitSight(identity, of: !request.has(.stored))
    // Of which chain the message is, only the keeper knows: `permitsChange`, `tellStatus`.
    case .stored: try permitSight(identity, of: request.has(.chain))
    case .resend, .discard: break
    default: throw denied(identity, request.op.spelling)
    }
  }

  // MARK: Messages

  @inline(__always)
  private mutating func permitSend(_ identity: Slot<Identity>) throws(Fault) {
    guard identities[identity].maySend(to: request.chainText, on: request.text(.topic)) else {
      throw deniedSend(identity)
    }
    if request.has(.trace), request.flag(.trace) == true { try permitSight(identity, of: true) }
  }

  @inline(never)
  private mutating func deniedSend(_ identity: Slot<Identity>) -> Fault {
    denied(identity, "send to \(Router.spelled(request.chainText)) on \(request.text(.topic).string)")
  }

  @inline(__always)
  private mutating func permitBroadcast(_ identity: Slot<Identity>) throws(Fault) {
    let via = request.has(.via) ? request.text(.via) : nil
    guard identities[identity].mayBroadcast(request.text(.topic), via: via) else {
      throw deniedBroadcast(identity, via)
    }
    guard let via, request.flag(.trace) == true else { return }
    try permitTrace(identity, via)
  }

  @inline(never)
  private mutating func deniedBroadcast(_ identity: Slot<Identity>, _ via: UnsafeRawBufferPointer?) -> Fault {
    denied(
      identity, "broadcast \(request.text(.topic).string)" + (via.map { " via \(Router.spelled($0))" } ?? ""))
  }

  @inline(never)
  private mutating func permitTrace(_ identity: Slot<Identity>, _ via: UnsafeRawBufferPointer) throws(Fault) {
    guard identities[identity].allows(.see, chain: via) else { throw denied(identity, "see \(Router.spelled(via))") }
  }

  @inline(never)
  private mutating func permitSubscribe(_ identity: Slot<Identity>) throws(Fault) {
    for topic in request.texts(.topics) ?? [] {
      spent &+= Cost.look
      let isAllowed = topic.withUnsafeBytes { identities[identity].maySubscribe(to: $0) }
      guard !isAllowed else { continue }
      let asked = String(decoding: topic, as: UTF8.self)
      let hears = topic.withUnsafeBytes { bytes in
        identities[identity].may.contains { $0.kind == .subscribe && $0.allows(topic: bytes) }
      }
      throw denied(identity, hears ? "see server" : "subscribe \(asked)")
    }
  }

  // MARK: Links

  @inline(never)
  private mutating func permitInsert(_ identity: Slot<Identity>, at now: Instant) throws(Fault) {
    let chain = chainOfLine
    defer { extendLifetime(chain) }
    let name = request.text(.handler)
    try permitServing(name, in: chain.bytes, on: request.texts(.accepts) ?? [Right.everyTopic], identity)
    // Where a declared link stands, the file decides.
    if findDeclared(name, in: chain.bytes) != nil { return }
    if identities[identity].allows(.manage, chain: chain.bytes) { return }
    if let link = findServable(name, in: chain.bytes, at: now), links[link].isEmptyPlace {
      try permitWhole(link, as: name, in: chain.bytes, identity)
    }
    let isBack = !request.has(.at) || request.value(.at).isText("back", in: request.line)
    guard !isBack || request.has(.before) || request.has(.after) else { return }
    throw denied(identity, "manage \(Router.spelled(chain.bytes))")
  }

  /// Who manages the chain may take others' links, but no declared one: that is meant by its full name only.
  @inline(never)
  private mutating func permitReplace(_ identity: Slot<Identity>, at now: Instant) throws(Fault) {
    let chain = chainOfLine
    defer { extendLifetime(chain) }
    let name = request.text(.handler)
    if identities[identity].allows(.manage, chain: chain.bytes), findDeclared(name, in: chain.bytes) == nil { return }
    let patterns = request.texts(.accepts)
    try permitServing(name, in: chain.bytes, on: patterns ?? [], identity)
    if request.has(.as) { try permitServing(request.text(.as), in: chain.bytes, on: patterns ?? [], identity) }
    guard let link = findServable(name, in: chain.bytes, at: now) else { return }
    try permitWhole(link, as: name, in: chain.bytes, identity)
    // What the line does not say, the link keeps.
    if patterns == nil, request.has(.as) { try permitWhole(link, as: request.text(.as), in: chain.bytes, identity) }
  }

  /// Who serves the link leaves it, or takes its own link out.
  @inline(never)
  private mutating func permitRemove(_ connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let identity = connections[connection].identity
    let chain = chainOfLine
    defer { extendLifetime(chain) }
    if identities[identity].allows(.manage, chain: chain.bytes) { return }
    if request.isAboutEmptyPlaces { throw denied(identity, "manage \(Router.spelled(chain.bytes))") }
    let name = request.text(.handler)
    try permitServing(name, in: chain.bytes, on: [], identity)
    guard let link = findServable(name, in: chain.bytes, at: now), findReplica(of: link, on: connection) == nil else {
      return
    }
    try permitWhole(link, as: name, in: chain.bytes, identity)
  }

  /// Whether the right to the name means all patterns of the link: who may serve a part of them does not decide about
  /// the link. The patterns are not told.
  private mutating func permitWhole(
    _ link: Slot<Link>, as name: UnsafeRawBufferPointer, in chain: UnsafeRawBufferPointer, _ identity: Slot<Identity>
  ) throws(Fault) {
    for pattern in links[link].settings.accepts {
      spent &+= Cost.look
      let isAllowed = pattern.withUnsafeBytes {
        identities[identity].mayServe(name, in: chain, on: $0, isDeclared: false)
      }
      guard isAllowed else { throw denied(identity, Router.spelledServe(name, in: chain)) }
    }
  }

  /// The link of this name that handlers serve, if there is one. What has left has left it.
  private mutating func findServable(
    _ name: UnsafeRawBufferPointer, in chainName: UnsafeRawBufferPointer, at now: Instant
  ) -> Slot<Link>? {
    guard let chain = findChain(chainName), let link = comeToLink(name, in: chain, at: now),
      links[link].mounted == .nobody
    else { return nil }
    return link
  }

  /// Whether the identity may be this handler for these patterns. What it needs is told from the line alone, or whoever
  /// may not serve the link would learn something about it.
  private mutating func permitServing(
    _ name: UnsafeRawBufferPointer, in chain: UnsafeRawBufferPointer, on patterns: [[UInt8]],
    _ identity: Slot<Identity>
  ) throws(Fault) {
    let declared = findDeclared(name, in: chain)
    let right = Router.spelledServe(name, in: chain)
    if let declared, identities[identity].mayServe(name, in: chain, on: nil, isDeclared: true) {
      // The patterns of a declared link are its own, whatever the line says.
      for pattern in links[declared].settings.accepts {
        let isAllowed = pattern.withUnsafeBytes {
          identities[identity].mayServe(name, in: chain, on: $0, isDeclared: true)
        }
        guard isAllowed else { throw denied(identity, right) }
      }
      return
    }
    guard !patterns.isEmpty || identities[identity].mayServe(name, in: chain, on: nil, isDeclared: false) else {
      throw denied(identity, right)
    }
    for pattern in patterns {
      spent &+= Cost.look
      let isAllowed = pattern.withUnsafeBytes {
        identities[identity].mayServe(name, in: chain, on: $0, isDeclared: false)
      }
      guard isAllowed else { throw denied(identity, right + Router.spelledOn(pattern)) }
    }
    guard declared == nil else { throw denied(identity, right) }
  }

  private static func spelledServe(_ name: UnsafeRawBufferPointer, in chain: UnsafeRawBufferPointer) -> String {
    "serve \(spelled(chain))/\(name.string)"
  }

  /// A chain as a right spells it: `server` alone would mean the server.
  private static func spelled(_ chain: UnsafeRawBufferPointer) -> String {
    chain.elementsEqual(Right.server) ? "server*" : chain.string
  }

  /// ` on PATTERN`, as a right spells it.
  private static func spelledOn(_ pattern: [UInt8]) -> String {
    if pattern == Right.everyTopic { return "" }
    return " on \(String(decoding: pattern, as: UTF8.self))"
  }

  /// The link of this name, if it is one that the operator has declared.
  private mutating func findDeclared(
    _ name: UnsafeRawBufferPointer, in chainName: UnsafeRawBufferPointer
  ) -> Slot<Link>? {
    guard let chain = findChain(chainName), let link = findLink(name, in: chain), links[link].isDeclared else {
      return nil
    }
    return link
  }

  @inline(never)
  private mutating func permitMount(_ identity: Slot<Identity>) throws(Fault) {
    try permitOuter(identity)
    let inner = request.text(.on)
    for pattern in request.texts(.accepts) ?? [Right.everyTopic] {
      spent &+= Cost.look
      let isAllowed = pattern.withUnsafeBytes { identities[identity].allows(.send, chain: inner, topic: $0) }
      guard isAllowed else { throw denied(identity, "send to \(Router.spelled(inner))" + Router.spelledOn(pattern)) }
    }
  }

  @inline(never)
  private mutating func permitOuter(_ identity: Slot<Identity>) throws(Fault) {
    let chain = chainOfLine
    defer { extendLifetime(chain) }
    guard identities[identity].allows(.manage, chain: chain.bytes) else {
      throw denied(identity, "manage \(Router.spelled(chain.bytes))")
    }
  }

  /// Refuses what only who manages a chain may say of a link, if it is not in force anyway. Without that right, a link
  /// that is there keeps it, and a new one gets the defaults (contract, section 11). Returns the settings to use.
  mutating func permitSettings(
    _ settings: LinkSettings, inForce: LinkSettings, in chain: UnsafeRawBufferPointer, of connection: Slot<Connection>
  ) throws(Fault) -> LinkSettings {
    let identity = connections[connection].identity
    guard identity != .nobody, !identities[identity].allows(.manage, chain: chain) else { return settings }
    var allowed = settings
    if !request.has(.required) { allowed.isRequired = inForce.isRequired }
    if !request.has(.onFailure) { allowed.onFailure = inForce.onFailure }
    if !request.has(.holdMilliseconds) { allowed.holdMilliseconds = inForce.holdMilliseconds }
    if !request.has(.shadow) { allowed.isShadow = inForce.isShadow }
    guard
      allowed.isRequired == inForce.isRequired, allowed.onFailure == inForce.onFailure,
      allowed.holdMilliseconds == inForce.holdMilliseconds, allowed.isShadow == inForce.isShadow
    else { throw denied(identity, "manage \(Router.spelled(chain))") }
    return allowed
  }

  /// Whether the connection may choose the place of a link in this chain.
  mutating func mayPlace(_ connection: Slot<Connection>, in chain: UnsafeRawBufferPointer) -> Bool {
    let identity = connections[connection].identity
    return identity == .nobody || identities[identity].allows(.manage, chain: chain)
  }

  // MARK: Seeing

  /// Whether the identity may see the chain that the line is about, if it is about one.
  @inline(never)
  private mutating func permitSight(_ identity: Slot<Identity>, of isAboutChain: Bool) throws(Fault) {
    guard isAboutChain else { return }
    let chain = chainOfLine
    defer { extendLifetime(chain) }
    guard identities[identity].allows(.see, chain: chain.bytes) else {
      throw denied(identity, "see \(Router.spelled(chain.bytes))")
    }
  }

  @inline(never)
  private mutating func permitInspect(_ identity: Slot<Identity>) throws(Fault) {
    try permitSight(identity, of: request.has(.chain))
    if request.flag(.server) == true || request.flag(.connections) == true { try permitServer(.see, identity) }
  }

  @inline(never)
  private mutating func permitServer(_ kind: Right.Kind, _ identity: Slot<Identity>) throws(Fault) {
    guard identities[identity].allowsServer(kind) else { throw denied(identity, "\(kind.rawValue) server") }
  }

  // MARK: Refusals

  private var chainOfLine: OwnedBytes { mutating get { request.chainName() } }

  /// The fault of a request that needs a right which the identity does not have. Those without an identity do not learn
  /// which.
  private mutating func denied(_ identity: Slot<Identity>, _ right: String) -> Fault {
    var fault = Fault(
      .notAllowed,
      identities[identity].isAnonymous
        ? "this needs a right that you do not have; say who you are with a token: in hello, or over HTTP in Authorization"
        : "\(identities[identity].name) needs \"\(right)\"")
    fault.right = right
    return fault
  }
}
