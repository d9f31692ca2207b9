/// `mount` and `unmount`: chains as links of other chains (contract, section 5).
extension Router {
  mutating func mountChain(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let outerName = request.chainName()
    let innerName = OwnedBytes(copying: request.text(.on))
    try checkPlaceMembers(of: .mount)
    let existing = findChain(outerName.bytes)
    if let existing, findLink(innerName.bytes, in: existing) != nil {
      throw Fault(
        .nameTaken,
        "the chain \"\(outerName.string)\" already has a link \"\(innerName.string)\"; unmount or remove it first")
    }
    try refuseCircle(outerName, innerName)
    let neighbour = try findNeighbour(in: existing, outerName.string)
    var settings = defaultSettings(isGuarded: false)
    if let accepts = request.texts(.accepts) { settings.accepts = accepts }
    try checkLimits(of: connection, patterns: 0)

    let outer = existing ?? makeChain(named: outerName.bytes)
    let inner = makeChain(named: innerName.bytes)
    chains[inner].mountedBy += 1
    let rank = makeRank(beside: neighbour, in: outer, at: now)
    let link = makeLink(innerName.bytes, in: outer, rank: rank, settings)
    links[link].service = .mount(inner)
    chains[outer].mounts.append(link)
    replyMount(outerName, innerName, link: link, to: connection, at: now)
    announceInserted(link, by: connection)
  }

  mutating func unmountChain(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let outerName = request.chainName()
    let innerName = OwnedBytes(copying: request.text(.on))
    guard let outer = findChain(outerName.bytes), let link = findLink(innerName.bytes, in: outer),
      links[link].mounted != .nobody
    else {
      throw Fault(
        .noSuchMount,
        "the chain \"\(innerName.string)\" is not mounted on \"\(outerName.string)\"; inspect shows what is mounted")
    }
    let inner = links[link].mounted
    let ref = links.ref(link)
    takeOut(link, .removed, at: now)
    announceRemoved(link, by: connection)
    chains[outer].mounts.removeAll { $0 == link }
    chains[inner].mountedBy -= 1
    replyMount(outerName, innerName, link: nil, to: connection, at: now)
    finishTakingOut(ref)
    forgetIfEmpty(inner)
  }

  private mutating func replyMount(
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
