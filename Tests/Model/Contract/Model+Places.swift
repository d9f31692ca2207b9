/// Where links stand in their chain, and with which rank (contract, section 5, `at`, `before`, `after`, `rank`).
extension Model {
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
  mutating func check(_ place: Place?, in chain: String) throws(Refusal) {
    switch place {
    case .before(let name)?, .after(let name)?:
      guard let link = find(name, in: chain) else { throw Refusal("no_such_handler") }
      if links[link].isDeclared, keeps(.declaredAreFirst) { throw notAllowed() }
    default: break
    }
  }

  /// Puts a new link into its chain. The chain is made if it is not there.
  mutating func put(_ link: Link, at place: Place?) -> Int {
    version += 1
    var link = link
    link.rank = rank(for: place, in: link.chain)
    let number = links.count
    arrivals += 1
    link.arrival = arrivals
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
    (links[link].vacancy, links[link].history) = (.none, nil)
    alarms.cancel(.hold(link))
    let name = links[link].chain
    chains[name]?.links.removeAll { $0 == link }
    chains[name]?.version = version
    forgetIfEmpty(name)
  }

  /// Puts a link of the chain at a rank, behind others that have the same one.
  mutating func stand(_ link: Int, at rank: Double) {
    arrivals += 1
    (links[link].rank, links[link].arrival) = (rank, arrivals)
    var there = (chains[links[link].chain]?.links ?? []).filter { $0 != link }
    there.insert(link, at: there.firstIndex { links[$0].rank > rank } ?? there.count)
    chains[links[link].chain]?.links = there
  }

  /// The version of a chain that has links.
  func version(of chain: String) -> Int? {
    chains[chain].flatMap { $0.links.isEmpty ? nil : $0.version }
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

  /// Declared links are the first ones of their chain. All that would stand ahead of them stands first behind them.
  mutating func rank(for place: Place?, in chain: String) -> Double {
    let there = chains[chain]?.links ?? []
    let declared = there.filter { links[$0].isDeclared && keeps(.declaredAreFirst) }
    if case .rank(let spelled)? = place, let rank = Double(spelled) {
      if declared.allSatisfy({ links[$0].rank < rank }) { return rank }
      seen.insert(.behindDeclared)
    }
    let ahead =
      switch place {
      case .front?, .rank?: declared.count
      case .before(let name)?: there.firstIndex { links[$0].name == name } ?? 0
      case .after(let name)?: (there.firstIndex { links[$0].name == name } ?? 0) + 1
      default: there.count
      }
    return freeRank(behind: ahead, of: there.map { links[$0].rank }) ?? makeRoom(behind: ahead, of: there)
  }

  /// The rank of a newcomer behind this many links: one more than the last, one less than the first, or the middle of
  /// two. Nil if there is no such number.
  private func freeRank(behind ahead: Int, of ranks: [Double]) -> Double? {
    let smaller = ranks.prefix(ahead).last
    let larger = ranks.dropFirst(ahead).first
    guard let low = smaller ?? larger.map({ $0 - 2 }), let high = larger ?? smaller.map({ $0 + 2 }) else { return 1 }
    let rank = low + (high - low) / 2
    return low < rank && rank < high && abs(rank) <= 1e9 ? rank : nil
  }

  /// The newcomer gets the next number after the links before it. The links behind it go up by as much as they must. At
  /// the front, or if a number leaves the range, the whole chain is numbered from 1.
  private mutating func makeRoom(behind ahead: Int, of there: [Int]) -> Double {
    seen.insert(.moved)
    var ranks = there.map { links[$0].rank }
    ranks.insert((ranks.prefix(ahead).last ?? 1e9) + 1, at: ahead)
    for index in ranks.indices.dropFirst(ahead + 1) {
      if ranks[index] > ranks[index - 1] { break }
      ranks[index] = ranks[index - 1] + 1
    }
    if ranks.contains(where: { $0 > 1e9 }) { ranks = ranks.indices.map { Double($0 + 1) } }
    let own = ranks.remove(at: ahead)
    for (link, rank) in zip(there, ranks) where rank != links[link].rank { move(link, to: rank) }
    return own
  }

  mutating func move(_ link: Int, to rank: Double) {
    guard links[link].rank != rank else { return }
    links[link].rank = rank
    tellMoved(link)
  }

  mutating func tellMoved(_ link: Int) {
    var line = Line("moved")
    line.add("chain", links[link].chain)
    line.add("handler", links[link].name)
    line.add(rank: links[link].rank)
    for server in links[link].servers { say(line, to: server.connection) }
  }
}
