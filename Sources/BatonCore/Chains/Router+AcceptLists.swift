/// Who accepts what: the links of a chain for a topic (contract, section 5, `accepts`).
extension Router {
  /// The links of the chain that accept the topic, in order, ended ones that walks may still come by among them.
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

  /// The links that were found, by order, in an array of their own: a copy of the scratch one would keep all its room. A
  /// link with several matching patterns was found several times.
  private mutating func foundInOrder() -> [Slot<Link>] {
    if acceptLists.found.count <= 1 { return acceptLists.found.first.map { [$0] } ?? [] }
    var accepting: [Slot<Link>] = []
    for (_, link) in acceptLists.found.map({ (order: links[$0].order, link: $0) }).sorted(by: { $0.order < $1.order })
    where accepting.last != link {
      accepting.append(link)
    }
    return accepting
  }

  /// Drops the chain's oldest list where it has too many, and the lists of all chains where they take too much.
  private mutating func makeRoomForList(of bytes: Int, in chain: Slot<Chain>) {
    if chains[chain].lists.count >= settings.maxCachedTopics {
      // A quarter at once: the array is moved once for many.
      let count = max(1, settings.maxCachedTopics / 4)
      for list in chains[chain].lists[..<count] { acceptLists.remove(list) }
      chains[chain].lists.removeFirst(count)
    }
    guard acceptLists.bytes + bytes > settings.maxCachedBytes else { return }
    for other in chains.slots where chains.isTaken(other) { dropAcceptLists(of: other) }
  }

  /// The chain's lists are right no longer.
  mutating func dropAcceptLists(of chain: Slot<Chain>) {
    if chains[chain].lists.isEmpty { return }
    for list in chains[chain].lists { acceptLists.remove(list) }
    chains[chain].lists.removeAll(keepingCapacity: true)
  }

  /// Puts what a link accepts into the index.
  mutating func insertPatterns(of link: Slot<Link>) {
    let root = chains[links[link].chain].root
    var entries: [Ref<PatternEntry>] = []
    for pattern in links[link].settings.accepts {
      pattern.withUnsafeBytes { entries.append(acceptLists.patterns.insert($0, for: link, under: root)) }
    }
    links[link].entries = entries
  }

  /// Takes what a link accepts out of the index.
  mutating func removePatterns(of link: Slot<Link>) {
    for entry in links[link].entries { acceptLists.patterns.remove(entry) }
    links[link].entries = []
  }
}
