/// The way of a message along the links of its chain, and of the chains mounted in it (contract, section 5).
///
/// A walk continues until it stands at a link or has come to the end. When its stay at a link is over (by a verdict, by
/// time, by a lost connection, or because the link was removed), it leaves the link and walks on.
extension Router {
  /// A walk enters its chain.
  @inline(__always)
  mutating func beginWalk(_ walk: Slot<Walk>, at now: Instant) {
    walks[walk].place = enterChain(walks[walk].place.chain, with: walk)
    traceEntry(of: walk, at: now)
    walkOn(walk, at: now)
  }

  /// A walk continues behind the link at which it stands, or enters at the first link. It ends behind the last.
  mutating func walkOn(_ walk: Slot<Walk>, at now: Instant) {
    let link = walks[walk].link
    if isOver(walk, at: now), link != .nobody {
      // Its deadline passed in this turn, before its timer fired.
      let by = nameAsked(.nobody, at: link)
      leaveLink(walk)
      endWalk(walk, .timeout, by: by.bytes, at: now)
      return extendLifetime(by)
    }
    leaveLink(walk)
    while let next = nextLink(of: walk, at: now) {
      if reachLink(next, by: walk, at: now) { return }
      walks[walk].place.passed = links[next].order
    }
    if walks[walk].mode.isBroadcast { return publishWalk(walk, at: now) }
    if walks[walk].hasNoResults { return endWalk(walk, .unhandled, by: .empty, at: now) }
    let by = OwnedBytes(copying: walks[walk].results.lastBy.bytes)
    let payload = walks[walk].results.lastPayload.bytes
    endWalk(walk, .handled(payload: payload), by: by.bytes, at: now)
    extendLifetime(by)
  }

  /// The next link with handlers for the message. Each chain counts as it stood when the walk entered it.
  @inline(__always)
  private mutating func nextLink(of walk: Slot<Walk>, at now: Instant) -> Slot<Link>? {
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

  /// The next link of the chain that the walk is in. Links that were inserted since it entered are not visited. Links
  /// that were removed since then are skipped.
  @inline(__always)
  private mutating func nextInPlace(of walk: Slot<Walk>) -> Slot<Link>? {
    let list = currentList(for: walk)
    while true {
      walks[walk].place.position += 1
      let position = walks[walk].place.position
      guard position < acceptLists[list].links.count else { return nil }
      let link = acceptLists[list].links[position]
      if isVisited(link, since: walks[walk].place.entered) { return link }
    }
  }

  /// Whether a link existed at a version and was not removed since then.
  @inline(__always)
  private mutating func isVisited(_ link: Slot<Link>, since entered: Int) -> Bool {
    guard links[link].birth <= entered else { return false }
    guard let fate = links[link].fate else { return true }
    return fate == .lost && links[link].end > entered
  }

  /// The walk's list of links. If the chain has changed, it is the new list, with the walk's position in it.
  @inline(__always)
  private mutating func currentList(for walk: Slot<Walk>) -> Slot<AcceptList> {
    if acceptLists.contains(walks[walk].place.list) { return walks[walk].place.list.slot }
    let list = acceptList(of: walks[walk].message.topic, in: walks[walk].place.chain)
    walks[walk].place.list = list
    var position = -1
    if let passed = walks[walk].place.passed {
      var (low, high) = (0, acceptLists[list.slot].links.count)
      while low < high {
        let middle = (low + high) / 2
        if links[acceptLists[list.slot].links[middle]].order <= passed { low = middle + 1 } else { high = middle }
      }
      position = low - 1
    }
    walks[walk].place.position = position
    return list.slot
  }

  /// Records the links that the walk passes because they do not accept its topic: from the last one that it passed to
  /// the next one that does accept it, or to the end of the chain.
  mutating func traceUnwanted(by walk: Slot<Walk>, before next: Slot<Link>?, at now: Instant) {
    guard walks[walk].trace != .nobody, traces[walks[walk].trace].isAsked else { return }
    let place = walks[walk].place
    let end = next.map { links[$0].order }
    var at = place.passed.map { findPosition(of: $0, in: place.chain) } ?? 0
    while at < chains[place.chain].order.count {
      let link = chains[place.chain].order[at]
      at += 1
      if let end, links[link].order >= end { return }
      guard links[link].fate == nil, links[link].birth <= place.entered, links[link].order != place.passed else {
        continue
      }
      traceSkip(of: walk, past: link, "topic", at: now)
    }
  }
}
