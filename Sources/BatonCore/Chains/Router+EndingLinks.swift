/// The end of a link. A link that has ended stays in its chain's order as long as a walk stands at it or may still come
/// by.
extension Router {
  /// Ends a link: no walk that enters its chain from now on sees it, and it takes no offers. Those that wait there
  /// still do: the caller sends them on.
  mutating func takeOut(_ link: Slot<Link>, _ fate: Link.Fate, at now: Instant) {
    let chain = links[link].chain
    detachAll(of: link, at: now)
    fillPlace(link)
    raiseVersion(of: chain)
    links[link].fate = fate
    links[link].end = version
    chains[chain].live -= 1
    linkNames.remove(nameHash(links[link].name.bytes, in: chain), link)
    // One that lets the walk go on anyway is passed over like a removed one, at no cost, unless a trace is to tell it.
    let isTold = links[link].settings.onFailure[.disconnect] || chains[chain].traced > 0
    if fate == .lost, isTold, chains[chain].walks.count > 0 {
      links[link].isAwaited = true
      chains[chain].lost.append(links.ref(link))
    } else {
      countedLinks -= 1
      removePatterns(of: link)
    }
  }

  /// Lets an ended link and its chain go if nothing is left that needs them.
  mutating func finishTakingOut(_ ref: Ref<Link>) {
    guard links.contains(ref), links[ref.slot].fate != nil else { return }
    let chain = links[ref.slot].chain
    retireIfUnused(ref.slot)
    forgetIfEmpty(chain)
  }

  /// A walk leaves its chain: links that only it could still have come by are forgotten.
  @inline(__always)
  mutating func leaveChain(_ place: Walk.Place, with walk: Slot<Walk>) {
    let chain = place.chain
    if walks[walk].trace != .nobody { chains[chain].traced -= 1 }
    guard chains[chain].walks.leave(version: place.entered) else { return }
    if !chains[chain].lost.isEmpty { forgetLost(in: chain) }
    if chains[chain].live == 0 { forgetIfEmpty(chain) }
  }

  /// Links lost with their connection are forgotten once all walks in the chain have entered after that.
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

  /// Lets an ended link go once no walk stands at it or may still come by.
  mutating func retireIfUnused(_ link: Slot<Link>) {
    guard links[link].standing == 0, !links[link].isAwaited, !links[link].isRetired else { return }
    links[link].isRetired = true
    let chain = links[link].chain
    chains[chain].retired += 1
    if chains[chain].retired > 32, chains[chain].retired * 2 > chains[chain].order.count { tidyOrder(chain) }
  }

  /// Takes retired links out of the chain's order: many at once, so that each costs little however long the chain is.
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

  /// Forgets a chain that has no links, and that no walk is in.
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
