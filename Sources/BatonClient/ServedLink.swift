/// A handler of a client, in its place in its chain: `Client.add` returns it, and `Client.links` has all. What is done with
/// it outlives connections.
public struct ServedLink: Sendable {
  /// Its chain.
  public let chain: String
  /// Its name in the chain.
  public let handler: String
  let session: Session

  /// Where it stands, as of the last connection, byte for byte as the server wrote it; nil before it has had a place.
  public var rank: Payload? {
    get async { await session.rank(of: name) }
  }

  /// Takes the handler out: it gets no more offers, finishes those that it has, and does not come back. Without a
  /// connection it leaves the plan; if the server keeps its place, the place is removed on return. Throws `BatonError`.
  public func remove() async throws { try await session.remove(name) }

  /// Gives it other patterns or settings; what is nil stays. Without a connection it comes back with them. Throws
  /// `BatonError`, and nothing is changed then.
  public func update(
    accepts: [String]? = nil, timeout: Duration? = nil, window: Int? = nil, onFailure: Link.FailurePolicy? = nil,
    isShared: Bool? = nil, hold: Duration? = nil, isRequired: Bool? = nil, isShadow: Bool? = nil
  ) async throws {
    let changes = LinkChanges(
      accepts: accepts, timeout: timeout, window: window, onFailure: onFailure, isShared: isShared, hold: hold,
      isRequired: isRequired, isShadow: isShadow)
    try await session.update(name, changes)
  }

  /// Gives it another place. Throws `BatonError`; `unreachable` at once without a connection.
  public func move(to place: Link.Place) async throws { try await session.move(name, to: place) }

  private var name: LinkName { LinkName(chain: chain, handler: handler) }
}

/// Other settings for a link; nil: as it is.
struct LinkChanges: Sendable {
  var accepts: [String]?
  var timeout: Duration?
  var window: Int?
  var onFailure: Link.FailurePolicy?
  var isShared: Bool?
  var hold: Duration?
  var isRequired: Bool?
  var isShadow: Bool?

  var isEmpty: Bool {
    accepts == nil && timeout == nil && window == nil && onFailure == nil && isShared == nil && hold == nil
      && isRequired == nil && isShadow == nil
  }

  func apply(to link: inout Link) {
    link.accepts = accepts ?? link.accepts
    link.timeout = timeout ?? link.timeout
    link.window = window ?? link.window
    link.onFailure = onFailure ?? link.onFailure
    link.isShared = isShared ?? link.isShared
    link.hold = hold ?? link.hold
    link.isRequired = isRequired ?? link.isRequired
    link.isShadow = isShadow ?? link.isShadow
  }

  /// The line that changes just these.
  func line(for link: Link) -> RequestLine {
    var line = RequestLine("replace")
    line.add("chain", text: link.chain)
    line.add("handler", text: link.name)
    if let accepts { line.add("accepts", texts: accepts) }
    line.add("timeout_ms", milliseconds: timeout)
    line.add("window", window)
    onFailure?.add(to: &line)
    line.add("share", given: isShared)
    line.add("hold_ms", milliseconds: hold)
    line.add("required", given: isRequired)
    line.add("shadow", given: isShadow)
    return line
  }
}

/// What a program does with links while it is connected.
extension Session {
  /// The links that this client has.
  var served: [ServedLink] {
    links.left.map { ServedLink(chain: $0.link.chain, handler: $0.link.name, session: self) }
  }

  func rank(of name: LinkName) -> Payload? { links.find(name.chain, name.handler)?.rank }

  func add(_ link: Link, _ body: @escaping HandlerBody) async throws -> ServedLink {
    try await links.add(link, body)
    return ServedLink(chain: link.chain, handler: link.name, session: self)
  }

  func remove(_ name: LinkName) async throws {
    guard let place = links.find(name.chain, name.handler) else { return }
    await changes.until { !isSettingUp }
    try await links.remove(place)
  }

  func update(_ name: LinkName, _ settings: LinkChanges) async throws {
    _ = try present(name)
    await changes.until { !isSettingUp }
    try await links.update(try present(name), settings)
  }

  func move(_ name: LinkName, to place: Link.Place) async throws {
    _ = try present(name)
    await changes.until { !isSettingUp }
    try await links.move(try present(name), to: place)
  }

  private func present(_ name: LinkName) throws(BatonError) -> Links.Place {
    if let place = links.find(name.chain, name.handler), !place.isGone { return place }
    throw .refused(
      code: "no_such_handler", message: "this client has the handler \(name.chain)/\(name.handler) no more")
  }
}
