/// How many links share what is left of a message's time (contract, section 6).
extension Router {
  /// The links that share what is left of the message's time: those ahead, the one at the walk's position included,
  /// through mounts, shadows left out.
  @inline(__always)
  mutating func linksAhead(of walk: Slot<Walk>) -> Int {
    let place = walks[walk].place
    if walks[walk].isOutermost, chains[place.chain].version == place.entered, chains[place.chain].lost.isEmpty,
      acceptLists[place.list.slot].isPlain
    {
      return acceptLists[place.list.slot].links.count - place.position
    }
    // Counted anew only when something has changed anywhere: walking through a chain of mounts is not quadratic.
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
      // The last link that it came by, with its rank of now; the one that it comes to now still counts.
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
