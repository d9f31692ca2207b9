/// Chains and their lists of links.
extension Router {
  /// The chain of this name.
  mutating func findChain(_ name: UnsafeRawBufferPointer) -> UInt32? {
    chainNames.find(ByteIndex.hash(name, seed: settings.hashSeed)) { chains[$0].name.bytes.equals(name) }
  }

  /// The chain of this name, made where it is not there.
  mutating func chain(named name: UnsafeRawBufferPointer) -> UInt32 {
    if let found = findChain(name) { return found }
    let chain = chains.insert(Chain(name: name, version: version, root: subjects.makeRoot()))
    chainNames.insert(ByteIndex.hash(name, seed: settings.hashSeed), chain)
    if name.elementsEqual("main".utf8) { mainChain = chain }
    return chain
  }

  /// Forgets a chain that has no links, and that no walk is in.
  mutating func forgetIfEmpty(_ chain: UInt32) {
    guard chains[chain].live == 0, chains[chain].snapshots.walks == 0, chains[chain].mountedBy == 0,
      chains[chain].keys == 0, chains[chain].visits == 0
    else { return }
    tidy(chain)
    guard chains[chain].order.isEmpty else { return }
    dropLists(of: chain)
    chainNames.remove(ByteIndex.hash(chains[chain].name.bytes, seed: settings.hashSeed), chain)
    if chain == mainChain { mainChain = .nobody }
    subjects.removeRoot(chains[chain].root)
    chains.remove(chain)
  }

  /// The living link of this name.
  mutating func findLink(_ name: UnsafeRawBufferPointer, in chain: UInt32) -> UInt32? {
    linkNames.find(nameHash(name, in: chain)) { links[$0].chain == chain && links[$0].name.bytes.equals(name) }
  }

  @inline(__always)
  mutating func nameHash(_ name: UnsafeRawBufferPointer, in chain: UInt32) -> UInt32 {
    ByteIndex.hash(name, seed: settings.hashSeed &+ UInt64(chain) &* 0x9E37_79B9_7F4A_7C15)
  }

  /// Something of the chain has changed: its version goes up, and what was worked out of it is dropped.
  mutating func raiseVersion(of chain: UInt32) {
    version += 1
    chains[chain].version = version
    dropLists(of: chain)
  }

