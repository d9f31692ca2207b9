/// Chains by name, and links by name within them.
extension Router {
  /// The chain of this name.
  mutating func findChain(_ name: UnsafeRawBufferPointer) -> Slot<Chain>? {
    chainNames.find(name.hash(seed: settings.hashSeed)) { chains[$0].name.bytes.equals(name) }
  }

  /// The chain of this name. It is made if it does not exist.
  mutating func makeChain(named name: UnsafeRawBufferPointer) -> Slot<Chain> {
    if let found = findChain(name) { return found }
    let chain = chains.insert(Chain(name: name, version: version, root: acceptLists.patterns.makeRoot()))
    chainNames.insert(name.hash(seed: settings.hashSeed), chain)
    if name.elementsEqual("main".utf8) { mainChain = chain }
    return chain
  }

  /// Puts a chain that has got its first link among the chains that have links.
  mutating func listChain(_ chain: Slot<Chain>) {
    let next = chainOrder.firstNode(firstName) { chains[chain].name.bytes.precedes(chains[$0].name.bytes) }
    chains[chain].listed = chainOrder.insert(chain, before: next, into: &firstName)
  }

  /// Removes a chain that has lost its last link from the chains that have links.
  mutating func unlistChain(_ chain: Slot<Chain>) {
    chainOrder.remove(chains[chain].listed, from: &firstName)
    chains[chain].listed = .nobody
  }

  /// The first chain that has links and whose name is not before this one, or `nobody`.
  mutating func firstChain(from name: UnsafeRawBufferPointer) -> Slot<Chain> {
    let node = chainOrder.firstNode(firstName) { !chains[$0].name.bytes.precedes(name) }
    return node == .nobody ? .nobody : chainOrder.element(node)
  }

  /// The next chain that has links, behind one that has some; or `nobody`.
  mutating func chain(behind chain: Slot<Chain>) -> Slot<Chain> {
    let node = chainOrder.next(chains[chain].listed)
    return node == .nobody ? .nobody : chainOrder.element(node)
  }

  /// The link of this name that has not ended.
  mutating func findLink(_ name: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> Slot<Link>? {
    linkNames.find(nameHash(name, in: chain)) { links[$0].chain == chain && links[$0].name.bytes.equals(name) }
  }

  /// The same, at a time at which it is to be used: if its connection has ended, it ends first, or its place has no handler.
  mutating func comeToLink(_ name: UnsafeRawBufferPointer, in chain: Slot<Chain>, at now: Instant) -> Slot<Link>? {
    guard let link = findLink(name, in: chain) else { return nil }
    if leavingConnections > 0 { settleLink(link, at: now) }
    return links[link].fate == nil ? link : nil
  }

  @inline(__always)
  mutating func nameHash(_ name: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> UInt32 {
    name.hash(seed: settings.hashSeed, beside: chain.index)
  }

  /// The chain has changed: its version goes up, and its accept lists are computed again when they are needed.
  mutating func raiseVersion(of chain: Slot<Chain>) {
    version += 1
    spent &+= Cost.link
    chains[chain].version = version
    chains[chain].revision += 1
  }
}
