public import BatonCore

/// What the file or `--guard` says about one chain: which links stand in it, in which order.
public struct ChainEntry: Sendable {
  /// The chain.
  public let name: String
  /// Where the entry stands.
  public let origin: Origin
  /// Whether others may stand behind the declared links; nil if it is not said.
  public var open: Sourced<Bool>?
  /// The links, in their order.
  public var links: [LinkEntry] = []

  init(name: String, origin: Origin) {
    self.name = name
    self.origin = origin
  }

  /// Whether others may stand behind the declared links.
  public var isOpen: Bool { open?.value ?? false }

  /// The entry as the core takes it.
  public var declaration: ChainDeclaration {
    ChainDeclaration(chain: name, links: links.map(\.link), isOpen: isOpen)
  }
}

/// One link of a declared chain, and where each of its values stands.
public struct LinkEntry: Sendable {
  /// What it is.
  public var link: DeclaredLink
  /// Where it stands.
  public let origin: Origin
  /// Where its name stands.
  public var nameOrigin: Origin
  /// Where the values stand that are said, by their keys.
  public var origins: [String: Origin] = [:]

  init(_ link: DeclaredLink, origin: Origin) {
    self.link = link
    self.origin = origin
    nameOrigin = origin
  }
}

extension [ChainEntry] {
  /// What `--guard` says: each place in its order, in front of an open chain. A place that is named twice counts once.
  static func guarding(_ places: [GuardedPlace]) -> [ChainEntry] {
    let origin = Origin.flag("--guard")
    var chains: [ChainEntry] = []
    for place in places {
      let at = chains.firstIndex { $0.name == place.chain } ?? chains.count
      if at == chains.count {
        var chain = ChainEntry(name: place.chain, origin: origin)
        chain.open = Sourced(true, from: origin)
        chains.append(chain)
      }
      guard !chains[at].links.contains(where: { $0.link.name == place.handler }) else { continue }
      var link = DeclaredLink(place.handler)
      link.isRequired = true
      link.onFailure = .stop
      var entry = LinkEntry(link, origin: origin)
      entry.origins = ["required": origin, "on_failure": origin]
      chains[at].links.append(entry)
    }
    return chains
  }
}
