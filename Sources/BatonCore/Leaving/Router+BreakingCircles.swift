/// The configuration file wins over mounts that peers have made: those that would close a circle with mounts of the file are
/// taken out (contract, section 12, "When the file changes"). The file alone has no circle.
extension Router {
  /// The mounts of peers that are part of a circle, if the file says this. The first made comes first. It looks once at
  /// each mount that can be reached from a mount of the file.
  mutating func mountsInCircles(with news: [ChainDeclaration]) -> [Slot<Link>] {
    let declared = Dictionary(uniqueKeysWithValues: news.map { ($0.chain, $0) })
    var search = CircleSearch()
    for declaration in news where declaration.links.contains(where: \.isMount) {
      guard search.begins(declaration.chain) else { continue }
      search.enter(declaration.chain, mounts(of: declaration.chain, declared))
      while let next = search.next() {
        spent &+= Cost.look
        if search.begins(next) { search.enter(next, mounts(of: next, declared)) }
      }
    }
    return search.inCircles.sorted { links[$0].arrival < links[$1].arrival }
  }

  /// The mounts that a chain would have, each with the link of a peer's one.
  private mutating func mounts(of chain: String, _ declared: [String: ChainDeclaration]) -> [CircleSearch.Mount] {
    let declaration = declared[chain]
    var mounts: [CircleSearch.Mount] = []
    for link in declaration?.links ?? [] where link.isMount { mounts.append((link.name, .nobody)) }
    let name = OwnedBytes(chain)
    defer { extendLifetime(name) }
    guard declaration?.isOpen ?? true, let slot = findChain(name.bytes) else { return mounts }
    let taken = Set(declaration?.links.map(\.name) ?? [])
    for link in chains[slot].mounts where !links[link].isDeclared && !taken.contains(links[link].name.string) {
      mounts.append((links[link].name.string, link))
    }
    return mounts
  }
}

/// Finds the mounts that are part of circles: Tarjan's search for strongly connected components, without recursion. Two
/// chains of one component lead to each other.
private struct CircleSearch {
  typealias Mount = (chain: String, link: Slot<Link>)

  /// A chain on the way.
  private struct Step {
    let chain: String
    let mounts: [Mount]
    var next = 0
    /// The earliest chain on the way to which it leads back.
    var low: Int
  }

  /// When a chain was come to.
  private var order: [String: Int] = [:]
  private var way: [Step] = []
  /// The chains whose component is not known yet, in the order in which they were come to; and those that are among them.
  private var open: [Step] = []
  private var isOpen: Set<String> = []
  private(set) var inCircles: [Slot<Link>] = []

  /// Whether the chain has not been come to.
  func begins(_ chain: String) -> Bool { order[chain] == nil }

  mutating func enter(_ chain: String, _ mounts: [Mount]) {
    let number = order.count
    order[chain] = number
    way.append(Step(chain: chain, mounts: mounts, low: number))
    open.append(way[way.count - 1])
    isOpen.insert(chain)
  }

  /// The chain to which the next mount leads; nil if the search is over.
  mutating func next() -> String? {
    while let last = way.indices.last {
      let step = way[last]
      if step.next < step.mounts.count {
        let next = step.mounts[step.next].chain
        way[last].next += 1
        if isOpen.contains(next) { way[last].low = min(way[last].low, order[next] ?? .max) }
        return next
      }
      way.removeLast()
      if let outer = way.indices.last { way[outer].low = min(way[outer].low, step.low) }
      if step.low == order[step.chain] { close(from: step.chain) }
    }
    return nil
  }

  /// These chains lead to each other, and to no others that are open.
  private mutating func close(from chain: String) {
    guard let first = open.lastIndex(where: { $0.chain == chain }) else { return }
    let component = open[first...]
    let names = Set(component.map(\.chain))
    if names.count > 1 {
      for mount in component.lazy.flatMap(\.mounts) where mount.link != .nobody && names.contains(mount.chain) {
        inCircles.append(mount.link)
      }
    }
    isOpen.subtract(names)
    open.removeSubrange(first...)
  }
}
