/// Accept lists: the links of a chain that accept a topic (contract, section 5, `accepts`).
extension Router {
  /// The links of the chain that accept the topic, in order. Lost links that older walks may still reach are among
  /// them.
  mutating func acceptList(of topic: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> Ref<AcceptList> {
    let hash = acceptLists.hash(topic, in: chain)
    return acceptLists.find(topic, hash: hash, in: chain) ?? makeAcceptList(of: topic, hash: hash, in: chain)
  }

  @inline(never)
  private mutating func makeAcceptList(
    of topic: UnsafeRawBufferPointer, hash: UInt32, in chain: Slot<Chain>
  ) -> Ref<AcceptList> {
    acceptLists.match(topic, under: chains[chain].root)
    let accepting = foundInOrder()
    var isPlain = true
    for link in accepting where links[link].settings.isShadow || links[link].mounted != .nobody { isPlain = false }
    let list = AcceptList(
      chain: chain, topic: OwnedBytes(copying: topic), hash: hash, links: accepting, isPlain: isPlain)
    makeRoomForList(of: list.bytes, in: chain)
    let ref = acceptLists.insert(list)
    chains[chain].lists.append(ref)
    return ref
  }

  /// The links that `match` found, in the order of the chain, each once. The result is an array of its own: a copy of
  /// the scratch array would keep all of its capacity.
  private mutating func foundInOrder() -> [Slot<Link>] {
    let count = acceptLists.found.count
    if count == 1 { return [acceptLists.found[0]] }
    let found = (0..<count).map { (order: links[acceptLists.found[$0]].order, link: acceptLists.found[$0]) }
    var accepting: [Slot<Link>] = []
    for (_, link) in found.sorted(by: { $0.order < $1.order }) where accepting.last != link { accepting.append(link) }
    return accepting
  }

  /// Drops a quarter of the chain's lists, the oldest, if the chain has too many. Drops the lists of all chains if
  /// together they take too much.
  private mutating func makeRoomForList(of bytes: Int, in chain: Slot<Chain>) {
    if chains[chain].lists.count >= settings.maxCachedTopics {
      // A quarter at once: the array then moves once for many lists.
      let count = max(1, settings.maxCachedTopics / 4)
      for list in chains[chain].lists[..<count] { acceptLists.remove(list) }
      chains[chain].lists.removeFirst(count)
    }
    guard acceptLists.bytes + bytes > settings.maxCachedBytes else { return }
    for other in chains.slots where chains.isTaken(other) { dropAcceptLists(of: other) }
  }

  /// Drops all lists of the chain: they are no longer right, or they take too much.
  mutating func dropAcceptLists(of chain: Slot<Chain>) {
    if chains[chain].lists.isEmpty { return }
    for list in chains[chain].lists { acceptLists.remove(list) }
    chains[chain].lists.removeAll(keepingCapacity: true)
  }

  /// Inserts the link's patterns into the index.
  mutating func insertPatterns(of link: Slot<Link>) {
    let root = chains[links[link].chain].root
    var entries: [Ref<PatternEntry>] = []
    for pattern in links[link].settings.accepts {
      pattern.withUnsafeBytes { entries.append(acceptLists.patterns.insert($0, for: link, under: root)) }
    }
    links[link].entries = entries
  }

  /// Removes the link's patterns from the index.
  mutating func removePatterns(of link: Slot<Link>) {
    for entry in links[link].entries { acceptLists.patterns.remove(entry) }
    links[link].entries = []
  }
}
