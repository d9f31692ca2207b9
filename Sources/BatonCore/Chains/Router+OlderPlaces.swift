/// Older places of links. A link can be moved, and a reload can change the settings of a declared one, while messages walk
/// its chain. These go on seeing the link where it stood, with the settings that it had (contract, section 5, `move`, and
/// section 12). An older place is a link of its own for the order and the patterns of the chain; whoever comes to it comes
/// to the link itself. It is forgotten with the last walk that may see it.
extension Router {
  /// The link's place or settings are about to change. Walks that are in the chain keep what it has now.
  /// `account` pays for that.
  mutating func keepOlderPlace(of link: Slot<Link>, paidBy account: Slot<PeerAccount> = .nobody) {
    let chain = links[link].chain
    raiseVersion(of: chain)
    let birth = links[link].birth
    links[link].birth = version
    guard chains[chain].walks.count > 0 else { return }
    var older = Link(
      chain: chain, name: links[link].name.bytes, rank: links[link].rank, arrival: links[link].arrival, birth: birth,
      settings: links[link].settings)
    older.fate = .moved
    older.end = version
    older.isAwaited = true
    older.declaredAt = links[link].declaredAt
    older.older = links[link].older
    older.present = links.ref(link)
    let mounted = links[link].mounted
    if mounted != .nobody { older.service = .mount(mounted) }
    let place = links.insert(older)
    links[link].older = links.ref(place)
    links[place].node = linkOrder.insert(place, before: links[link].node, into: &chains[chain].order)
    linkOrder.setWeight(links[place].node, to: 0)
    countedLinks += 1
    insertPatterns(of: place)
    keepPatterns(of: place)
    chargeLink(place, to: account)
    chains[chain].lost.append(links.ref(place))
  }

  /// Puts a link at another rank, or anew at its own: its older place stands where it stood.
  mutating func putLink(_ link: Slot<Link>, at rank: Double) {
    let chain = links[link].chain
    arrivals += 1
    linkOrder.remove(links[link].node, from: &chains[chain].order)
    links[link].rank = rank
    links[link].arrival = arrivals
    let next = firstNode(of: chain, from: links[link].order)
    links[link].node = linkOrder.insert(link, before: next, into: &chains[chain].order)
  }

  /// The place at which a walk sees the link: the link itself, or an older place of it. `entered` is the version at which
  /// the walk entered the chain.
  @inline(__always)
  mutating func placeSeen(of link: Slot<Link>, since entered: Int) -> Slot<Link> {
    links[link].birth <= entered ? link : olderPlace(of: link, since: entered)
  }

  @inline(never)
  private mutating func olderPlace(of link: Slot<Link>, since entered: Int) -> Slot<Link> {
    var place = links[link].older
    while links.contains(place) {
      spent &+= Cost.look
      if links[place.slot].birth <= entered { return place.slot }
      place = links[place.slot].older
    }
    return link
  }

  /// Whether a walk that entered at a version still comes to a link that has ended since then, or to an older place.
  @inline(never)
  mutating func isStillSeen(_ place: Slot<Link>, since entered: Int) -> Bool {
    guard links[place].end > entered, links[place].fate == .moved else {
      return links[place].fate == .lost && links[place].end > entered
    }
    let present = links[place].present
    guard links.contains(present), links[present.slot].fate != .removed, !isGoing(present.slot) else { return false }
    return links[present.slot].fate == nil || links[present.slot].mounted == .nobody
  }

  /// Whether the link of a place has not ended.
  mutating func isThere(_ place: Slot<Link>) -> Bool {
    links[place].fate == .moved ? links[links[place].present.slot].fate == nil : links[place].fate == nil
  }

  /// Whether the configuration file has closed the chain, and the link is to be taken out.
  mutating func isGoing(_ link: Slot<Link>) -> Bool {
    chains[links[link].chain].isClosing && !links[link].isDeclared && links[link].fate == nil
  }
}
