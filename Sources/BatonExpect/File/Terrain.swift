internal import BatonConfig
internal import BatonCore

/// What the names in a case can mean: the chains and the peers of its configuration.
struct Terrain {
  /// The declared chains.
  let chains: [ChainDeclaration]
  /// The entries of `peers`; nil if everybody may do everything.
  let peers: [String]?

  init(_ configuration: Configuration) {
    chains = configuration.coreSettings().chains
    peers = if case .peers(let peers, _) = configuration.access { peers.map(\.name) } else { nil }
  }

  /// Whether the chain has the declared links and no others.
  func isClosed(_ chain: String) -> Bool { chains.contains { $0.chain == chain && !$0.isOpen } }

  /// Every declared link that is no mount.
  var links: [LinkName] {
    chains.flatMap { chain in chain.links.filter { !$0.isMount }.map { LinkName(chain: chain.chain, name: $0.name) } }
  }

  /// The chains into which a message can come: those that are declared or mounted, and the one down which it is sent.
  func reachable(from chain: String?) -> [String] {
    var names = chain.map { [$0] } ?? []
    for declared in chains {
      for name in [declared.chain] + declared.links.filter(\.isMount).map(\.name) where !names.contains(name) {
        names.append(name)
      }
    }
    return names
  }

  /// What a name, or `CHAIN/HANDLER`, means as a handler of a message that goes down a chain.
  func find(_ spelled: String, from sent: String?) -> Finding {
    if let slash = spelled.firstIndex(of: "/") {
      let (chain, name) = (String(spelled[..<slash]), String(spelled[spelled.index(after: slash)...]))
      let chains = reachable(from: sent)
      guard chains.contains(chain) else {
        return .nothing("no message comes into a chain \(quoted(chain)) here" + hint(chain, chains))
      }
      return check(LinkName(chain: chain, name: name))
    }
    let found = links.filter { $0.name == spelled }
    if found.count > 1 {
      let ways = found.map(\.description).joined(separator: " or ")
      return .nothing("\(quoted(spelled)) is in \(found.count) chains; write \(ways)")
    }
    if let link = found.first { return .link(link) }
    guard let sent else {
      return .nothing("the broadcast goes down no chain, so it meets no handler; say via, or leave handlers out")
    }
    return check(LinkName(chain: sent, name: spelled))
  }

  /// What a name means.
  enum Finding {
    case link(LinkName)
    /// Nothing, and why.
    case nothing(String)
  }

  private func check(_ link: LinkName) -> Finding {
    if let complaint = complaint(name: link.name) { return .nothing("the name \(quoted(link.name)) \(complaint)") }
    let names = links.filter { $0.chain == link.chain }.map(\.name)
    if names.contains(link.name) || !isClosed(link.chain) { return .link(link) }
    return .nothing("the chain \(link.chain) has no link \(quoted(link.name))" + hint(link.name, names))
  }

  private func hint(_ name: String, _ names: [String]) -> String {
    if let nearest = nearestName(to: name, among: names) { return "; did you mean \"\(nearest)\"?" }
    return names.isEmpty ? "" : "; there are: \(names.joined(separator: ", "))"
  }
}
