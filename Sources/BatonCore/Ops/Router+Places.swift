/// Where a link is or shall be, as a line says it (contract, section 5).
extension Router {
  /// The handlers' link that the line names.
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
    // A typing error is not worth more: the nearest of the first fifty.
    let names = chains[chain].order.prefix(50).filter { links[$0].fate == nil }.map { links[$0].name.string }
    let hint = nearestName(to: name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    return Fault(.noSuchHandler, "the chain \"\(chainName)\" has no handler \"\(name)\"\(hint)")
  }

  private mutating func firstChainNames(atMost most: Int) -> [String] {
    chains.slots.prefix(most).filter { chains.isTaken($0) && chains[$0].live > 0 }.map { chains[$0].name.string }
  }

  /// At most one of the four ways to say the place.
  mutating func checkPlaceMembers(of op: Op) throws(Fault) {
    let given = [Member.at, .before, .after, .rank].filter { request.has($0) }.map { "\"\($0.spelling)\"" }
    guard given.count > 1 else { return }
    throw Fault(
      .badMember,
      "\(op.spelling) takes at most one of at, before, after and rank; this request has "
        + given.joined(separator: " and "))
  }

  /// The link that `before` or `after` names.
  mutating func findNeighbour(in chain: Slot<Chain>?, _ chainName: String) throws(Fault) -> Slot<Link>? {
    guard request.has(.before) || request.has(.after) else { return nil }
    let name = request.text(request.has(.before) ? .before : .after)
    if let chain, let link = findLink(name, in: chain) { return link }
    throw noSuchHandler(name.string, in: chain, chainName)
  }

  /// The settings that the line gives; what it leaves out is as in `defaults`.
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
