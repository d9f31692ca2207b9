/// Who serves a link, and what becomes of it and of those that wait there when it changes or ends.
extension Router {
  /// A connection begins to serve a link.
  mutating func serve(_ link: UInt32, by connection: UInt32, at now: Instant) {
    let replica = replicas.insert(
      Replica(
        link: links.ref(link), connection: connection, chain: chains[links[link].chain].name.bytes,
        name: links[link].name.bytes))
    links[link].replica = replica
    let first = connections[connection].firstReplica
    replicas[replica].next = first
    if first != Walk.nobody { replicas[first].previous = replica }
    connections[connection].firstReplica = replica
    updateReading(of: connection, at: now)
  }

  /// A connection serves a link no longer. Its replica lives on until the offers that it holds are settled.
  mutating func detach(_ replica: UInt32, at now: Instant) {
    let (previous, next) = (replicas[replica].previous, replicas[replica].next)
    let connection = replicas[replica].connection
    if previous != Walk.nobody {
      replicas[previous].next = next
    } else {
      connections[connection].firstReplica = next
    }
    if next != Walk.nobody { replicas[next].previous = previous }
    let link = replicas[replica].link.index
    connections[connection].patterns -= links[link].entries.count
    links[link].replica = Walk.nobody
    replicas[replica].isDetached = true
    releaseIfUnused(replica)
    updateReading(of: connection, at: now)
  }

  /// Lets the offers of one replica count for another of the same connection.
  mutating func moveOffers(from old: UInt32, to new: UInt32) {
    var offer = connections[replicas[old].connection].offers.first
    while offer != Walk.nobody {
      if offers[offer].replica == old, !offers[offer].isLapsed {
        offers[offer].replica = new
        replicas[new].open += 1
        replicas[old].open -= 1
      }
      offer = offers[offer].next
    }
    releaseIfUnused(old)
  }

  /// Puts what a link accepts into the subject index.
  mutating func insertEntries(of link: UInt32, for connection: UInt32) {
    let root = chains[links[link].chain].root
    var entries: [Ref<SubjectIndex.Entry>] = []
    for pattern in links[link].settings.accepts {
      pattern.withUnsafeBytes { entries.append(subjects.insert($0, value: link, under: root)) }
    }
    links[link].entries = entries
    connections[connection].patterns += entries.count
  }

  // MARK: The end of a link

  /// Ends a link: no walk that enters its chain from now on sees it, and it takes no offers. Those that wait there
  /// still do: `passOnWaiting` sends them on.
  mutating func takeOut(_ link: UInt32, _ fate: Link.Fate, at now: Instant) {
    let chain = links[link].chain
    detach(links[link].replica, at: now)
    raiseVersion(of: chain)
    links[link].fate = fate
    links[link].end = version
    chains[chain].live -= 1
    linkNames.remove(nameHash(links[link].name.bytes, in: chain), link)
    if fate == .lost, chains[chain].snapshots.walks > 0 {
      links[link].isAwaited = true
      chains[chain].lost.append(links.ref(link))
    } else {
      removeEntries(of: link)
    }
  }

  /// Sends on those that wait at an ended link; a lost one fails them, from a removed one they just go on.
  mutating func passOnWaiting(at link: UInt32, at now: Instant) {
    for _ in 0..<links[link].waiting {
      if links[link].fate == .lost { links[link].counts.disconnect += 1 }
      walkOn(links[link].firstWaiting, at: now)
    }
  }

  /// Lets an ended link and its chain go if nothing is left that needs them.
  mutating func finishTakingOut(_ ref: Ref<Link>) {
    guard links.contains(ref) else { return }
    let chain = links[ref.index].chain
    retireIfUnused(ref.index)
    forgetIfEmpty(chain)
  }

  /// Sends on those that wait at a link and that it no longer accepts.
  mutating func passOnUnwanted(at link: UInt32, at now: Instant) {
    var walk = links[link].firstWaiting
    while walk != Walk.nobody {
      let next = walks[walk].nextAtLink
      if !links[link].settings.accept(walks[walk].message.topic) { walkOn(walk, at: now) }
      walk = next
    }
  }
}
