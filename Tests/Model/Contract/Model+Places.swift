/// Where links stand in their chain, and with which rank (contract, section 5, `at`, `before`, `after`, `rank`).
extension Model {
  private static let most = 1e9

  /// The link of this name, a mount or a handler's.
  func find(_ name: String, in chain: String) -> Int? {
    chains[chain]?.links.first { links[$0].name == name }
  }

  /// A handler's link of this name.
  func findHandler(_ name: String, in chain: String) throws(Refusal) -> Int {
    guard let link = find(name, in: chain), !links[link].isMount else { throw Refusal("no_such_handler") }
    return link
  }

  /// The link that `before` or `after` names must be there.
  func check(_ place: Place?, in chain: String) throws(Refusal) {
    switch place {
    case .before(let name)?, .after(let name)?:
      if find(name, in: chain) == nil { throw Refusal("no_such_handler") }
    default: break
    }
  }

  /// Puts a new link into its chain, which is made where it is not there.
  mutating func put(_ link: Link, at place: Place?) -> Int {
    version += 1
    var link = link
    link.rank = rank(for: place, in: link.chain)
    let number = links.count
    links.append(link)
    var chain = chains[link.chain] ?? Chain(version: version)
    chain.version = version
    let index = chain.links.firstIndex { links[$0].rank > link.rank } ?? chain.links.count
    chain.links.insert(number, at: index)
    chains[link.chain] = chain
    return number
  }

  /// Takes a link out of its chain; a chain without links is forgotten.
  mutating func takeOut(_ link: Int, _ state: Link.State) {
    version += 1
    links[link].state = state
    links[link].vacancy = .none
    alarms.cancel(.hold(link))
    let name = links[link].chain
    chains[name]?.links.removeAll { $0 == link }
    chains[name]?.version = version
    if chains[name]?.links.isEmpty == true { chains[name] = nil }
  }

  mutating func raiseVersion(of chain: String) {
    version += 1
    chains[chain]?.version = version
  }

  /// `,"rank":…,"position":…,"links":…,"version":…`
  func tellPlace(of link: Int, to line: inout Line) {
    let chain = chains[links[link].chain]
    line.add(rank: links[link].rank)
    line.add("position", (chain?.links.firstIndex(of: link) ?? -1) + 1)
    line.add("links", chain?.links.count ?? 0)
    line.add("version", chain?.version ?? 0)
  }

  // MARK: Ranks

  private mutating func rank(for place: Place?, in chain: String) -> Double {
    if case .rank(let spelled)? = place { return Double(spelled) ?? 0 }
    let there = chains[chain]?.links ?? []
    let index =
      switch place {
      case .front?: 0
      case .before(let name)?: there.firstIndex { links[$0].name == name } ?? 0
      case .after(let name)?: (there.firstIndex { links[$0].name == name } ?? 0) + 1
      default: there.count
      }
    let below = index > 0 ? links[there[index - 1]].rank : nil
    let above = index < there.count ? links[there[index]].rank : nil
    return Model.rank(between: below, and: above) ?? renumber(there, from: index, above: below)
  }

  /// The middle between two, or one more or less.
  private static func rank(between below: Double?, and above: Double?) -> Double? {
    switch (below, above) {
    case (nil, nil): return 1
    case (let below?, nil): return below + 1 <= most ? below + 1 : nil
    case (nil, let above?): return above - 1 >= -most ? above - 1 : nil
    case (let below?, let above?):
      let middle = below + (above - below) / 2
      return below < middle && middle < above ? middle : nil
    }
  }

  /// No number is left between: the new link gets the next one, and those behind go up by as much as they must. Where
  /// that leads out of the range, the whole chain is numbered from 1.
  private mutating func renumber(_ there: [Int], from index: Int, above below: Double?) -> Double {
    seen.insert(.moved)
    guard let below, let raised = raised(there[index...], above: below + 1) else {
      for (place, link) in there.enumerated() { move(link, to: Double(place < index ? place + 1 : place + 2)) }
      return Double(index + 1)
    }
    for (link, rank) in raised { move(link, to: rank) }
    return below + 1
  }

  private func raised(_ following: ArraySlice<Int>, above start: Double) -> [(Int, Double)]? {
    var last = start
    var raised: [(Int, Double)] = []
    for link in following where links[link].rank <= last {
      last += 1
      raised.append((link, last))
    }
    return last <= Model.most ? raised : nil
  }

  private mutating func move(_ link: Int, to rank: Double) {
    guard links[link].rank != rank else { return }
    links[link].rank = rank
    var line = Line("moved")
    line.add("chain", links[link].chain)
    line.add("handler", links[link].name)
    line.add(rank: rank)
    for server in links[link].servers { say(line, to: server.connection) }
  }
}
