/// What a sender may not see of mounted chains: their mount stands in place of their links (contract, section 11).
extension Router {
  /// The outermost mount on the walk's way behind which the sender may not see; `nobody` if it may see where the walk
  /// is. It is looked up each time: nothing is remembered past a reload.
  @inline(__always)
  mutating func veil(of walk: Slot<Walk>) -> Slot<Link> {
    guard identities.isAsked, walks[walk].hasGoneThroughMounts, !walks[walk].isOutermost else { return .nobody }
    return findVeil(of: walk)
  }

  @inline(never)
  private mutating func findVeil(of walk: Slot<Walk>) -> Slot<Link> {
    let sender = walks[walk].sender
    if walks[walk].attempt != .nobody {
      for place in walks[walk].outer where !durableSenderSees(links[place.mount].mounted, walk) { return place.mount }
      return .nobody
    }
    guard connections.contains(sender), !seesEverything(sender.slot) else { return .nobody }
    for place in walks[walk].outer where !maySee(links[place.mount].mounted, sender.slot) { return place.mount }
    return .nobody
  }

  /// Whether the sender of a stored message may see a chain. It may have gone long ago: its name tells who it is.
  private mutating func durableSenderSees(_ chain: Slot<Chain>, _ walk: Slot<Walk>) -> Bool {
    guard let identity = identities.find(DurableFrom.identity(walks[walk].message.from)) else { return false }
    spent &+= Cost.look
    return identities[identity].allows(.see, chain: chains[chain].name.bytes)
  }

  /// The name of a veil, as a JSON string.
  mutating func nameOfVeil(_ veil: Slot<Link>) -> OwnedBytes { OwnedBytes("\"\(links[veil].name.string)\"") }

  /// Whether the sender may know what handlers say when they fail, in the chain where the walk is.
  mutating func maySenderRead(_ walk: Slot<Walk>) -> Bool {
    guard identities.isAsked else { return true }
    let sender = walks[walk].sender
    if walks[walk].attempt != .nobody { return durableSenderSees(walks[walk].place.chain, walk) }
    return connections.contains(sender) && maySee(walks[walk].place.chain, sender.slot)
  }

  /// The entry of a trace that stands in place of what is behind a veil.
  /// Empty if the sender may see where the walk is.
  mutating func veilText(of walk: Slot<Walk>) -> [UInt8] {
    let veil = veil(of: walk)
    return veil == .nobody ? [] : Array("{\(placeText(of: veil)),\"hidden\":true}".utf8)
  }
}
