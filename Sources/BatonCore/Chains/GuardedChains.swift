/// Which declared chains lead to a guard: to one of their own links, or through their mounts to one of another chain. It
/// takes as many steps as there are links; circles do not matter.
package struct GuardedChains {
  /// By the chain: the place of one of its guards, `chain/handler`.
  private var places: [String: String] = [:]

  /// Looks through declared chains.
  package init(_ chains: [ChainDeclaration]) {
    var mountedIn: [String: [String]] = [:]
    var found: [String] = []
    for chain in chains {
      for link in chain.links where link.isMount { mountedIn[link.name, default: []].append(chain.chain) }
      guard let own = chain.links.first(where: \.stopsSome) else { continue }
      places[chain.chain] = "\(chain.chain)/\(own.name)"
      found.append(chain.chain)
    }
    var next = 0
    while next < found.count {
      for outer in mountedIn[found[next]] ?? [] where places[outer] == nil {
        places[outer] = places[found[next]]
        found.append(outer)
      }
      next += 1
    }
  }

  /// The guard to which a mount leads; nil if it leads to none, or the link is no mount.
  package func guardBehind(_ link: DeclaredLink) -> String? { link.isMount ? places[link.name] : nil }

  /// Whether the link is a guard, or leads to one.
  func hasGuard(_ link: DeclaredLink) -> Bool { link.stopsSome || guardBehind(link) != nil }
}
