/// `insert`, `replace` and `remove` (contract, section 5).
extension Router {
  mutating func insert(from connection: UInt32, at now: Instant) throws(Fault) {
    let name = reader.text(.handler)
    let chainName = chainNameOfLine()
    defer { extendLifetime(chainName) }
    try checkPlaceMembers()
    let existing = findChain(chainName.bytes)
    if let existing, findLink(name, in: existing) != nil {
      throw Fault(
        .nameTaken,
        "the chain \"\(chainName.string)\" has a handler \"\(name.string)\" already; choose another name, or replace it"
      )
    }
    let neighbour = try findNeighbour(in: existing, chainName.string)
    let settings = linkSettings(from: LinkSettings(window: self.settings.window))
    try checkLimits(of: connection, patterns: settings.accepts.count)
    let chain = existing ?? self.chain(named: chainName.bytes)
    let rank = makeRank(beside: neighbour, in: chain, at: now)
    raiseVersion(of: chain)
    arrivals += 1
    let link = links.insert(
      Link(chain: chain, name: name, rank: rank, arrival: arrivals, birth: version, settings: settings))
    chains[chain].order.insert(link, at: position(of: links[link].order, in: chain))
    chains[chain].live += 1
    linkNames.insert(nameHash(name, in: chain), link)
    insertEntries(of: link, for: connection)
    serve(link, by: connection, at: now)
    replyPlace(of: link, to: connection, at: now)
  }

  mutating func replace(from connection: UInt32, at now: Instant) throws(Fault) {
    let link = try findLinkOfLine()
    let chain = links[link].chain
    let newName = reader.has(.as) ? reader.text(.as) : links[link].name.bytes
    if let other = findLink(newName, in: chain), other != link {
      throw Fault(
        .nameTaken,
        "the chain \"\(chains[chain].name.string)\" has a handler \"\(newName.string)\" already; choose another name")
    }
    let settings = linkSettings(from: links[link].settings)
    let old = links[link].replica
    let isOwn = replicas[old].connection == connection
    try checkPatterns(of: connection, more: settings.accepts.count - (isOwn ? links[link].entries.count : 0))
    if !isOwn { tell(old, "replaced", newName: newName, by: connection, at: now) }
    detach(old, at: now)
    raiseVersion(of: chain)
    removeEntries(of: link)
    linkNames.remove(nameHash(links[link].name.bytes, in: chain), link)
    linkNames.insert(nameHash(newName, in: chain), link)
    links[link].name = OwnedBytes(copying: newName)
    links[link].settings = settings
    insertEntries(of: link, for: connection)
    serve(link, by: connection, at: now)
    // What it holds under the old settings counts against its window all the same.
    if isOwn, replicas.isTaken(old) { moveOffers(from: old, to: links[link].replica) }
    replyPlace(of: link, to: connection, at: now)
    passOnUnwanted(at: link, at: now)
    offerWaiting(at: link, at: now)
  }

  mutating func remove(from connection: UInt32, at now: Instant) throws(Fault) {
    let link = try findLinkOfLine()
    let replica = links[link].replica
    if replicas[replica].connection != connection { tell(replica, "removed", newName: nil, by: connection, at: now) }
    let name = OwnedBytes(copying: links[link].name.bytes)
    let chain = OwnedBytes(copying: chains[links[link].chain].name.bytes)
    let ref = links.ref(link)
    takeOut(link, .removed, at: now)
    replyRemoved(name, from: chain, to: connection, at: now)
    passOnWaiting(at: link, at: now)
    finishTakingOut(ref)
  }

  // MARK: What the line says

  private mutating func chainNameOfLine() -> OwnedBytes {
    reader.has(.chain) ? OwnedBytes(copying: reader.text(.chain)) : OwnedBytes("main")
  }

  private mutating func findLinkOfLine() throws(Fault) -> UInt32 {
    let name = reader.text(.handler)
    let chainName = chainNameOfLine()
    defer { extendLifetime(chainName) }
    let chain = findChain(chainName.bytes)
    if let chain, let link = findLink(name, in: chain) { return link }
    throw noSuchHandler(name.string, in: chain, chainName.string)
  }

