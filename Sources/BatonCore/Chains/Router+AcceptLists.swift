/// Accept lists: the links of a chain that accept a topic (contract, section 5, `accepts`).
extension Router {
  /// The links of the chain that accept the topic, in order. Lost links that older walks may still reach are among
  /// them.
  mutating func acceptList(of topic: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> Ref<AcceptList> {
    let hash = acceptLists.hash(topic, in: chain)
    guard let list = acceptLists.find(topic, hash: hash, in: chain) else {
      return makeAcceptList(of: topic, hash: hash, in: chain)
    }
    if acceptLists[list.slot].content.revision == chains[chain].revision { return list }
    let content = findAccepting(topic, in: chain)
    makeRoomForLists(of: content.links.count * 4, in: chain)
    guard acceptLists.contains(list) else { return makeAcceptList(of: topic, hash: hash, in: chain) }
    acceptLists.update(list.slot, to: content)
    return list
  }

  @inline(never)
  private mutating func makeAcceptList(
    of topic: UnsafeRawBufferPointer, hash: UInt32, in chain: Slot<Chain>
  ) -> Ref<AcceptList> {
    let list = AcceptList(chain: chain, topic: topic, hash: hash, content: findAccepting(topic, in: chain))
    // There are more if a reload has lowered the limit: each new list drops two of them then.
    for _ in 0..<2 where chains[chain].lists.count >= settings.maxCachedTopics {
      dropAcceptList(chains[chain].lists.first)
    }
    makeRoomForLists(of: list.bytes, in: chain)
    return acceptLists.insert(list, into: &chains[chain].lists)
  }

  /// Finds the links that accept the topic, each once.
  @inline(never)
  private mutating func findAccepting(
    _ topic: UnsafeRawBufferPointer, in chain: Slot<Chain>
  ) -> AcceptList.Content {
    acceptLists.match(topic, under: chains[chain].root, atMost: AcceptList.mostLinks)
    var content = AcceptList.Content(revision: chains[chain].revision)
    let count = acceptLists.found.count
    spent &+= Cost.list &+ Cost.look &* count &+ Cost.word &* acceptLists.found.looked
    if count > AcceptList.mostLinks {
      content.isLong = true
      return content
    }
    content.links = foundInOrder()
    if chains[chain].isClosing { content.links = content.links.filter { !isGoing($0) } }
    content.isPlain = true
    for link in content.links
    where links[link].settings.isShadow || !links[link].settings.isForAll || links[link].mounted != .nobody {
      content.isPlain = false
    }
    return content
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

  /// Drops some lists of any chains if together they take too much: each new list drops at most a few, and they are
  /// smaller than it or soon make room.
  private mutating func makeRoomForLists(of bytes: Int, in chain: Slot<Chain>) {
    var left = 8
    while acceptLists.bytes + bytes > settings.maxCachedBytes, left > 0 {
      let list = acceptLists.nextToDrop() ?? chains[chain].lists.first
      if list == .nobody { return }
      dropAcceptList(list)
      left -= 1
    }
  }

  private mutating func dropAcceptList(_ list: Slot<AcceptList>) {
    let chain = acceptLists[list].chain
    acceptLists.remove(list, from: &chains[chain].lists)
  }

  /// Drops some lists of a chain that is to be forgotten. Returns false if none is left.
  mutating func dropAcceptLists(of chain: Slot<Chain>) -> Bool {
    for _ in 0..<settings.pieces.size {
      let first = chains[chain].lists.first
      guard first != .nobody else { return false }
      dropAcceptList(first)
    }
    return chains[chain].lists.count > 0
  }

  /// Inserts the link's patterns into the index, and the names of its condition.
  mutating func insertPatterns(of link: Slot<Link>) {
    let root = chains[links[link].chain].root
    var entries: [Ref<PatternEntry>] = []
    for pattern in links[link].settings.accepts {
      spent &+= Cost.pattern(pattern.count)
      pattern.withUnsafeBytes { entries.append(acceptLists.patterns.insert($0, for: link, under: root)) }
    }
    links[link].entries = entries
    if let when = links[link].settings.when { insertNames(of: when, for: link) }
  }

  private mutating func insertNames(of when: LinkCondition, for link: Slot<Link>) {
    spent &+= Cost.pattern(when.condition.spelling.count)
    let chain = links[link].chain
    let names = chains[chain].conditionNames ?? ChainNames(seed: settings.hashSeed)
    chains[chain].conditionNames = names
    links[link].named = (when, names.insert(when.condition))
  }

  /// Removes the link's patterns and names from the index.
  mutating func removePatterns(of link: Slot<Link>) {
    for entry in links[link].entries { acceptLists.patterns.remove(entry) }
    spent &+= Cost.list &* links[link].entries.count
    links[link].entries = []
    if let named = links[link].named {
      links[link].named = nil
      spent &+= Cost.pattern(named.condition.condition.spelling.count)
      chains[links[link].chain].conditionNames?.remove(named.condition.condition, named.numbers)
    }
    chains[links[link].chain].revision += 1
  }
}