  /// Where a new link of this order belongs among the chain's.
  mutating func position(of order: Link.Order, in chain: UInt32) -> Int {
    var (low, high) = (0, chains[chain].order.count)
    while low < high {
      let middle = (low + high) / 2
      if links[chains[chain].order[middle]].order < order { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The place of a living link among the living, counted from 1.
  mutating func livePosition(of link: UInt32) -> Int {
    let chain = links[link].chain
    let place = position(of: links[link].order, in: chain)
    if chains[chain].order.count == chains[chain].live { return place + 1 }
    var count = 1
    for at in 0..<place where links[chains[chain].order[at]].fate == nil { count += 1 }
    return count
  }

  /// A walk leaves its chain: links that only it could still have come by are forgotten.
  @inline(__always)
  mutating func leaveChain(_ place: Walk.Place, with walk: UInt32) {
    let chain = place.chain
    if walks[walk].trace != .nobody { chains[chain].traced -= 1 }
    guard chains[chain].snapshots.leave(version: place.entered) else { return }
    if !chains[chain].lost.isEmpty { forgetLost(in: chain) }
    if chains[chain].live == 0 { forgetIfEmpty(chain) }
  }

  // MARK: Ended links

  /// Links lost with their connection are forgotten once all walks in the chain have entered after that.
  private mutating func forgetLost(in chain: UInt32) {
    let oldest = chains[chain].snapshots.oldest ?? .max
    var count = 0
    while count < chains[chain].lost.count, links[chains[chain].lost[count].index].end <= oldest { count += 1 }
    guard count > 0 else { return }
    let gone = chains[chain].lost[..<count]
    chains[chain].lost.removeFirst(count)
    dropLists(of: chain)
    for link in gone {
      removeEntries(of: link.index)
      links[link.index].isAwaited = false
      countedLinks -= 1
      retireIfUnused(link.index)
    }
  }

  /// Lets an ended link go once no walk stands at it or may still come by.
  mutating func retireIfUnused(_ link: UInt32) {
    guard links[link].standing == 0, !links[link].isAwaited, !links[link].isRetired else { return }
    links[link].isRetired = true
    let chain = links[link].chain
    chains[chain].retired += 1
    if chains[chain].retired > 32, chains[chain].retired * 2 > chains[chain].order.count { tidy(chain) }
  }

  /// Takes retired links out of the chain's order: many at once, so that each costs little however long the chain is.
  private mutating func tidy(_ chain: UInt32) {
    guard chains[chain].retired > 0 else { return }
    var kept: [UInt32] = []
    kept.reserveCapacity(chains[chain].order.count - chains[chain].retired)
    for link in chains[chain].order {
      if links[link].isRetired { links.remove(link) } else { kept.append(link) }
    }
    chains[chain].order = kept
    chains[chain].retired = 0
  }

  mutating func removeEntries(of link: UInt32) {
    for entry in links[link].entries { subjects.remove(entry) }
    links[link].entries = []
  }

  // MARK: Lists

  /// The links of the chain that accept the topic, in order, ended ones that walks may still come by among them.
  mutating func list(of topic: UnsafeRawBufferPointer, in chain: UInt32) -> Ref<AcceptList> {
    let hash = nameHash(topic, in: chain)
    if let found = listTopics.find(hash, where: { lists[$0].chain == chain && lists[$0].topic.bytes.equals(topic) }) {
      return lists.ref(found)
    }
    return makeList(of: topic, hash: hash, in: chain)
  }

  @inline(never)
  private mutating func makeList(of topic: UnsafeRawBufferPointer, hash: UInt32, in chain: UInt32) -> Ref<AcceptList> {
    found.removeAll(keepingCapacity: found.capacity <= 1 << 16)
    subjects.match(topic, under: chains[chain].root, into: &found)
    // An array of its own: a copy of the scratch one would keep all its room.
    let accepting = found.count > 1 ? foundInOrder() : found.first.map { [$0] } ?? []
    var isPlain = true
    for link in accepting where links[link].settings.isShadow || links[link].mounted != .nobody { isPlain = false }
    let list = AcceptList(
      chain: chain, topic: OwnedBytes(copying: topic), hash: hash, links: accepting, isPlain: isPlain)
    makeRoom(for: list.bytes, in: chain)
    listBytes += list.bytes
    let index = lists.insert(list)
    listTopics.insert(hash, index)
    chains[chain].lists.append(lists.ref(index))
    return lists.ref(index)
  }

  /// The links that were found, by order; one with several matching patterns was found several times.
  private mutating func foundInOrder() -> [UInt32] {
    var accepting: [UInt32] = []
    for (_, link) in found.map({ (order: links[$0].order, link: $0) }).sorted(by: { $0.order < $1.order })
    where accepting.last != link {
      accepting.append(link)
    }
    return accepting
  }

  /// Drops the chain's oldest list where it has too many, and the lists of all chains where they take too much.
  private mutating func makeRoom(for bytes: Int, in chain: UInt32) {
    if chains[chain].lists.count >= settings.maxCachedTopics {
      // A quarter at once: the array is moved once for many.
      let count = max(1, settings.maxCachedTopics / 4)
      for list in chains[chain].lists[..<count] { dropList(list.index) }
      chains[chain].lists.removeFirst(count)
    }
    guard listBytes + bytes > settings.maxCachedBytes else { return }
    for other in 0..<chains.extent where chains.isTaken(other) { dropLists(of: other) }
  }

  private mutating func dropLists(of chain: UInt32) {
    if chains[chain].lists.isEmpty { return }
    for list in chains[chain].lists { dropList(list.index) }
    chains[chain].lists.removeAll(keepingCapacity: true)
  }

  private mutating func dropList(_ index: UInt32) {
    listBytes -= lists[index].bytes
    listTopics.remove(lists[index].hash, index)
    lists.remove(index)
  }
}
