/// How many links share the time that is left to a message (contract, section 5).
extension Router {
  /// When the time of a link that the walk comes to now is over, if the link has no time of its own: the links ahead
  /// share the rest of the message's time equally, with at least 1 ms each.
  @inline(__always)
  mutating func shareEnd(of walk: Slot<Walk>, at now: Instant) -> Instant {
    let remaining = walks[walk].deadline.microseconds - now.microseconds
    return Instant(microseconds: now.microseconds + max(1000, remaining / Int64(linksAhead(of: walk))))
  }

  /// The number of links that share the time that is left: the link that the walk comes to and all behind it, through
  /// mounts, without shadows.
  @inline(__always)
  private mutating func linksAhead(of walk: Slot<Walk>) -> Int {
    let place = walks[walk].place
    if walks[walk].isOutermost, chains[place.chain].version == place.entered, chains[place.chain].lost.isEmpty,
      acceptLists[place.list.slot].isPlain
    {
      return acceptLists[place.list.slot].links.count - place.position
    }
    // They are counted again only if a chain has changed. So a walk through a chain of mounts is not quadratic.
    if walks[walk].ahead.version == version {
      walks[walk].ahead.links -= 1
    } else {
      walks[walk].ahead = (max(1, countAhead(of: walk)), version)
    }
    return max(1, walks[walk].ahead.links)
  }

  private mutating func countAhead(of walk: Slot<Walk>) -> Int {
    let topic = walks[walk].message.topic
    var seen = walks[walk].visited
    seen.insert(walks[walk].place.chain)
    var ahead = 0
    var mounted: [Slot<Chain>] = []
    for place in walks[walk].outer + [walks[walk].place] {
      let list = acceptList(of: topic, in: place.chain)
      // In the innermost chain, the link that the walk comes to now is not yet passed, so it counts. In an outer chain,
      // the links behind the mount count, by the mount's present rank.
      let passed = place.mount == .nobody ? place.passed : links[place.mount].order
      for link in acceptLists[list.slot].links where links[link].fate == nil && links[link].birth <= place.entered {
        if let passed, links[link].order <= passed { continue }
        addAhead(link, &ahead, &mounted, &seen)
      }
    }
    while let chain = mounted.popLast() {
      let list = acceptList(of: topic, in: chain)
      for link in acceptLists[list.slot].links where links[link].fate == nil { addAhead(link, &ahead, &mounted, &seen) }
    }
    return ahead
  }

  private mutating func addAhead(
    _ link: Slot<Link>, _ ahead: inout Int, _ mounted: inout [Slot<Chain>], _ seen: inout Set<Slot<Chain>>
  ) {
    let chain = links[link].mounted
    if chain == .nobody {
      if !links[link].settings.isShadow { ahead += 1 }
    } else if seen.insert(chain).inserted {
      mounted.append(chain)
    }
  }
}
