/// A handler of a client, in its place in its chain: `Client.add` returns it, and `Client.links` has all. What is done with
/// it outlives connections.
public struct ServedLink: Sendable {
  /// Its chain.
  public let chain: String
  /// Its name in the chain.
  public let handler: String
  let keeper: LinkKeeper

  /// Where it stands, as of the last connection, byte for byte as the server wrote it; nil before it has had a place.
  public var rank: Payload? {
    get async { await keeper.rank(name) }
  }

  /// Takes the handler out: it gets no more offers, finishes those that it has, and does not come back. Without a
  /// connection it leaves the plan; if the server keeps its place, the place is removed on return. Throws `BatonError`.
  public func remove() async throws { try await keeper.remove(name) }

  /// Gives it other patterns or settings; what is nil stays. Without a connection it comes back with them. Throws
  /// `BatonError`, and nothing is changed then.
  public func update(
    accepts: [String]? = nil, timeout: Duration? = nil, window: Int? = nil, onFailure: Link.FailurePolicy? = nil,
    isShared: Bool? = nil, hold: Duration? = nil, isRequired: Bool? = nil, isShadow: Bool? = nil, percent: Int? = nil,
    when: Payload? = nil
  ) async throws {
    let changes = LinkChanges(
      accepts: accepts, timeout: timeout, window: window, onFailure: onFailure, isShared: isShared, hold: hold,
      isRequired: isRequired, isShadow: isShadow, percent: percent, when: when)
    try await keeper.update(name, changes)
  }

  /// Gives it another place. Throws `BatonError`; `unreachable` at once without a connection.
  public func move(to place: Link.Place) async throws { try await keeper.move(name, place) }

  private var name: LinkName { LinkName(chain: chain, handler: handler) }
}

/// Who carries out what a program wants of its links.
struct LinkKeeper: Sendable {
  let rank: @Sendable (LinkName) async -> Payload?
  let remove: @Sendable (LinkName) async throws -> Void
  let update: @Sendable (LinkName, LinkChanges) async throws -> Void
  let move: @Sendable (LinkName, Link.Place) async throws -> Void
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
  var percent: Int?
  var when: Payload?

  var isEmpty: Bool {
    accepts == nil && timeout == nil && window == nil && onFailure == nil && isShared == nil && hold == nil
      && isRequired == nil && isShadow == nil && percent == nil && when == nil
  }

  /// Throws `BatonError` where the link would be wrong with them.
  func check(for link: Link) throws(BatonError) {
    if link.isGuard, isRequired == false { throw Link.contrary("isRequired: false") }
    var changed = link
    apply(to: &changed)
    try changed.check()
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
    link.percent = percent ?? link.percent
    link.when = when ?? link.when
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
    line.add("percent", percent)
    line.add("when", when)
    return line
  }
}
