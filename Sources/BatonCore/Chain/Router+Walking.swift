/// The way of a message along the links of its chain, and of those mounted in it (contract, section 5).
///
/// A walk goes on until it stands at a link or has come to the end. What settles a place at a link (a verdict, time, a
/// lost connection, a removal) makes it leave and walk on.
extension Router {
  /// Goes on from the link at which the walk stands, or enters at the first.
  mutating func walkOn(_ walk: UInt32, at now: Instant) {
    let link = walks[walk].link
    if isOver(walk, at: now), link != .nobody {
      // Time has passed it by in this very turn, before its timer's.
      let by = nameAsked(.nobody, at: link)
      leave(walk)
      end(walk, .timeout, by: by.bytes, at: now)
      return extendLifetime(by)
    }
    leave(walk)
    while let next = nextLink(of: walk, at: now) {
      if reach(next, by: walk, at: now) { return }
      walks[walk].place.passed = links[next].order
    }
    if walks[walk].mode.isBroadcast { return publish(walk, at: now) }
    if walks[walk].hasNoResults { return end(walk, .unhandled, by: .empty, at: now) }
    let by = OwnedBytes(copying: walks[walk].results.lastBy.bytes)
    let payload = walks[walk].results.lastPayload.bytes
    end(walk, .handled(payload: payload), by: by.bytes, at: now)
    extendLifetime(by)
  }

  /// The place of a walk that enters a chain now.
  @inline(__always)
  mutating func enter(_ chain: UInt32, with walk: UInt32) -> Walk.Place {
    let entered = chains[chain].version
    chains[chain].snapshots.enter(version: entered)
    if walks[walk].trace != .nobody { chains[chain].traced += 1 }
    return Walk.Place(chain: chain, entered: entered, list: list(of: walks[walk].message.topic, in: chain))
  }

  /// The next handlers' link for the message, as each chain stood when the walk entered it.
  @inline(__always)
  private mutating func nextLink(of walk: UInt32, at now: Instant) -> UInt32? {
    while true {
      let next = nextInPlace(of: walk)
      if walks[walk].trace != .nobody { traceUnwanted(by: walk, before: next, at: now) }
      guard let link = next else {
        if walks[walk].isOutermost { return nil }
        leaveMount(walk)
        continue
      }
      if links[link].mounted == .nobody { return link }
      enterMount(link, with: walk, at: now)
    }
  }

  /// The next link of the chain that the walk is in: those inserted since it entered are not visited, those removed
  /// since are skipped.
  @inline(__always)
  private mutating func nextInPlace(of walk: UInt32) -> UInt32? {
    let list = currentList(for: walk)
    while true {
      walks[walk].place.position += 1
      let position = walks[walk].place.position
      guard position < lists[list].links.count else { return nil }
      let link = lists[list].links[position]
      if isVisited(link, since: walks[walk].place.entered) { return link }
    }
  }

  /// Whether a link was there at a version, and was not taken out since.
  @inline(__always)
  private mutating func isVisited(_ link: UInt32, since entered: Int) -> Bool {
    guard links[link].birth <= entered else { return false }
    guard let fate = links[link].fate else { return true }
    return fate == .lost && links[link].end > entered
  }

  /// The walk's list of links; where the chain has changed, the list as it is now, and the walk's position in it.
  @inline(__always)
  private mutating func currentList(for walk: UInt32) -> UInt32 {
    if lists.contains(walks[walk].place.list) { return walks[walk].place.list.index }
    let list = list(of: walks[walk].message.topic, in: walks[walk].place.chain)
    walks[walk].place.list = list
    var position = -1
    if let passed = walks[walk].place.passed {
      var (low, high) = (0, lists[list.index].links.count)
      while low < high {
        let middle = (low + high) / 2
        if links[lists[list.index].links[middle]].order <= passed { low = middle + 1 } else { high = middle }
      }
      position = low - 1
    }
    walks[walk].place.position = position
    return list.index
  }

  // MARK: Mounts

