/// `insert`, `replace` and `remove` (contract, section 5).
extension Router {
  mutating func insert(from connection: UInt32, at now: Instant) throws(Fault) {
    let name = reader.text(.handler)
    let chainName = chainNameOfLine()
    defer { extendLifetime(chainName) }
    try checkPlaceMembers(of: .insert)
    let existing = findChain(chainName.bytes)
    if let existing, let link = findLink(name, in: existing) {
      return try join(link, from: connection, at: now)
    }
    let neighbour = try findNeighbour(in: existing, chainName.string)
    let settings = try settingsOfLine(or: defaults(isGuarded: false))
    try checkLimits(of: connection, patterns: Router.weight(of: settings.accepts))
    let chain = existing ?? self.chain(named: chainName.bytes)
    let rank = makeRank(beside: neighbour, in: chain, at: now)
    let link = makeLink(name, in: chain, rank: rank, settings)
    serve(link, by: connection, at: now)
    replyPlace(of: link, to: connection, at: now)
    announceInserted(link, by: connection)
  }

  /// Makes a link that nobody serves yet.
  mutating func makeLink(
    _ name: UnsafeRawBufferPointer, in chain: UInt32, rank: Double, _ settings: LinkSettings
  ) -> UInt32 {
    raiseVersion(of: chain)
    arrivals += 1
    let link = links.insert(
      Link(chain: chain, name: name, rank: rank, arrival: arrivals, birth: version, settings: settings))
    chains[chain].order.insert(link, at: position(of: links[link].order, in: chain))
    chains[chain].live += 1
    countedLinks += 1
    linkNames.insert(nameHash(name, in: chain), link)
    insertEntries(of: link)
    return link
  }

  /// An insert that names a link which is there: another replica of a shared one, or the next to serve a place that is
  /// held.
  private mutating func join(_ link: UInt32, from connection: UInt32, at now: Instant) throws(Fault) {
    let settings = try settingsOfLine(or: defaults(isGuarded: links[link].isGuarded))
    if links[link].isEmptyPlace {
      try checkPatterns(of: connection, more: Router.weight(of: settings.accepts))
      apply(settings, to: link)
    } else {
      try checkShare(of: link, with: settings, from: connection)
      try checkPatterns(of: connection, more: Router.weight(of: settings.accepts))
    }
    serve(link, by: connection, at: now)
    adoptOffers(for: links[link].lastReplica)
    replyPlace(of: link, to: connection, at: now)
    announceInserted(link, by: connection)
    passOnUnwanted(at: link, at: now)
    goOn(at: links.ref(link), at: now)
  }

  /// Whether a connection may serve a link beside others.
  private mutating func checkShare(of link: UInt32, with settings: LinkSettings, from connection: UInt32) throws(Fault)
  {
    let name = links[link].name.string
    let chain = chains[links[link].chain].name.string
    let isOther = links[link].mounted == .nobody && replica(of: link, on: connection) == nil
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
  }

  /// Gives a link other settings; what is worked out of its chain is worked out anew.
  private mutating func apply(_ settings: LinkSettings, to link: UInt32) {
    raiseVersion(of: links[link].chain)
    removeEntries(of: link)
    links[link].settings = settings
    insertEntries(of: link)
  }

  mutating func replace(from connection: UInt32, at now: Instant) throws(Fault) {
    let link = try findLinkOfLine()
    let chain = links[link].chain
    let newName = reader.has(.as) ? reader.text(.as) : links[link].name.bytes
    if let other = findLink(newName, in: chain), other != link {
      throw Fault(
        .nameTaken,
        "the chain \"\(chains[chain].name.string)\" already has a handler \"\(newName.string)\"; choose another name")
    }
    let settings = try settingsOfLine(or: links[link].settings)
    let own = replica(of: link, on: connection)
    try checkPatterns(
      of: connection, more: Router.weight(of: settings.accepts) - (own.map { replicas[$0].patterns } ?? 0))
    detachAll(of: link, at: now) { router, replica in
      if replica != own { router.tell(replica, "replaced", newName: newName, by: connection, at: now) }
    }
    let oldName = links[link].name.string
    rename(link, to: newName)
    apply(settings, to: link)
    serve(link, by: connection, at: now)
    // What it holds under the old settings counts against its window all the same.
    adoptOffers(for: links[link].lastReplica)
    replyPlace(of: link, to: connection, at: now)
    announceReplaced(link, named: oldName, by: connection)
    passOnUnwanted(at: link, at: now)
    goOn(at: links.ref(link), at: now)
  }

  private mutating func rename(_ link: UInt32, to name: UnsafeRawBufferPointer) {
    if links[link].name.bytes.equals(name) { return }
    let chain = links[link].chain
    linkNames.remove(nameHash(links[link].name.bytes, in: chain), link)
    linkNames.insert(nameHash(name, in: chain), link)
    links[link].name = OwnedBytes(copying: name)
  }

