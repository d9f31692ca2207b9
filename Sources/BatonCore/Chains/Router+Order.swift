/// The order of a chain: its links by rank, then by arrival, in a tree that counts. Links that have not ended have the
/// weight 1 there.
extension Router {
  /// The first node of the chain whose link is not before `order`, or `nobody`.
  mutating func firstNode(of chain: Slot<Chain>, from order: Link.Order) -> Slot<OrderNode> {
    linkOrder.firstNode(chains[chain].order) { !(links[$0].order < order) }
  }

  /// The first node of the chain whose link is behind `order`, or `nobody`. All are behind nil.
  mutating func firstNode(of chain: Slot<Chain>, behind order: Link.Order?) -> Slot<OrderNode> {
    guard let order else { return linkOrder.first(chains[chain].order) }
    return linkOrder.firstNode(chains[chain].order) { order < links[$0].order }
  }

  /// The first link of a chain that has not ended, or `nobody`. With `behind`, the first that comes behind that place
  /// in the order, whether a link is there or not.
  mutating func firstLink(of chain: Slot<Chain>, behind place: Link.Order? = nil) -> Slot<Link> {
    var node = firstNode(of: chain, behind: place)
    if node != .nobody, linkOrder.weight(node) == 0 { node = linkOrder.nextWeighted(node, in: chains[chain].order) }
    return node == .nobody ? .nobody : linkOrder.element(node)
  }

  /// The next link behind this one that has not ended, or `nobody`.
  mutating func link(behind link: Slot<Link>) -> Slot<Link> {
    let node = linkOrder.nextWeighted(links[link].node, in: chains[links[link].chain].order)
    return node == .nobody ? .nobody : linkOrder.element(node)
  }

  /// The position of a link among the links that have not ended, counted from 1.
  mutating func livePosition(of link: Slot<Link>) -> Int { linkOrder.weightBefore(links[link].node) + 1 }

  /// Makes a link that no connection serves yet.
  mutating func makeLink(
    _ name: UnsafeRawBufferPointer, in chain: Slot<Chain>, rank: Double, _ settings: LinkSettings
  ) -> Slot<Link> {
    raiseVersion(of: chain)
    arrivals += 1
    let link = links.insert(
      Link(chain: chain, name: name, rank: rank, arrival: arrivals, birth: version, settings: settings))
    let next = firstNode(of: chain, from: links[link].order)
    links[link].node = linkOrder.insert(link, before: next, into: &chains[chain].order)
    chains[chain].live += 1
    if chains[chain].live == 1 { listChain(chain) }
    countedLinks += 1
    linkNames.insert(nameHash(name, in: chain), link)
    insertPatterns(of: link)
    return link
  }

  /// Gives a link other settings. `brought`: what its handler brings, if it is declared.
  mutating func applySettings(_ settings: LinkSettings, _ brought: HandlerSettings, to link: Slot<Link>) {
    if links[link].isDeclared { links[link].brought = brought }
    raiseVersion(of: links[link].chain)
    removePatterns(of: link)
    links[link].settings = settings
    insertPatterns(of: link)
  }

  mutating func renameLink(_ link: Slot<Link>, to name: UnsafeRawBufferPointer) {
    if links[link].name.bytes.equals(name) { return }
    let chain = links[link].chain
    linkNames.remove(nameHash(links[link].name.bytes, in: chain), link)
    linkNames.insert(nameHash(name, in: chain), link)
    links[link].name = OwnedBytes(copying: name)
    meterAnew(link)
  }
}
