/// How many links share the time that is left to a message (contract, section 5).
extension Router {
  /// At most as many links ahead count. So a share costs a bounded step, however long the chain is.
  private static let mostAhead = 64
  /// If that many or more are ahead, they are counted again when half of them have been passed.
  private static let enoughAhead = 32
  /// Where a chain has to be looked at link by link, it looks at as many.
  private static let mostLooks = 256

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
      !walks[walk].isTraced, acceptLists[place.list.slot].content.isPlain
    {
      return min(Router.mostAhead, acceptLists[place.list.slot].content.links.count - place.position)
    }
    return countLinksAhead(of: walk)
  }

  @inline(never)
  private mutating func countLinksAhead(of walk: Slot<Walk>) -> Int {
    let ahead = walks[walk].ahead
    // A stage counts as one link: its first one counts for all. Its time is that of the first link where a place stands.
    if let stage = walks[walk].stage {
      if stage.shareEnd != nil || stage.isCounted && ahead.version == version { return max(1, ahead.links) }
      walks[walk].stage?.isCounted = true
    }
    // They are counted again only if a chain has changed, or if the count ended at the most.
    if ahead.version == version, !ahead.isFull || ahead.links > Router.enoughAhead {
      walks[walk].ahead.links -= 1
    } else {
      let count = countAhead(of: walk)
      walks[walk].ahead = (max(1, count.links), version, count.isFull, count.isPartial)
    }
    return max(1, walks[walk].ahead.links)
  }

  /// A walk has come to another chain. There, links for a part of the messages count only if this message is in it; in the
  /// others, each counts.
  @inline(__always)
  mutating func forgetPartialCount(of walk: Slot<Walk>) {
    if walks[walk].ahead.isPartial { walks[walk].ahead.version = -1 }
  }

  /// Goes through what is ahead as the walk would, from the innermost chain outwards.
  private mutating func countAhead(of walk: Slot<Walk>) -> Ahead {
    var count = Ahead()
    let around = walks[walk].outer.count
    let stage = walks[walk].stage?.depth ?? 0
    for (number, place) in ([walks[walk].place] + walks[walk].outer.reversed()).enumerated() {
      // In the innermost chain, the link that the walk comes to now is not yet passed, so it counts. In an outer chain,
      // the links behind the mount count, as the walk sees it.
      let passed =
        place.mount == .nobody ? place.passed : links[placeSeen(of: place.mount, since: place.entered)].order
      count.isByFile = place.isByFile
      count.isHere = place.mount == .nobody
      countAhead(in: place.chain, behind: passed, since: place.entered, of: walk, &count)
      if stage > 0, around - number == stage { count.links = 1 }
    }
    spent &+= Cost.look &* (count.looks &+ 24 &* (1 &+ count.entered.count))
    return count
  }

  /// Counts the links of one chain behind a place in its order, as far as the walk will see them.
  private mutating func countAhead(
    in chain: Slot<Chain>, behind passed: Link.Order?, since entered: Int, of walk: Slot<Walk>, _ count: inout Ahead
  ) {
    guard !count.isFull else { return }
    let topic = walks[walk].message.topic
    let list = acceptList(of: topic, in: chain).slot
    if !acceptLists[list].content.isLong {
      for link in acceptLists[list].content.links where passed.map({ $0 < links[link].order }) ?? true {
        addAhead(link, since: entered, of: walk, &count)
        if count.isFull { return }
      }
      return
    }
    var node = firstNode(of: chain, behind: passed)
    while node != .nobody, !count.isFull {
      let link = linkOrder.element(node)
      count.looks += 1
      if links[link].settings.accept(topic) { addAhead(link, since: entered, of: walk, &count) }
      node = linkOrder.next(node)
    }
  }

  private mutating func addAhead(_ link: Slot<Link>, since entered: Int, of walk: Slot<Walk>, _ count: inout Ahead) {
    count.looks += 1
    guard links[link].birth <= entered, !isGoing(link) else { return }
    if links[link].fate != nil {
      guard links[link].fate == .moved, isStillSeen(link, since: entered), isThere(link) else { return }
    }
    if !links[link].settings.isForAll {
      count.isPartial = true
      if count.isHere, !isAhead(link, of: walk) { return }
    }
    let chain = links[link].mounted
    guard chain != .nobody else {
      if !links[link].settings.isShadow { count.links += 1 }
      return
    }
    let wasByFile = count.isByFile
    let isByFile = wasByFile && links[link].isDeclared
    guard walks[walk].enters(chains.ref(chain), isByFile: isByFile), count.enter(chain, isByFile: isByFile) else {
      return
    }
    // Mounts are nested at most `max_mount_depth` deep.
    let (wasHere, before) = (count.isHere, count.links)
    count.isHere = false
    countAhead(in: chain, behind: nil, since: .max, of: walk, &count)
    if links[link].settings.isTogether { count.links = min(count.links, before + 1) }
    (count.isByFile, count.isHere) = (wasByFile, wasHere)
  }

  /// What was counted so far.
  private struct Ahead {
    var links = 0
    var looks = 0
    /// Whether the walk is in the chain that is counted now. In another one, what is for a part of the messages counts.
    var isHere = false
    /// Whether links for a part of the messages are ahead: it is counted again then when the walk comes to another chain.
    var isPartial = false
    /// Whether the chain that is counted now is entered through declared mounts only.
    var isByFile = true
    /// The chains that are mounted ahead, each with whether it is entered through declared mounts only.
    var entered: [(chain: Slot<Chain>, isByFile: Bool)] = []

    var isFull: Bool { links >= Router.mostAhead || looks >= Router.mostLooks }

    /// Enters a chain. Returns false if the walk would have been there, as it says of itself in `Walk.enters`.
    mutating func enter(_ chain: Slot<Chain>, isByFile: Bool) -> Bool {
      if let before = entered.last(where: { $0.chain == chain }), before.isByFile || !isByFile { return false }
      self.isByFile = isByFile
      entered.append((chain, isByFile))
      return true
    }
  }
}
