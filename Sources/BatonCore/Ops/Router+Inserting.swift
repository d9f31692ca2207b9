/// `insert` (contract, section 5).
extension Router {
  mutating func insertLink(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let name = request.text(.handler)
    let chainName = request.chainName()
    defer { extendLifetime(chainName) }
    try checkPlaceMembers(of: .insert)
    let existing = findChain(chainName.bytes)
    if let existing, let link = comeToLink(name, in: existing, at: now) {
      return try join(link, from: connection, at: now)
    }
    try refuseInClosed(existing, name)
    let neighbour = try findNeighbour(in: existing, chainName.string, for: connection, at: now)
    let defaults = defaultSettings
    let settings = try permitSettings(
      settingsOfLine(or: defaults), inForce: defaults, in: chainName.bytes, of: connection)
    try checkLimits(
      of: connection, patterns: settings.weight, isLasting: settings.isLasting)
    let chain = existing ?? makeChain(named: chainName.bytes)
    let mayPlace = mayPlace(connection, in: chainName.bytes)
    let rank = try makeRank(beside: neighbour, isAsked: mayPlace, in: chain, at: now)
    let link = makeLink(name, in: chain, rank: rank, settings)
    beginMetering(link)
    serveLink(link, by: connection, at: now)
    replyPlace(of: link, to: connection, at: now)
    announceInserted(link, by: connection, at: now)
  }

  /// An insert names a link that exists. The connection joins a shared link as another replica, or takes an empty
  /// place.
  private mutating func join(_ link: Slot<Link>, from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    var settings = try settingsOfLine(or: defaultSettings)
    if links[link].isDeclared {
      settings = takeDeclared(link, broughtBy: settings, isNew: true)
    } else {
      settings = try permitSettings(
        settings, inForce: links[link].settings, in: chains[links[link].chain].name.bytes, of: connection)
    }
    if links[link].isEmptyPlace {
      try checkTakingOver(
        settings, settings.weight, insteadOf: replaced(link, by: connection),
        isDeclared: links[link].isDeclared, by: connection)
      applySettings(settings, brought(to: link, isNew: true), to: link)
    } else {
      try checkShare(of: link, with: settings, from: connection)
      try checkTakingOver(
        settings, settings.weight, insteadOf: Replaced(links: 1),
        isDeclared: links[link].isDeclared, by: connection)
    }
    serveLink(link, by: connection, at: now)
    adoptOffers(for: links[link].lastReplica)
    replyPlace(of: link, to: connection, at: now)
    announceInserted(link, by: connection, at: now)
    passOnUnwanted(at: link, at: now)
    serveQueue(of: links.ref(link), at: now)
  }

  /// Refuses an insert that names an existing link, unless the link is shared, the connection does not serve it yet,
  /// and the settings are the same.
  private mutating func checkShare(
    of link: Slot<Link>, with settings: LinkSettings, from connection: Slot<Connection>
  ) throws(Fault) {
    let name = links[link].name.string
    let chain = chains[links[link].chain].name.string
    let isOther = links[link].mounted == .nobody && findReplica(of: link, on: connection) == nil
    guard isOther, settings.isShared, links[link].settings.isShared else {
      let mend =
        isOther && links[link].settings.isShared
        ? "use \"share\":true, or choose another name" : "choose another name, or replace it"
      throw Fault(.nameTaken, "the chain \"\(chain)\" already has a handler \"\(name)\"; \(mend)")
    }
    guard settings == links[link].settings else {
      throw Fault(
        .linkMismatch,
        "the handler \"\(name)\" of the chain \"\(chain)\" is shared with other settings; use the same settings")
    }
    guard links[link].connections >= self.settings.maxReplicas else { return }
    throw Fault(
      .limitReached,
      "the handler \"\(name)\" of the chain \"\(chain)\" is shared by \(links[link].connections) connections, and "
        + "\(self.settings.maxReplicas) are allowed (max_replicas); serve another link")
  }

  /// Throws if there is no room for one more link. `isLasting`: it stays, or may stay, when its connection goes.
  mutating func checkLimits(of connection: Slot<Connection>, patterns: Int, isLasting: Bool) throws(Fault) {
    if countedLinks >= settings.maxLinks {
      throw Fault(
        .limitReached, "there are \(settings.maxLinks) links, and no more are allowed (max_links); remove some")
    }
    try checkLinksOfIdentity(connection)
    try checkFreeShare(
      "links", has: connections[connection].serving.links, left: left(of: connection).links, more: 1,
      free: settings.maxLinks - countedLinks)
    if isLasting { try checkLasting(connection, patterns: patterns) }
    try checkPatterns(of: connection, new: patterns)
  }
}
