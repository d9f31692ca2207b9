/// The end of links. A link that has ended stays in its chain's order while a walk stands at it or may still reach it.
extension Router {
  /// Ends a link: it gets no offers, and walks that enter its chain from now on do not see it. Walks that wait at the
  /// link stay there; the caller sends them on.
  mutating func takeOut(_ link: Slot<Link>, _ fate: Link.Fate, at now: Instant) {
    let chain = links[link].chain
    detachAll(of: link, at: now)
    fillPlace(link)
    raiseVersion(of: chain)
    links[link].fate = fate
    links[link].end = version
    chains[chain].live -= 1
    linkNames.remove(nameHash(links[link].name.bytes, in: chain), link)
    // If the link's policy lets walks continue, they pass it without cost, like a removed link. A traced walk has to
    // show it nevertheless.
    let isTold = links[link].settings.onFailure[.disconnect] || chains[chain].traced > 0
    if fate == .lost, isTold, chains[chain].walks.count > 0 {
      links[link].isAwaited = true
      chains[chain].lost.append(links.ref(link))
    } else {
      countedLinks -= 1
      removePatterns(of: link)
    }
  }

  /// Releases an ended link and its chain if nothing needs them any more.
  mutating func finishTakingOut(_ ref: Ref<Link>) {
    guard links.contains(ref), links[ref.slot].fate != nil else { return }
    let chain = links[ref.slot].chain
    retireIfUnused(ref.slot)
    forgetIfEmpty(chain)
  }

  /// A walk leaves a chain. Lost links that only this walk could still reach are forgotten.
  @inline(__always)
  mutating func leaveChain(_ place: Walk.Place, with walk: Slot<Walk>) {
    let chain = place.chain
    if walks[walk].trace != .nobody { chains[chain].traced -= 1 }
    guard chains[chain].walks.leave(version: place.entered) else { return }
    if !chains[chain].lost.isEmpty { forgetLost(in: chain) }
    if chains[chain].live == 0 { forgetIfEmpty(chain) }
  }

  /// Forgets a lost link once all walks in the chain have entered after its end.
  private mutating func forgetLost(in chain: Slot<Chain>) {
    let oldest = chains[chain].walks.oldest ?? .max
    var count = 0
    while count < chains[chain].lost.count, links[chains[chain].lost[count].slot].end <= oldest { count += 1 }
    guard count > 0 else { return }
    let gone = chains[chain].lost[..<count]
    chains[chain].lost.removeFirst(count)
    dropAcceptLists(of: chain)
    for link in gone {
      removePatterns(of: link.slot)
      links[link.slot].isAwaited = false
      countedLinks -= 1
      retireIfUnused(link.slot)
    }
  }

  /// Releases an ended link once no walk stands at it and none may still reach it.
  mutating func retireIfUnused(_ link: Slot<Link>) {
    guard links[link].standing == 0, !links[link].isAwaited, !links[link].isRetired else { return }
    links[link].isRetired = true
    let chain = links[link].chain
    chains[chain].retired += 1
    if chains[chain].retired > 32, chains[chain].retired * 2 > chains[chain].order.count { tidyOrder(chain) }
  }

  /// Removes retired links from the chain's order. It removes many at once, so that each costs little in a long chain.
  mutating func tidyOrder(_ chain: Slot<Chain>) {
    guard chains[chain].retired > 0 else { return }
    var kept: [Slot<Link>] = []
    kept.reserveCapacity(chains[chain].order.count - chains[chain].retired)
    for link in chains[chain].order {
      if links[link].isRetired { links.remove(link) } else { kept.append(link) }
    }
    chains[chain].order = kept
    chains[chain].retired = 0
  }

  /// Forgets a chain if it has no links, no chain mounts it, no walk is in it or remembers it, and none of its keys has
  /// a message under way.
  mutating func forgetIfEmpty(_ chain: Slot<Chain>) {
    guard chains[chain].live == 0, chains[chain].walks.count == 0, chains[chain].mountedBy == 0,
      chains[chain].keys == 0, chains[chain].visits == 0
    else { return }
    tidyOrder(chain)
    guard chains[chain].order.isEmpty else { return }
    dropAcceptLists(of: chain)
    chainNames.remove(chains[chain].name.bytes.hash(seed: settings.hashSeed), chain)
    if chain == mainChain { mainChain = .nobody }
    acceptLists.patterns.removeRoot(chains[chain].root)
    chains.remove(chain)
  }
}