  mutating func remove(from connection: UInt32, at now: Instant) throws(Fault) {
    let ref = links.ref(try findLinkOfLine())
    let link = ref.index
    let name = OwnedBytes(copying: links[link].name.bytes)
    let chain = OwnedBytes(copying: chains[links[link].chain].name.bytes)
    let own = replica(of: link, on: connection)
    if let own, replicas[own].previousAtLink != .nobody || replicas[own].nextAtLink != .nobody {
      // One replica of several goes; the link stays.
      detach(own, at: now)
      replyRemoved(name, from: chain, version: chains[links[link].chain].version, to: connection, at: now)
      announceRemoved(link, by: connection)
      return goOn(at: ref, at: now)
    }
    if own == nil {
      detachAll(of: link, at: now) { router, replica in
        router.tell(replica, "removed", newName: nil, by: connection, at: now)
      }
    }
    takeOut(link, .removed, at: now)
    replyRemoved(name, from: chain, version: version, to: connection, at: now)
    announceRemoved(link, by: connection)
    passOnWaiting(at: link, at: now)
    finishTakingOut(ref)
  }

  // MARK: What the line says

  mutating func chainNameOfLine() -> OwnedBytes {
    reader.has(.chain) ? OwnedBytes(copying: reader.text(.chain)) : OwnedBytes("main")
  }

  /// The handlers' link that the line names.
  private mutating func findLinkOfLine() throws(Fault) -> UInt32 {
    let name = reader.text(.handler)
    let chainName = chainNameOfLine()
    defer { extendLifetime(chainName) }
    let chain = findChain(chainName.bytes)
    if let chain, let link = findLink(name, in: chain), links[link].mounted == .nobody { return link }
    throw noSuchHandler(name.string, in: chain, chainName.string)
  }

  private mutating func noSuchHandler(_ name: String, in chain: UInt32?, _ chainName: String) -> Fault {
    guard let chain, chains[chain].live > 0 else {
      let nearest = nearestName(to: chainName, among: chainNames(atMost: 50))
      let hint = nearest.map { "; did you mean the chain \"\($0)\"?" } ?? ""
      return Fault(.noSuchHandler, "there is no chain \"\(chainName)\", so it has no handler \"\(name)\"\(hint)")
    }
    // A typing error is not worth more: the nearest of the first fifty.
    let names = chains[chain].order.prefix(50).filter { links[$0].fate == nil }.map { links[$0].name.string }
    let hint = nearestName(to: name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
    return Fault(.noSuchHandler, "the chain \"\(chainName)\" has no handler \"\(name)\"\(hint)")
  }

  private mutating func chainNames(atMost most: UInt32) -> [String] {
    (0..<min(chains.extent, most)).filter { chains.isTaken($0) && chains[$0].live > 0 }.map { chains[$0].name.string }
  }

  /// At most one of the four ways to say the place.
  mutating func checkPlaceMembers(of op: Op) throws(Fault) {
    let given = [Member.at, .before, .after, .rank].filter { reader.has($0) }.map { "\"\($0.spelling)\"" }
    guard given.count > 1 else { return }
    throw Fault(
      .badMember,
      "\(op.spelling) takes at most one of at, before, after and rank; this request has "
        + given.joined(separator: " and "))
  }

  /// The link that `before` or `after` names.
  mutating func findNeighbour(in chain: UInt32?, _ chainName: String) throws(Fault) -> UInt32? {
    guard reader.has(.before) || reader.has(.after) else { return nil }
    let name = reader.text(reader.has(.before) ? .before : .after)
    if let chain, let link = findLink(name, in: chain) { return link }
    throw noSuchHandler(name.string, in: chain, chainName)
  }

  /// The settings that the line gives; what it leaves out is as in `defaults`.
  mutating func settingsOfLine(or defaults: LinkSettings) throws(Fault) -> LinkSettings {
    var settings = defaults
    if let accepts = reader.texts(.accepts) { settings.accepts = accepts }
    if let timeout = reader.integer(.timeoutMilliseconds) { settings.timeoutMilliseconds = timeout }
    if let window = reader.integer(.window) { settings.window = window }
    if let policy = try reader.failurePolicy() { settings.onFailure = policy }
    if let hold = reader.integer(.holdMilliseconds) { settings.holdMilliseconds = hold }
    if let isShared = reader.flag(.share) { settings.isShared = isShared }
    if let isRequired = reader.flag(.required) { settings.isRequired = isRequired }
    if let isShadow = reader.flag(.shadow) { settings.isShadow = isShadow }
    return settings
  }

  mutating func checkLimits(of connection: UInt32, patterns: Int) throws(Fault) {
    if countedLinks >= settings.maxLinks {
      throw Fault(
        .limitReached, "there are \(settings.maxLinks) links, and no more are allowed (max_links); remove some")
    }
    try checkPatterns(of: connection, more: patterns)
  }

  // MARK: Replies and notices

  private mutating func replyPlace(of link: UInt32, to connection: UInt32, at now: Instant) {
    let chain = links[link].chain
    let position = livePosition(of: link)
    let replica = links[link].lastReplica
    guard var writer = beginReply("ok", to: connection, atMost: 256 + replicas[replica].label.count) else { return }
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
    _ name: borrowing OwnedBytes, from chain: borrowing OwnedBytes, version: Int, to connection: UInt32,
    at now: Instant
  ) {
    let label = LinkLabel(chain: chain.bytes, name: name.bytes)
    guard var writer = beginReply("ok", to: connection, atMost: 128 + label.count) else { return }
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
