internal import BatonCore

/// Finds out what of declared chains does not fit together, with each other and with the settings in force.
struct ChainCheck {
  let chains: [ChainEntry]
  let settings: Settings
  /// Whether the server asks who is there.
  let asks: Bool
  private let indexes: [String: Int]
  private(set) var mistakes: [ConfigMistake] = []

  init(_ chains: [ChainEntry], settings: Settings, asks: Bool) {
    self.chains = chains
    self.asks = asks
    self.settings = settings
    // Of a chain that is declared twice, which is a mistake, the first counts.
    indexes = Dictionary(chains.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
  }

  mutating func check() {
    checkCounts()
    checkPatterns()
    checkConditions()
    checkMounts()
    checkCircles()
  }

  private mutating func wrong(_ origin: Origin, _ message: String) {
    if mistakes.count <= MistakeList.most { mistakes.append(ConfigMistake(origin, message)) }
  }

  private mutating func checkCounts() {
    let count = chains.reduce(0) { $0 + $1.links.count }
    guard count > settings.maxLinks, let first = chains.first else { return }
    wrong(first.origin, "\(count) links are declared, and max_links is \(settings.maxLinks); raise it under settings")
  }

  /// A pattern is bounded by settings, which may stand behind it in the file.
  private mutating func checkPatterns() {
    for link in chains.lazy.flatMap(\.links) {
      for pattern in link.link.accepts {
        guard let complaint = complaint(pattern: pattern, within: settings) else { continue }
        wrong(link.origins["accepts"] ?? link.origin, "the pattern \(quoted(pattern)) \(complaint)")
      }
    }
  }

  /// Who may do what stands behind the chains, perhaps.
  private mutating func checkConditions() {
    guard !asks else { return }
    for link in chains.lazy.flatMap(\.links) where link.link.when?.condition.asksIdentity == true {
      wrong(
        link.origins["when"] ?? link.origin,
        "when: identity: says nothing where the server asks nobody who is there; write peers, or leave it out")
    }
  }

  // MARK: Mounts

  private mutating func checkMounts() {
    var mountedIn: [String: Int] = [:]
    for chain in chains {
      var mounts = 0
      for link in chain.links where link.link.isMount {
        mounts += 1
        mountedIn[link.link.name, default: 0] += 1
        if mounts == settings.maxMounts + 1 {
          wrong(
            link.nameOrigin,
            "the chain \(quoted(chain.name)) has more than \(settings.maxMounts) mounts (max_mounts); take some out")
        }
        if mountedIn[link.link.name] == settings.maxMounts + 1 {
          wrong(
            link.nameOrigin,
            "the chain \(quoted(link.link.name)) is mounted in more than \(settings.maxMounts) chains (max_mounts)")
        }
      }
    }
  }

  /// A chain on the way through the mounts.
  private struct Step {
    let chain: Int
    /// The link to look at next.
    var link = 0
  }

  /// Goes along all mounts, each once. A mount of a chain that is on the way already closes a circle.
  private mutating func checkCircles() {
    // How many mounts follow each other from a chain on; nil: not known yet.
    var depths = [Int?](repeating: nil, count: chains.count)
    var onTheWay = [Bool](repeating: false, count: chains.count)
    var isTooDeep = false
    for start in chains.indices where depths[start] == nil {
      var way = [Step(chain: start)]
      onTheWay[start] = true
      depths[start] = 0
      while let step = way.last {
        guard step.link < chains[step.chain].links.count else {
          onTheWay[step.chain] = false
          way.removeLast()
          continue
        }
        let link = chains[step.chain].links[step.link]
        guard link.link.isMount else {
          way[way.count - 1].link += 1
          continue
        }
        let inner = indexes[link.link.name]
        if let inner, onTheWay[inner] {
          tellCircle(way.map(\.chain), backTo: inner, at: link)
        } else if let inner, depths[inner] == nil {
          onTheWay[inner] = true
          depths[inner] = 0
          way.append(Step(chain: inner))
          // The mount is looked at once more, when what it leads to is known.
          continue
        } else {
          let depth = 1 + (inner.flatMap { depths[$0] } ?? 0)
          depths[step.chain] = max(depths[step.chain] ?? 0, depth)
          if depth > settings.maxMountDepth, !isTooDeep {
            isTooDeep = true
            wrong(
              link.nameOrigin,
              "from the chain \(quoted(chains[step.chain].name)) on, \(depth) mounts follow each other, and "
                + "\(settings.maxMountDepth) are allowed (max_mount_depth); take some out")
          }
        }
        way[way.count - 1].link += 1
      }
    }
  }

  /// The most chains of a circle that are named.
  private static let mostNamed = 8

  private mutating func tellCircle(_ way: [Int], backTo inner: Int, at link: LinkEntry) {
    let circle = way[(way.firstIndex(of: inner) ?? 0)...].map { chains[$0].name }
    let named = circle.prefix(ChainCheck.mostNamed).joined(separator: " → ")
    let rest = circle.count > ChainCheck.mostNamed ? " → … (\(circle.count) chains)" : ""
    wrong(
      link.nameOrigin, "this mount closes a circle: \(named)\(rest) → \(circle[0]); take one of its mounts out")
  }
}
