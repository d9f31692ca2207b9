/// The end of links. A link that has ended stays in its chain's order while a walk stands at it or may still reach it.
extension Router {
  /// Ends a link: it gets no offers, and walks that enter its chain from now on do not see it. Walks that wait at the
  /// link stay there; the caller sends them on. If a walk may still come to it, `account` pays for it until then.
  mutating func takeOut(
    _ link: Slot<Link>, _ fate: Link.Fate, paidBy account: Slot<PeerAccount> = .nobody, at now: Instant
  ) {
    let chain = links[link].chain
    if account != .nobody { accounts.beginEntry(of: account) }
    defer { if account != .nobody { endPaying(of: account) } }
    detachAll(of: link, at: now)
    fillPlace(link)
    dropHistory(of: link)
    endMetering(link)
    raiseVersion(of: chain)
    links[link].fate = fate
    links[link].end = version
    chains[chain].live -= 1
    linkOrder.setWeight(links[link].node, to: 0)
    if chains[chain].live == 0 { unlistChain(chain) }
    linkNames.remove(nameHash(links[link].name.bytes, in: chain), link)
    // If the link's policy lets walks continue, they pass it without cost, like a removed link. A traced walk has to
    // show it nevertheless.
    let isTold =
      links[link].settings.onFailure[.disconnect] || chains[chain].traced > 0 || links.contains(links[link].older)
    if fate == .lost, isTold, chains[chain].walks.count > 0 {
      links[link].isAwaited = true
      keepPatterns(of: link)
      chargeLink(link, to: account)
      chains[chain].lost.append(links.ref(link))
    } else {
      countedLinks -= 1
      removePatterns(of: link)
    }
  }

  /// A link is a mount of another chain.
  mutating func makeMount(of inner: Slot<Chain>, at link: Slot<Link>) {
    links[link].service = .mount(inner)
    chains[links[link].chain].mounts.append(link)
    chains[inner].mountedAt.append(link)
  }

  /// Ends a mount. The mounted chain may be empty then.
  mutating func takeOutMount(_ link: Slot<Link>, at now: Instant) {
    let (outer, inner) = (links[link].chain, links[link].mounted)
    takeOut(link, .removed, at: now)
    chains[outer].mounts.removeAll { $0 == link }
    chains[inner].mountedAt.removeAll { $0 == link }
    dischargeMount(link)
  }

  /// Releases an ended link and its chain if nothing needs them any more.
  mutating func finishTakingOut(_ ref: Ref<Link>) {
    guard links.contains(ref), links[ref.slot].fate != nil else { return }
    let chain = links[ref.slot].chain
    releaseIfUnused(ref.slot)
    forgetIfEmpty(chain)
  }

  /// A walk enters a chain, and sees this version of it.
  @inline(__always)
  mutating func countEntering(_ chain: Slot<Chain>, version: Int, with walk: Slot<Walk>) {
    chains[chain].walks.enter(version: version)
    if walks[walk].isTraced { chains[chain].traced += 1 }
  }

  /// The same for one that enters at the version of another walk that is there.
  mutating func countEnteringAgain(_ chain: Slot<Chain>, version: Int, with walk: Slot<Walk>) {
    chains[chain].walks.enterAgain(version: version)
    if walks[walk].isTraced { chains[chain].traced += 1 }
  }

  /// A walk leaves a chain. Lost links that only this walk could still reach are forgotten.
  @inline(__always)
  mutating func leaveChain(_ place: Walk.Place, with walk: Slot<Walk>) {
    let chain = place.chain
    if walks[walk].isTraced { chains[chain].traced -= 1 }
    guard chains[chain].walks.leave(version: place.entered) else { return }
    if !chains[chain].lost.isEmpty { forgetLost(in: chain) }
    if chains[chain].live == 0 { forgetIfEmpty(chain) }
  }

  /// Forgets lost links once all walks in the chain have entered after their end: some now, the rest in the next turns.
  private mutating func forgetLost(in chain: Slot<Chain>) {
    let oldest = chains[chain].walks.oldest ?? .max
    for _ in 0..<settings.pieces.size {
      guard let link = chains[chain].lost.first, links[link.slot].end <= oldest else { return }
      _ = chains[chain].lost.popFirst()
      removePatterns(of: link.slot)
      dischargeLink(link.slot)
      dropKeptPatterns(of: link.slot)
      links[link.slot].isAwaited = false
      countedLinks -= 1
      releaseIfUnused(link.slot)
    }
    tidyLater(chain)
  }

  /// Releases an ended link once no walk stands at it and none may still reach it.
  mutating func releaseIfUnused(_ link: Slot<Link>) {
    guard links[link].standing == 0, !links[link].isAwaited else { return }
    journalForgotten(link)
    meters.release(links[link].meters, most: settings.maxMetricLinks)
    linkOrder.remove(links[link].node, from: &chains[links[link].chain].order)
    links.remove(link)
  }

  /// Forgets a chain if it has no links, no chain mounts it, no walk is in it, none of its keys has a message under
  /// way, and no end waits for the record.
  mutating func forgetIfEmpty(_ chain: Slot<Chain>) {
    guard chains[chain].live == 0, chains[chain].walks.count == 0, chains[chain].mountedBy == 0,
      chains[chain].keys == 0, chains[chain].held == 0, chains[chain].order == .nobody, chains[chain].declaration == nil
    else { return }
    if dropAcceptLists(of: chain) { return tidyLater(chain) }
    chainNames.remove(chains[chain].name.bytes.hash(seed: settings.hashSeed), chain)
    if chain == mainChain { mainChain = .nobody }
    acceptLists.patterns.removeRoot(chains[chain].root)
    chains.remove(chain)
  }

  private mutating func tidyLater(_ chain: Slot<Chain>) {
    guard !chains[chain].isTidied else { return }
    chains[chain].isTidied = true
    beginJob(.tidy(chains.ref(chain)))
  }

  /// Goes on forgetting what a chain does not need any more.
  mutating func tidy(_ chain: Slot<Chain>) {
    chains[chain].isTidied = false
    forgetLost(in: chain)
    forgetIfEmpty(chain)
  }
}
