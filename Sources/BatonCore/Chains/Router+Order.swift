/// The order of a chain: its links by rank, then by arrival.
extension Router {
  /// The index in the chain's order of a link of this order, whether the link is there already or is new.
  mutating func findPosition(of order: Link.Order, in chain: Slot<Chain>) -> Int {
    var (low, high) = (0, chains[chain].order.count)
    while low < high {
      let middle = (low + high) / 2
      if links[chains[chain].order[middle]].order < order { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The position of a link among the links that have not ended, counted from 1.
  mutating func livePosition(of link: Slot<Link>) -> Int {
    let chain = links[link].chain
    let place = findPosition(of: links[link].order, in: chain)
    if chains[chain].order.count == chains[chain].live { return place + 1 }
    var count = 1
    for at in 0..<place where links[chains[chain].order[at]].fate == nil { count += 1 }
    return count
  }

  /// Makes a link that no connection serves yet.
  mutating func makeLink(
    _ name: UnsafeRawBufferPointer, in chain: Slot<Chain>, rank: Double, _ settings: LinkSettings
  ) -> Slot<Link> {
    raiseVersion(of: chain)
    arrivals += 1
    let link = links.insert(
      Link(chain: chain, name: name, rank: rank, arrival: arrivals, birth: version, settings: settings))
    chains[chain].order.insert(link, at: findPosition(of: links[link].order, in: chain))
    chains[chain].live += 1
    countedLinks += 1
    linkNames.insert(nameHash(name, in: chain), link)
    insertPatterns(of: link)
    return link
  }

  /// Gives a link other settings. The accept lists of its chain are dropped.
  mutating func applySettings(_ settings: LinkSettings, to link: Slot<Link>) {
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
  }
}
