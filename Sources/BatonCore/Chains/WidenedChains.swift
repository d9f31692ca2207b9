/// Which declared chains take more messages than before: by their own links, or through their mounts. What stands behind such a
/// mount may get fewer.
struct WidenedChains {
  /// With more patterns, a chain counts as one that takes more of each topic.
  private static let mostPatterns = 8

  /// By the chain: the topics of which it takes more.
  private var topics: [String: [String]] = [:]
  /// By the chain: the chains that are mounted in it.
  private var mounted: [String: [String]] = [:]

  /// Compares all declared chains with older ones.
  init(_ chains: [ChainDeclaration], from old: [ChainDeclaration]) {
    let before = Dictionary(uniqueKeysWithValues: old.map { ($0.chain, $0.links) })
    var mountedIn: [String: [(chain: String, accepts: [String])]] = [:]
    var found: [String] = []
    for chain in chains {
      let links = Dictionary(uniqueKeysWithValues: (before[chain.chain] ?? []).map { (LinkKey($0), $0) })
      for link in chain.links {
        if widen(chain.chain, by: link.takesMore(than: links[LinkKey(link)])) { found.append(chain.chain) }
        guard link.isMount else { continue }
        mountedIn[link.name, default: []].append((chain.chain, link.accepts))
        mounted[chain.chain, default: []].append(link.name)
      }
    }
    var next = 0
    while next < found.count {
      for outer in mountedIn[found[next]] ?? [] {
        let more = outer.accepts == [">"] ? topics[found[next]] ?? [] : outer.accepts
        if widen(outer.chain, by: more) { found.append(outer.chain) }
      }
      next += 1
    }
  }

  /// Returns whether that is new.
  private mutating func widen(_ chain: String, by more: [String]) -> Bool {
    var all = topics[chain] ?? []
    let count = all.count
    for pattern in more where !all.contains(pattern) && !all.contains(">") {
      if all.count < Self.mostPatterns { all.append(pattern) } else { all = [">"] }
    }
    guard all.count != count else { return false }
    topics[chain] = all
    return true
  }

  /// The topics of which the chain behind a mount takes more; none if the link is no mount.
  func topics(behind link: DeclaredLink) -> [String] {
    guard link.isMount, let more = topics[link.name], !more.isEmpty else { return [] }
    return link.accepts == [">"] ? more : link.accepts
  }

  /// The chains to which mounts lead, and that take more. `left` is the number of steps that may still be taken.
  func chains(behind links: [LinkKey], left: inout Int) -> [String] {
    var all = links.filter(\.isMount).map(\.name).filter { topics[$0] != nil }
    var seen = Set(all)
    var next = 0
    while next < all.count, left > 0 {
      for name in mounted[all[next]] ?? [] where topics[name] != nil && seen.insert(name).inserted { all.append(name) }
      left -= 1 + (mounted[all[next]] ?? []).count
      next += 1
    }
    return all
  }
}
