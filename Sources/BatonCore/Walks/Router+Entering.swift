/// Walks enter and leave chains: the chain that a message was sent to, and the chains that are mounted there (contract,
/// section 5).
extension Router {
  /// The place of a walk that now enters a chain.
  @inline(__always)
  mutating func enterChain(_ chain: Slot<Chain>, with walk: Slot<Walk>) -> Walk.Place {
    let entered = chains[chain].version
    countEntering(chain, version: entered, with: walk)
    return Walk.Place(
      chain: chain, entered: entered, list: acceptList(of: walks[walk].message.topic, in: chain),
      revision: chains[chain].revision)
  }

  /// The walk enters the chain that is mounted at a link. If it has been in that chain before, it skips the mount. Returns
  /// true if a stage begins there.
  mutating func enterMount(_ link: Slot<Link>, with walk: Slot<Walk>, at now: Instant) -> Bool {
    let chain = links[link].mounted
    recordSteps(of: walk, before: walks[walk].hops)
    walks[walk].place.passed = links[link].order
    if !walks[walk].hasGoneThroughMounts { walks[walk].visited = [chains.ref(walks[walk].place.chain): true] }
    // Those of the file are few, and peers must not fill their room: a guard may be behind them.
    guard walks[walk].visited.count < PageStart.mostChains || links[link].isDeclared else {
      traceSkip(of: walk, past: link, "limit", at: now)
      return false
    }
    let isByFile = walks[walk].place.isByFile && links[link].isDeclared
    guard walks[walk].enters(chains.ref(chain), isByFile: isByFile) else {
      traceSkip(of: walk, past: link, "visited", at: now)
      return false
    }
    walks[walk].visited[chains.ref(chain)] = isByFile
    // The mount stays in its chain's order while a walk is in the mounted chain: the walk comes back to it.
    links[link].standing += 1
    paySender(Cost.list, of: walk)
    walks[walk].place.mount = link
    walks[walk].outer.append(walks[walk].place)
    walks[walk].place = enterChain(chain, with: walk)
    walks[walk].place.isByFile = isByFile
    walks[walk].forgetMarksOfLink()
    forgetPartialCount(of: walk)
    return links[link].settings.isTogether && !walks[walk].isInStage && walks[walk].mode != .notify
  }

  /// One place of a walk in a stage is in all the chains in which the walk is.
  mutating func copyWay(of walk: Slot<Walk>, to place: Slot<Walk>) {
    let outer = walks[walk].outer
    let visited = walks[walk].visited
    walks[place].outer = outer
    walks[place].visited = visited
    for chain in outer {
      countEnteringAgain(chain.chain, version: chain.entered, with: place)
      links[chain.mount].standing += 1
    }
    countEnteringAgain(walks[place].place.chain, version: walks[place].place.entered, with: place)
    spent &+= Cost.look &* outer.count
  }

  /// The walk leaves a mounted chain. Its place is then in the outer chain again, where the
  /// mount stood when it entered that chain.
  mutating func leaveMount(_ walk: Slot<Walk>) {
    leaveChain(walks[walk].place, with: walk)
    guard var place = walks[walk].outer.popLast() else { return }
    place.passed = links[placeSeen(of: place.mount, since: place.entered)].order
    leaveMountLink(place.mount)
    place.mount = .nobody
    walks[walk].place = place
    forgetPartialCount(of: walk)
  }

  private mutating func leaveMountLink(_ link: Slot<Link>) {
    links[link].standing -= 1
    if links[link].fate != nil { releaseIfUnused(link) }
  }

  /// A walk that ends leaves every chain that it is in, the innermost first.
  @inline(__always)
  mutating func leaveChains(_ walk: Slot<Walk>) {
    if walks[walk].hasGoneThroughMounts { while !walks[walk].isOutermost { leaveMount(walk) } }
    leaveChain(walks[walk].place, with: walk)
  }
}
