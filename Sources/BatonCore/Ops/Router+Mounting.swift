/// `mount` and `unmount`: chains as links of other chains (contract, section 5).
extension Router {
  mutating func mountChain(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let outerName = request.chainName()
    let innerName = OwnedBytes(copying: request.text(.on))
    try checkPlaceMembers(of: .mount)
    let existing = findChain(outerName.bytes)
    if let existing, comeToLink(innerName.bytes, in: existing, at: now) != nil {
      throw Fault(
        .nameTaken,
        "the chain \"\(outerName.string)\" already has a link \"\(innerName.string)\"; unmount or remove it first")
    }
    try refuseInClosed(existing, innerName.bytes)
    let depth = try refuseCircle(outerName, innerName, for: connection)
    let neighbour = try findNeighbour(in: existing, outerName.string, for: connection, at: now)
    var settings = defaultSettings
    if let accepts = request.texts(.accepts) { settings.accepts = accepts }
    if let percent = request.integer(.percent) { settings.percent = percent }
    if request.has(.when) { settings.when = request.condition() }
    if let isTogether = request.flag(.together) { settings.isTogether = isTogether }
    try checkMounts(outerName, innerName, depth: depth)
    let patterns = settings.weight
    try checkLimits(of: connection, patterns: patterns, isLasting: true)

    let outer = existing ?? makeChain(named: outerName.bytes)
    let rank = try makeRank(beside: neighbour, in: outer, at: now)
    let inner = makeChain(named: innerName.bytes)
    let link = makeLink(innerName.bytes, in: outer, rank: rank, settings)
    makeMount(of: inner, at: link)
    chargeMount(link, to: connection)
    replyMount(outerName, innerName, link: link, to: connection, at: now)
    announceInserted(link, by: connection, at: now)
  }

  /// Refuses a mount that would be one too many in its chain, of the mounted chain, or behind other mounts.
  private mutating func checkMounts(
    _ outer: borrowing OwnedBytes, _ inner: borrowing OwnedBytes, depth: Int
  ) throws(Fault) {
    let most = settings.maxMounts
    if let chain = findChain(outer.bytes), chains[chain].mounts.count >= most {
      throw Fault(
        .limitReached,
        "the chain \"\(outer.string)\" has \(chains[chain].mounts.count) mounts, and \(most) are allowed (max_mounts); "
          + "unmount some")
    }
    if let chain = findChain(inner.bytes), chains[chain].mountedBy >= most {
      throw Fault(
        .limitReached,
        "the chain \"\(inner.string)\" is mounted in \(chains[chain].mountedBy) chains, and \(most) are allowed "
          + "(max_mounts); unmount it somewhere")
    }
    guard depth > settings.maxMountDepth else { return }
    throw Fault(
      .limitReached,
      "with the chain \"\(inner.string)\" in \"\(outer.string)\", \(depth) mounts would follow each other, and "
        + "\(settings.maxMountDepth) are allowed (max_mount_depth); unmount some")
  }

  mutating func unmountChain(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let outerName = request.chainName()
    let innerName = OwnedBytes(copying: request.text(.on))
    let link = try findMountOfLine()
    try refuseToChange(link)
    let inner = links[link].mounted
    let ref = links.ref(link)
    takeOutMount(link, at: now)
    announceRemoved(link, by: connection, at: now)
    replyMount(outerName, innerName, link: nil, to: connection, at: now)
    finishTakingOut(ref)
    forgetIfEmpty(inner)
  }

  /// The mount that the line names.
  mutating func findMountOfLine() throws(Fault) -> Slot<Link> {
    let outer = request.chainName()
    let inner = OwnedBytes(copying: request.text(.on))
    if let chain = findChain(outer.bytes), let link = findLink(inner.bytes, in: chain), links[link].mounted != .nobody {
      return link
    }
    throw Fault(
      .noSuchMount,
      "the chain \"\(inner.string)\" is not mounted on \"\(outer.string)\"; inspect shows what is mounted")
  }

  mutating func replyMount(
    _ outer: borrowing OwnedBytes, _ inner: borrowing OwnedBytes, link: Slot<Link>?, to connection: Slot<Connection>,
    at now: Instant
  ) {
    let position = link.map { livePosition(of: $0) }
    guard var writer = beginReply("ok", to: connection, atMost: 384) else { return }
    writer.literal(",\"chain\":")
    writer.text(outer.bytes)
    writer.literal(",\"on\":")
    writer.text(inner.bytes)
    if let link, let position {
      writer.literal(",\"rank\":")
      writer.number(links[link].rank)
      writer.literal(",\"position\":")
      writer.integer(position)
      writer.literal(",\"links\":")
      writer.integer(chains[links[link].chain].live)
    }
    writer.literal(",\"version\":")
    writer.integer(version)
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }
}
