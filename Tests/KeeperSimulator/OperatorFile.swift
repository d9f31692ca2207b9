import BatonCore
import WorldKit

/// A place where a handler may stand.
struct Place: Hashable {
  var chain: String
  var name: String
}

/// What the configuration file declares, and which way messages go there.
struct OperatorFile {
  var chains: [ChainDeclaration]

  static let names = ["a", "b", "c"]
  static let topics = ["t.x", "t.y"]
  /// Places that handlers may serve.
  static let places = [
    Place(chain: "a", name: "g"), Place(chain: "a", name: "w"), Place(chain: "a", name: "h"),
    Place(chain: "b", name: "w"), Place(chain: "b", name: "h"), Place(chain: "c", name: "g"),
    Place(chain: "c", name: "h"),
  ]

  /// What it says in the end, when everything is well.
  static var calm: OperatorFile {
    OperatorFile(chains: [
      ChainDeclaration(chain: "a", links: [guardian("g"), DeclaredLink("w"), DeclaredLink("h")]),
      ChainDeclaration(chain: "b", links: [mount("c"), DeclaredLink("h")]),
      ChainDeclaration(chain: "c", links: [DeclaredLink("h")]),
    ])
  }

  static func random(using luck: inout Generator) -> OperatorFile {
    var chains: [ChainDeclaration] = []
    if luck.chance(88) {
      var links = luck.chance(70) ? [guardian("g")] : []
      if luck.chance(50) { links.append(link("w", using: &luck)) }
      if luck.chance(30) { links.append(mount("c")) }
      links.append(link("h", using: &luck))
      chains.append(ChainDeclaration(chain: "a", links: links, isOpen: luck.chance(20)))
    }
    if luck.chance(80) {
      var links = luck.chance(60) ? [mount("c")] : []
      if luck.chance(40) { links.append(link("w", using: &luck)) }
      links.append(link("h", using: &luck))
      chains.append(ChainDeclaration(chain: "b", links: links, isOpen: luck.chance(20)))
    }
    if luck.chance(75) {
      let links = luck.chance(40) ? [guardian("g")] : []
      chains.append(ChainDeclaration(chain: "c", links: links + [link("h", using: &luck)], isOpen: luck.chance(30)))
    }
    return OperatorFile(chains: chains)
  }

  /// What `--guard` declares.
  private static func guardian(_ name: String) -> DeclaredLink {
    var link = DeclaredLink(name)
    (link.isRequired, link.onFailure) = (true, .stop)
    return link
  }

  private static func mount(_ chain: String) -> DeclaredLink {
    var link = DeclaredLink(chain)
    link.isMount = true
    return link
  }

  private static func link(_ name: String, using luck: inout Generator) -> DeclaredLink {
    var link = DeclaredLink(name)
    if luck.chance(20) { link.accepts = ["t.x"] }
    if luck.chance(25) { link.timeoutMilliseconds = luck.between(20...300) }
    if luck.chance(35) { link.window = luck.between(1...3) }
    if luck.chance(15) { link.holdMilliseconds = luck.pick([100, 5000]) }
    if luck.chance(20) { link.isRequired = true }
    if luck.chance(20) { link.onFailure = .stop }
    if luck.chance(25) { link.isShared = true }
    if name == "w", luck.chance(40) { link.isShadow = true }
    return link
  }

  func declares(_ chain: String) -> Bool { chains.contains { $0.chain == chain } }

  /// The declared links for a topic, in the order in which a message comes to them; those of mounts in their place.
  func way(from chain: String, _ topic: String) -> [(place: Place, link: DeclaredLink)] {
    guard let declaration = chains.first(where: { $0.chain == chain }) else { return [] }
    return declaration.links.flatMap { link in
      if link.isMount { return way(from: link.name, topic) }
      return link.accepts.contains(">") || link.accepts.contains(topic)
        ? [(Place(chain: chain, name: link.name), link)] : []
    }
  }

  func guards(_ link: DeclaredLink) -> Bool { link.isRequired && link.onFailure == .stop && !link.isShadow }
}
