/// `move` (contract, section 5).
extension Router {
  mutating func moveLink(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let chainName = request.chainName()
    defer { extendLifetime(chainName) }
    let link = try findMoved(chainName.string, for: connection, at: now)
    let chain = links[link].chain
    try refuseToChange(link)
    let neighbour = try findNeighbour(in: chain, chainName.string, for: connection, at: now)
    guard neighbour != link else {
      throw Fault(.badMember, "a link cannot stand before or behind itself; name another one")
    }
    try checkOlderPlaces(of: link, for: connection)
    let rank = try makeRank(beside: neighbour, in: chain, at: now)
    keepOlderPlace(of: link, paidBy: connections[connection].account)
    putLink(link, at: rank)
    var told = 0
    noteMoved(link, told: &told, at: now)
    replyMoved(link, chainName, to: connection, at: now)
    announceMoved(link, by: connection, at: now)
  }

  /// The most places of one link that messages under way still see.
  private static let mostPlaces = 64

  /// Messages that are in the chain keep the link's older place: it counts like a link of who moves it, as long as they are
  /// there. So that others can still insert, such places take no more than half of what there is; and whoever looks for one
  /// has few to look at.
  private mutating func checkOlderPlaces(of link: Slot<Link>, for connection: Slot<Connection>) throws(Fault) {
    guard chains[links[link].chain].walks.count > 0 else { return }
    try checkLinksOfIdentity(connection)
    try checkPatternsOfIdentity(connection, more: links[link].settings.weight)
    let left = left(of: connection)
    let isBelow =
      isBelowShare(left.links, ofFree: settings.maxLinks - countedLinks)
      && isBelowShare(left.patterns, ofFree: settings.maxTotalPatterns - totalPatterns)
    var (older, count) = (links[link].older, 0)
    while count < Router.mostPlaces, links.contains(older) { (older, count) = (links[older.slot].older, count + 1) }
    let patterns = totalPatterns + links[link].settings.weight
    guard
      !isBelow || count == Router.mostPlaces || countedLinks >= settings.maxLinks / 2
        || patterns > settings.maxTotalPatterns / 2
    else { return }
    throw Fault(
      .limitReached,
      "messages under way still see the link where it stood, and there is no room for one more such place; move it when "
        + "they have ended")
  }

  /// The link that the line names: one with handlers, or a mount.
  private mutating func findMoved(
    _ chainName: String, for connection: Slot<Connection>, at now: Instant
  ) throws(Fault) -> Slot<Link> {
    try checkPlaceMembers(of: .move)
    guard request.has(.handler) != request.has(.on) else {
      throw Fault(
        request.has(.on) ? .badMember : .missingMember,
        "move needs the member \"handler\", or \"on\" for a mount, and not both")
    }
    guard request.has(.at) || request.has(.before) || request.has(.after) || request.has(.rank) else {
      throw Fault(.missingMember, "move needs one of the members at, before, after and rank")
    }
    guard request.has(.on) else { return try findLinkOfLine(of: connection, at: now) }
    return try findMountOfLine()
  }

  private mutating func replyMoved(
    _ link: Slot<Link>, _ chainName: borrowing OwnedBytes, to connection: Slot<Connection>, at now: Instant
  ) {
    ignored = []
    guard links[link].mounted != .nobody else { return replyPlace(of: link, to: connection, at: now) }
    let inner = OwnedBytes(copying: links[link].name.bytes)
    replyMount(chainName, inner, link: link, to: connection, at: now)
  }
}
