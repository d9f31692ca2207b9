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

  /// The link of this name that has not ended.
  mutating func findLink(_ name: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> Slot<Link>? {
    linkNames.find(nameHash(name, in: chain)) { links[$0].chain == chain && links[$0].name.bytes.equals(name) }
  }

  @inline(__always)
  mutating func nameHash(_ name: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> UInt32 {
    name.hash(seed: settings.hashSeed, beside: chain.index)
  }

  /// The chain has changed: its version goes up, and its accept lists are dropped.
  mutating func raiseVersion(of chain: Slot<Chain>) {
    version += 1
    chains[chain].version = version
    dropAcceptLists(of: chain)
  }
}
