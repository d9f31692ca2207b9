/// Who serves a link, and what becomes of it when that changes or ends (contract, section 5).
extension Router {
  /// A connection begins to serve a link, as its last replica.
  mutating func serve(_ link: UInt32, by connection: UInt32, at now: Instant) {
    let patterns = Router.weight(of: links[link].settings.accepts)
    let replica = replicas.insert(
      Replica(
        link: links.ref(link), connection: connection, patterns: patterns,
        chain: chains[links[link].chain].name.bytes, name: links[link].name.bytes))
    connections[connection].patterns += patterns
    let first = connections[connection].firstReplica
    replicas[replica].next = first
    if first != .nobody { replicas[first].previous = replica }
    connections[connection].firstReplica = replica
    let last = links[link].lastReplica
    replicas[replica].previousAtLink = last
    if last != .nobody { replicas[last].nextAtLink = replica } else { links[link].firstReplica = replica }
    links[link].lastReplica = replica
    fill(link)
    updateReading(of: connection, at: now)
  }

  /// A connection serves a link no longer. Its replica lives on until the offers that it holds are settled.
  mutating func detach(_ replica: UInt32, at now: Instant) {
    let connection = replicas[replica].connection
    connections[connection].patterns -= replicas[replica].patterns
    let (previous, next) = (replicas[replica].previous, replicas[replica].next)
    if previous != .nobody {
      replicas[previous].next = next
    } else {
      connections[connection].firstReplica = next
    }
    if next != .nobody { replicas[next].previous = previous }

    let link = replicas[replica].link.index
    let (before, behind) = (replicas[replica].previousAtLink, replicas[replica].nextAtLink)
    if before != .nobody { replicas[before].nextAtLink = behind } else { links[link].firstReplica = behind }
    if behind != .nobody { replicas[behind].previousAtLink = before } else { links[link].lastReplica = before }
    if links[link].served == replica { links[link].served = before }
    replicas[replica].isDetached = true
    releaseIfUnused(replica)
    updateReading(of: connection, at: now)
  }

  /// Detaches all replicas of a link, each after `tell` was called with it.
  mutating func detachAll(
    of link: UInt32, at now: Instant, butFirst tell: (inout Router, UInt32) -> Void = { _, _ in }
  ) {
    while links[link].firstReplica != .nobody {
      let replica = links[link].firstReplica
      tell(&self, replica)
      detach(replica, at: now)
    }
  }

  /// The replica by which a connection serves a link.
  mutating func replica(of link: UInt32, on connection: UInt32) -> UInt32? {
    var replica = links[link].firstReplica
    while replica != .nobody {
      if replicas[replica].connection == connection { return replica }
      replica = replicas[replica].nextAtLink
    }
    return nil
  }

  /// Lets the offers of a link that a connection still holds from an earlier time count for its new replica.
  mutating func adoptOffers(for new: UInt32) {
    var offer = connections[replicas[new].connection].offers.first
    while offer != .nobody {
      let old = offers[offer].replica
      if !offers[offer].isLapsed, old != new, replicas[old].link.index == replicas[new].link.index,
        replicas[old].link.generation == replicas[new].link.generation
      {
        offers[offer].replica = new
        replicas[new].open += 1
        replicas[old].open -= 1
        releaseIfUnused(old)
      }
      offer = offers[offer].next
    }
  }

  /// Puts what a link accepts into the subject index.
  mutating func insertEntries(of link: UInt32) {
    let root = chains[links[link].chain].root
    var entries: [Ref<SubjectIndex.Entry>] = []
    for pattern in links[link].settings.accepts {
      pattern.withUnsafeBytes { entries.append(subjects.insert($0, value: link, under: root)) }
    }
    links[link].entries = entries
  }

  // MARK: Empty places

  /// What a link comes to whose last connection is gone: its place is kept for a while, or for good, or it is lost.
  /// False where it is lost.
  mutating func keepPlace(of link: UInt32, at now: Instant) -> Bool {
    // A required place is never given up, or a guard would fail open; `max_links` bounds those.
    let isHeld = links[link].settings.holdMilliseconds > 0 && emptyPlaces < settings.maxEmptyPlaces
    guard links[link].settings.isRequired || isHeld else { return false }
    emptyPlaces += 1
    let hold = links[link].settings.holdMilliseconds
    if hold > 0 {
      links[link].service = .held(timers.set(.hold(links.ref(link)), at: now.advanced(milliseconds: hold)))
    } else {
      links[link].service = .absent
    }
    return true
  }

  /// Somebody serves the link again, or it ends: its place is empty no longer.
  mutating func fill(_ link: UInt32) {
    switch links[link].service {
    case .held(let timer):
      timers.end(timer)
      emptyPlaces -= 1
    case .absent: emptyPlaces -= 1
    case .replicas, .mount: return
    }
    links[link].service = .replicas
  }

  /// The time is over for which a place was held.
  mutating func holdIsOver(for link: Ref<Link>, at now: Instant) {
    if links[link.index].settings.isRequired {
      links[link.index].service = .absent
    } else {
      takeOut(link.index, .lost, at: now)
      announceRemoved(link.index, by: nil, .disconnect)
    }
    failWaiting(at: link.index, .disconnect, at: now)
    finishTakingOut(link)
  }

  // MARK: The end of a link

  /// Ends a link: no walk that enters its chain from now on sees it, and it takes no offers. Those that wait there
  /// still do: the caller sends them on.
  mutating func takeOut(_ link: UInt32, _ fate: Link.Fate, at now: Instant) {
    let chain = links[link].chain
    detachAll(of: link, at: now)
    fill(link)
    raiseVersion(of: chain)
    links[link].fate = fate
    links[link].end = version
    chains[chain].live -= 1
    linkNames.remove(nameHash(links[link].name.bytes, in: chain), link)
    // One that lets the walk go on anyway is passed over like a removed one, at no cost, unless a trace is to tell it.
    let isTold = links[link].settings.onFailure[.disconnect] || chains[chain].traced > 0
    if fate == .lost, isTold, chains[chain].snapshots.walks > 0 {
      links[link].isAwaited = true
      chains[chain].lost.append(links.ref(link))
    } else {
      countedLinks -= 1
      removeEntries(of: link)
    }
  }

  /// Lets an ended link and its chain go if nothing is left that needs them.
  mutating func finishTakingOut(_ ref: Ref<Link>) {
    guard links.contains(ref), links[ref.index].fate != nil else { return }
    let chain = links[ref.index].chain
    retireIfUnused(ref.index)
    forgetIfEmpty(chain)
  }
}
