/// What the configuration file says about one chain: which links stand there, in their order (contract, section 12).
package struct Declaration: Equatable {
  package let chain: String
  /// Whether other links may stand behind them.
  package var isOpen = false
  package var links: [FileLink]

  package init(chain: String, links: [FileLink]) {
    self.chain = chain
    self.links = links
  }

  /// What `--guard` is short for: a link that stops everything that it fails, in front of an open chain.
  package static func guarding(_ handler: String, in chain: String) -> Declaration {
    var link = FileLink(handler)
    (link.required, link.onFailure) = (true, .stop)
    var declaration = Declaration(chain: chain, links: [link])
    declaration.isOpen = true
    return declaration
  }
}

/// One link as the file says it.
package struct FileLink: Equatable {
  package var name: String
  package var isMount = false
  package var accepts = [">"]
  /// Nil: its handler says it.
  package var timeoutMilliseconds: Int?
  package var window: Int?
  package var onFailure = Policy.continue
  package var share = false
  package var holdMilliseconds = 0
  package var required = false
  package var shadow = false
  package var percent = 100
  /// As JSON; nil for none.
  package var when: String?
  /// Of a mount: whether the links behind it are asked at once.
  package var together = false

  package init(_ name: String) { self.name = name }
}

/// What the handler of a declared link brings where the file says nothing.
struct Brought: Equatable {
  var timeoutMilliseconds: Int?
  var window: Int?
}

/// A link as messages see it that entered its chain before it was changed by `move` or by the file.
struct Past {
  /// The version with which the change came.
  let until: Int
  let settings: LinkSettings
  let isDeclared: Bool
}
