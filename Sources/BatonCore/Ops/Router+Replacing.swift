/// `replace` and `remove` (contract, section 5).
extension Router {
  mutating func replaceLink(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let link = try findLinkOfLine(of: connection, at: now)
    let chain = links[link].chain
    let newName = request.has(.as) ? request.text(.as) : links[link].name.bytes
    var settings = try settingsOfLine(or: links[link].settings)
    if links[link].isDeclared {
      settings = takeDeclared(link, broughtBy: settings, isNew: false)
    } else {
      settings = try permitSettings(
        settings, inForce: links[link].settings, in: chains[chain].name.bytes, of: connection)
    }
    try refuseToRename(link, to: newName)
    if let other = comeToLink(newName, in: chain, at: now), other != link {
      throw Fault(
        .nameTaken,
        "the chain \"\(chains[chain].name.string)\" already has a handler \"\(newName.string)\"; choose another name")
    }
    let own = findReplica(of: link, on: connection)
    try checkTakingOver(
      settings, settings.weight, insteadOf: replaced(link, by: connection),
      isDeclared: links[link].isDeclared, by: connection)
    tellAll(of: link, but: own, "replaced", newName: newName, by: connection, at: now)
    detachAll(of: link, at: now)
    let oldName = links[link].name.string
    renameLink(link, to: newName)
    applySettings(settings, brought(to: link, isNew: false), to: link)
    serveLink(link, by: connection, at: now)
    // Open offers that it got under the old settings count against its window, too.
    adoptOffers(for: links[link].lastReplica)
    replyPlace(of: link, to: connection, at: now)
    announceReplaced(link, named: oldName, by: connection, at: now)
    passOnUnwanted(at: link, at: now)
    serveQueue(of: links.ref(link), at: now)
  }

  mutating func removeLink(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let ref = links.ref(try findLinkOfLine(of: connection, at: now))
    let link = ref.slot
    let name = OwnedBytes(copying: links[link].name.bytes)
    let chain = OwnedBytes(copying: chains[links[link].chain].name.bytes)
    let own = findReplica(of: link, on: connection)
    try refuseToRemove(link, isServing: own != nil)
    if let own, replicas[own].previousAtLink != .nobody || replicas[own].nextAtLink != .nobody {
      // One of several replicas leaves. The link stays.
      detachReplica(own, at: now)
      replyRemoved(name, from: chain, version: chains[links[link].chain].version, to: connection, at: now)
      announceRemoved(link, by: connection, at: now)
      return serveQueue(of: ref, at: now)
    }
    if links[link].isDeclared { return leaveDeclaredPlace(link, name, chain, by: connection, at: now) }
    if own == nil { tellAll(of: link, but: nil, "removed", newName: nil, by: connection, at: now) }
    takeOut(link, .removed, at: now)
    replyRemoved(name, from: chain, version: version, to: connection, at: now)
    announceRemoved(link, by: connection, at: now)
    if passOnWaiting(at: ref, at: now) { beginJob(.passOn(ref)) } else { finishTakingOut(ref) }
  }

  /// The last handler of a declared link leaves it. The place is kept, as if the connection were lost.
  private mutating func leaveDeclaredPlace(
    _ link: Slot<Link>, _ name: borrowing OwnedBytes, _ chain: borrowing OwnedBytes, by connection: Slot<Connection>,
    at now: Instant
  ) {
    detachAll(of: link, at: now)
    _ = leaveEmpty(of: link, leftBy: connection, at: now)
    replyRemoved(name, from: chain, version: chains[links[link].chain].version, to: connection, at: now)
    announceHeld(link, by: connection, isLost: false, at: now)
    if links[link].isAbsent { failAllWaiting(at: links.ref(link), at: now) }
  }

  private mutating func replyRemoved(
    _ name: borrowing OwnedBytes, from chain: borrowing OwnedBytes, version: Int, to connection: Slot<Connection>,
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
    commitLine(writer, to: connection, at: now)
  }

  /// Tells every connection that serves a link, except one, what another peer has done to the link.
  private mutating func tellAll(
    of link: Slot<Link>, but own: Slot<Replica>?, _ op: StaticString, newName: UnsafeRawBufferPointer?,
    by: Slot<Connection>, at now: Instant
  ) {
    var replica = links[link].firstReplica
    while replica != .nobody {
      if replica != own { tell(replica, op, newName: newName, by: by, at: now) }
      replica = replicas[replica].nextAtLink
    }
  }

  private mutating func tell(
    _ replica: Slot<Replica>, _ op: StaticString, newName: UnsafeRawBufferPointer?, by: Slot<Connection>,
    at now: Instant
  ) {
    let owner = replicas[replica].connection
    var writer = beginLine(
      to: owner, atMost: 256 + replicas[replica].label.count + connections[by].from.count)
    writer.literal("{\"op\":\"")
    writer.literal(op)
    writer.literal("\",")
    writer.raw(replicas[replica].label.bytes)
    if let newName, !links[replicas[replica].link.slot].name.bytes.equals(newName) {
      writer.literal(",\"as\":")
      writer.text(newName)
    }
    writer.by(connections[by].from.bytes)
    writer.literal("}\n")
    commitLine(writer, to: owner, at: now)
  }
}