  private mutating func noSuchHandler(_ name: String, in chain: UInt32?, _ chainName: String) -> Fault {
    guard let chain, chains[chain].live > 0 else {
      let nearest = nearestName(to: chainName, among: chainNames(atMost: 1000))
      let hint = nearest.map { "; did you mean the chain \"\($0)\"?" } ?? ""
      return Fault(.noSuchHandler, "there is no chain \"\(chainName)\", so no handler \"\(name)\" in it\(hint)")
    }
    let names = chains[chain].order.prefix(1000).filter { links[$0].fate == nil }.map { links[$0].name.string }
    let hint = nearestName(to: name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    return Fault(.noSuchHandler, "the chain \"\(chainName)\" has no handler \"\(name)\"\(hint)")
  }

  private mutating func chainNames(atMost most: UInt32) -> [String] {
    (0..<min(chains.extent, most)).filter { chains.isTaken($0) }.map { chains[$0].name.string }
  }

  /// At most one of the four ways to say the place.
  private mutating func checkPlaceMembers() throws(Fault) {
    let given = [Member.at, .before, .after, .rank].filter { reader.has($0) }.map { "\"\($0.spelling)\"" }
    guard given.count > 1 else { return }
    throw Fault(
      .badMember,
      "insert takes at most one of at, before, after and rank; this one has \(given.joined(separator: " and "))")
  }

  /// The link that `before` or `after` names.
  private mutating func findNeighbour(in chain: UInt32?, _ chainName: String) throws(Fault) -> UInt32? {
    guard reader.has(.before) || reader.has(.after) else { return nil }
    let name = reader.text(reader.has(.before) ? .before : .after)
    if let chain, let link = findLink(name, in: chain) { return link }
    throw noSuchHandler(name.string, in: chain, chainName)
  }

  private mutating func linkSettings(from defaults: LinkSettings) -> LinkSettings {
    var settings = defaults
    if let accepts = reader.texts(.accepts) { settings.accepts = accepts }
    if let timeout = reader.integer(.timeoutMilliseconds) { settings.timeoutMilliseconds = timeout }
    if let window = reader.integer(.window) { settings.window = window }
    return settings
  }

  private mutating func checkLimits(of connection: UInt32, patterns: Int) throws(Fault) {
    if links.count >= settings.maxLinks {
      throw Fault(.limitReached, "there are \(settings.maxLinks) links, the most allowed (max_links); remove some")
    }
    try checkPatterns(of: connection, more: patterns)
  }

  // MARK: Replies and notices

  private mutating func replyPlace(of link: UInt32, to connection: UInt32, at now: Instant) {
    guard reader.wantsReply else { return }
    let id = reader.id(isOffer: false)
    let chain = links[link].chain
    let position = livePosition(of: link)
    let replica = links[link].replica
    var writer = line(to: connection, atMost: 256 + id.count + replicas[replica].label.count)
    writer.literal("{\"op\":\"ok\"")
    Router.writeID(id, to: &writer)
    writer.literal(",")
    writer.raw(replicas[replica].label.bytes)
    writer.literal(",\"rank\":")
    writer.number(links[link].rank)
    writer.literal(",\"position\":")
    writer.integer(position)
    writer.literal(",\"links\":")
    writer.integer(chains[chain].live)
    writer.literal(",\"version\":")
    writer.integer(chains[chain].version)
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  private mutating func replyRemoved(
    _ name: borrowing OwnedBytes, from chain: borrowing OwnedBytes, to connection: UInt32, at now: Instant
  ) {
    guard reader.wantsReply else { return }
    let id = reader.id(isOffer: false)
    let label = LinkLabel(chain: chain.bytes, name: name.bytes)
    var writer = line(to: connection, atMost: 128 + id.count + label.count)
    writer.literal("{\"op\":\"ok\"")
    Router.writeID(id, to: &writer)
    writer.literal(",")
    writer.raw(label.bytes)
    writer.literal(",\"version\":")
    writer.integer(version)
    writer.literal("}\n")
    extendLifetime(label)
    commit(writer, to: connection, at: now)
  }

  /// Tells who served a link what another connection has done to it.
  private mutating func tell(
    _ replica: UInt32, _ op: StaticString, newName: UnsafeRawBufferPointer?, by: UInt32, at now: Instant
  ) {
    let owner = replicas[replica].connection
    var writer = line(
      to: owner, atMost: 256 + replicas[replica].label.count + connections[by].from.count)
    writer.literal("{\"op\":\"")
    writer.literal(op)
    writer.literal("\",")
    writer.raw(replicas[replica].label.bytes)
    if let newName, !links[replicas[replica].link.index].name.bytes.equals(newName) {
      writer.literal(",\"as\":")
      writer.text(newName)
    }
    Router.writeBy(connections[by].from.bytes, to: &writer)
    writer.literal("}\n")
    commit(writer, to: owner, at: now)
  }
}