  /// Goes on into the chain that is mounted at a link, unless the message has been there: a message enters each chain
  /// once.
  private mutating func enterMount(_ link: UInt32, with walk: UInt32, at now: Instant) {
    let chain = links[link].mounted
    walks[walk].place.passed = links[link].order
    if !walks[walk].hasGoneThroughMounts { walks[walk].visited = [walks[walk].place.chain] }
    guard !walks[walk].visited.contains(chain) else {
      return traceSkip(of: walk, past: link, "visited", at: now)
    }
    walks[walk].visited.insert(chain)
    chains[chain].visits += 1
    // The mount stays in its chain's order as long as a walk is behind it: it is where that walk comes back to.
    links[link].standing += 1
    walks[walk].place.mount = link
    walks[walk].outer.append(walks[walk].place)
    walks[walk].place = enter(chain, with: walk)
  }

  /// Comes back out of a mounted chain: what it left unhandled goes on to the links after the mount.
  private mutating func leaveMount(_ walk: UInt32) {
    leaveChain(walks[walk].place, with: walk)
    guard var place = walks[walk].outer.popLast() else { return }
    place.passed = links[place.mount].order
    leaveMountLink(place.mount)
    place.mount = .nobody
    walks[walk].place = place
  }

  private mutating func leaveMountLink(_ link: UInt32) {
    links[link].standing -= 1
    if links[link].fate != nil { retireIfUnused(link) }
  }

  /// Takes a walk that ends out of every chain that it is in, the innermost first.
  @inline(__always)
  mutating func leaveChains(_ walk: UInt32) {
    if walks[walk].hasGoneThroughMounts {
      while !walks[walk].isOutermost { leaveMount(walk) }
      for chain in walks[walk].visited where chain != walks[walk].place.chain {
        chains[chain].visits -= 1
        if chains[chain].live == 0 { forgetIfEmpty(chain) }
      }
    }
    leaveChain(walks[walk].place, with: walk)
  }

  // MARK: Shares

  /// The links that share what is left of the message's time: those ahead, the one at the walk's position included,
  /// through mounts, shadows left out.
  @inline(__always)
  mutating func linksAhead(of walk: UInt32) -> Int {
    let place = walks[walk].place
    if walks[walk].isOutermost, chains[place.chain].version == place.entered, chains[place.chain].lost.isEmpty,
      lists[place.list.index].isPlain
    {
      return lists[place.list.index].links.count - place.position
    }
    // Counted anew only when something has changed anywhere: walking through a chain of mounts is not quadratic.
    if walks[walk].ahead.version == version {
      walks[walk].ahead.links -= 1
    } else {
      walks[walk].ahead = (max(1, countAhead(of: walk)), version)
    }
    return max(1, walks[walk].ahead.links)
  }

  private mutating func countAhead(of walk: UInt32) -> Int {
    let topic = walks[walk].message.topic
    var seen = walks[walk].visited
    seen.insert(walks[walk].place.chain)
    var ahead = 0
    var mounted: [UInt32] = []
    for place in walks[walk].outer + [walks[walk].place] {
      let list = list(of: topic, in: place.chain)
      // The last link that it came by, with its rank of now; the one that it comes to now still counts.
      let passed = place.mount == .nobody ? place.passed : links[place.mount].order
      for link in lists[list.index].links where links[link].fate == nil && links[link].birth <= place.entered {
        if let passed, links[link].order <= passed { continue }
        count(link, &ahead, &mounted, &seen)
      }
    }
    while let chain = mounted.popLast() {
      let list = list(of: topic, in: chain)
      for link in lists[list.index].links where links[link].fate == nil { count(link, &ahead, &mounted, &seen) }
    }
    return ahead
  }

  private mutating func count(
    _ link: UInt32, _ ahead: inout Int, _ mounted: inout [UInt32], _ seen: inout Set<UInt32>
  ) {
    let chain = links[link].mounted
    if chain == .nobody {
      if !links[link].settings.isShadow { ahead += 1 }
    } else if seen.insert(chain).inserted {
      mounted.append(chain)
    }
  }
}
