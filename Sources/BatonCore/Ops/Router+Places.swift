/// Reads from a request which link it means, and where a new link has to go (contract, section 5).
extension Router {
  /// The link that the request names. It must be a link with handlers, not a mount.
  mutating func findLinkOfLine() throws(Fault) -> Slot<Link> {
    let name = request.text(.handler)
    let chainName = request.chainName()
    defer { extendLifetime(chainName) }
    let chain = findChain(chainName.bytes)
    if let chain, let link = findLink(name, in: chain), links[link].mounted == .nobody { return link }
    throw noSuchHandler(name.string, in: chain, chainName.string)
  }

  private mutating func noSuchHandler(_ name: String, in chain: Slot<Chain>?, _ chainName: String) -> Fault {
    guard let chain, chains[chain].live > 0 else {
      let nearest = nearestName(to: chainName, among: firstChainNames(atMost: 50))
      let hint = nearest.map { "; did you mean the chain \"\($0)\"?" } ?? ""
      return Fault(.noSuchHandler, "there is no chain \"\(chainName)\", so it has no handler \"\(name)\"\(hint)")
    }
    // A mistyped name is not worth more time: only the first fifty names are compared.
    let names = chains[chain].order.prefix(50).filter { links[$0].fate == nil }.map { links[$0].name.string }
    let hint = nearestName(to: name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    return Fault(.noSuchHandler, "the chain \"\(chainName)\" has no handler \"\(name)\"\(hint)")
  }

  private mutating func firstChainNames(atMost most: Int) -> [String] {
    chains.slots.prefix(most).filter { chains.isTaken($0) && chains[$0].live > 0 }.map { chains[$0].name.string }
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
  mutating func findNeighbour(in chain: Slot<Chain>?, _ chainName: String) throws(Fault) -> Slot<Link>? {
    guard request.has(.before) || request.has(.after) else { return nil }
    let name = request.text(request.has(.before) ? .before : .after)
    if let chain, let link = findLink(name, in: chain) { return link }
    throw noSuchHandler(name.string, in: chain, chainName)
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
    return settings
  }
}
