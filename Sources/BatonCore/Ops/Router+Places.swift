/// Reads from a request which link it means, and where a new link has to go (contract, section 5).
extension Router {
  /// The link that the request names. It must be a link with handlers, not a mount.
  mutating func findLinkOfLine(of connection: Slot<Connection>, at now: Instant) throws(Fault) -> Slot<Link> {
    let name = request.text(.handler)
    let chainName = request.chainName()
    defer { extendLifetime(chainName) }
    let chain = findChain(chainName.bytes)
    if let chain, let link = comeToLink(name, in: chain, at: now), links[link].mounted == .nobody { return link }
    throw noSuchHandler(name, in: chain, chainName.string, for: connection)
  }

  /// A mistyped name is not worth much time: only the first fifty names are compared.
  private static let mostNames = 50

  /// Names are hints for peers that may see them.
  private mutating func noSuchHandler(
    _ name: UnsafeRawBufferPointer, in chain: Slot<Chain>?, _ chainName: String, for connection: Slot<Connection>
  ) -> Fault {
    guard let chain, chains[chain].live > 0 else {
      let hint = nearestChain(to: chainName, for: connection).map { "; did you mean the chain \"\($0)\"?" } ?? ""
      return Fault(.noSuchHandler, "there is no chain \"\(chainName)\", so it has no handler \"\(name.string)\"\(hint)")
    }
    if maySee(chain, connection), let link = findLink(name, in: chain), links[link].mounted != .nobody {
      let words = "\"\(name.string)\" is no handler of the chain \"\(chainName)\"; it is a chain that is mounted there"
      return Fault(.noSuchHandler, words + ": unmount takes it out")
    }
    let hint =
      (maySee(chain, connection) ? nearestLink(to: name, in: chain) : nil).map { "; did you mean \"\($0)\"?" } ?? ""
    return Fault(.noSuchHandler, "the chain \"\(chainName)\" has no handler \"\(name.string)\"\(hint)")
  }

  /// The name that is nearest to this one, among the chain's first links.
  private mutating func nearestLink(to name: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> String? {
    var search = NearestName(to: name)
    var (best, next) = (Slot<Link>.nobody, firstLink(of: chain))
    for _ in 0..<Router.mostNames where next != .nobody {
      if search.isNearest(links[next].name.bytes) { best = next }
      next = link(behind: next)
    }
    return best == .nobody ? nil : links[best].name.string
  }

  /// The name that is nearest to this one, among the first chains that have links.
  private mutating func nearestChain(to name: String, for connection: Slot<Connection>) -> String? {
    let name = OwnedBytes(name)
    var search = NearestName(to: name.bytes)
    var (best, next) = (Slot<Chain>.nobody, firstChain(from: .empty))
    for _ in 0..<Router.mostNames where next != .nobody {
      if maySee(next, connection), search.isNearest(chains[next].name.bytes) { best = next }
      next = chain(behind: next)
    }
    extendLifetime(name)
    return best == .nobody ? nil : chains[best].name.string
  }

  /// Refuses a request that gives the place in more than one of the four ways.
  mutating func checkPlaceMembers(of op: Op) throws(Fault) {
    let given = [Member.at, .before, .after, .rank].filter { request.has($0) }.map { "\"\($0.spelling)\"" }
    guard given.count > 1 else { return }
    throw Fault(
      .badMember,
      "\(op.spelling) takes at most one of at, before, after and rank; this request has "
        + given.joined(separator: " and "))
  }

  /// The link that `before` or `after` names; nil if the request has neither.
  mutating func findNeighbour(
    in chain: Slot<Chain>?, _ chainName: String, for connection: Slot<Connection>, at now: Instant
  ) throws(Fault) -> Slot<Link>? {
    guard request.has(.before) || request.has(.after) else { return nil }
    let name = request.text(request.has(.before) ? .before : .after)
    guard let chain, let link = comeToLink(name, in: chain, at: now) else {
      throw noSuchHandler(name, in: chain, chainName, for: connection)
    }
    try refuseBeside(link)
    return link
  }

  /// The settings that the request gives. Settings that it leaves out are those of `defaults`.
  mutating func settingsOfLine(or defaults: LinkSettings) throws(Fault) -> LinkSettings {
    var settings = defaults
    if let accepts = request.texts(.accepts) { settings.accepts = accepts }
    if let timeout = request.integer(.timeoutMilliseconds) { settings.timeoutMilliseconds = timeout }
    if let window = request.integer(.window) { settings.window = window }
    if let policy = try request.failurePolicy() { settings.onFailure = policy }
    if let hold = request.integer(.holdMilliseconds) { settings.holdMilliseconds = hold }
    if let isShared = request.flag(.share) { settings.isShared = isShared }
    if let isRequired = request.flag(.required) { settings.isRequired = isRequired }
    if let isShadow = request.flag(.shadow) { settings.isShadow = isShadow }
    if let percent = request.integer(.percent) { settings.percent = percent }
    if request.has(.when) { settings.when = request.condition() }
    return settings
  }
}
