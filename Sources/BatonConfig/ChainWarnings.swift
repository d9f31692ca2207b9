internal import BatonCore

/// Finds what of declared chains is allowed and probably not meant. `peers` is nil if everybody may do everything.
struct ChainWarnings {
  let chains: [ChainEntry]
  let peers: [PeerEntry]?
  private let byName: [String: ChainEntry]
  private let guards: GuardedChains
  private(set) var all: [ConfigMistake] = []

  /// How many rights are compared with links before the search ends: a file may have many of both.
  private static let mostComparisons = 1_000_000
  /// Names that are shorter are near to too many others.
  private static let leastName = 4
  /// How many names are looked for among the declared ones: each search takes up to a millisecond.
  private var searches = 200

  init(_ chains: [ChainEntry], peers: [PeerEntry]?) {
    self.chains = chains
    self.peers = peers
    byName = Dictionary(chains.map { ($0.name, $0) }) { first, _ in first }
    guards = GuardedChains(chains.map(\.declaration))
  }

  mutating func find() {
    for chain in chains {
      if chain.links.isEmpty, !chain.isOpen {
        warn(chain.origin, "\(Self.title(chain)) has no links, and nobody may add any: no message there is handled")
      }
      warnBehindPerson(chain)
      warnAboutPermit(chain)
      for link in chain.links {
        guard !isFull else { return }
        if link.link.isMount { warnAboutMount(link) } else { warnAboutHandler(link) }
      }
    }
    guard let peers else { return }
    warnAboutNobody(peers)
    warnAboutRights(peers)
  }

  private var isFull: Bool { all.count >= MistakeList.most }

  private mutating func warn(_ origin: Origin, _ message: String) {
    if !isFull { all.append(ConfigMistake(origin, message)) }
  }

  private static func title(_ chain: ChainEntry) -> String { "the chain \(quoted(chain.name))" }

  // MARK: Links

  private mutating func warnAboutHandler(_ entry: LinkEntry) {
    let (link, name) = (entry.link, quoted(entry.link.name))
    if link.isShadow {
      for key in ["required", "on_failure", "hold_ms"] {
        guard let origin = entry.origins[key] else { continue }
        warn(origin, "no message waits for a shadow, so \(key) means nothing for \(name); leave one of the two out")
      }
      return
    }
    if link.isRequired || link.onFailure != .goOn { warnAboutPart(entry) }
    if link.onFailure[.disconnect], !link.isRequired, let origin = entry.origins["on_failure"] {
      warn(
        origin,
        "messages pass \(name) while nobody serves it; add required: true if none may pass")
    } else if link.isRequired, !link.onFailure[.disconnect], let origin = entry.origins["required"] {
      warn(
        origin,
        "messages go on behind \(name) while nobody serves it, and only tell a failure; add on_failure: stop if none "
          + "may pass")
    }
    if let pattern = link.accepts.first(where: { $0.hasPrefix("$") }), let origin = entry.origins["accepts"] {
      warn(origin, "no message has a topic that begins with $, so \(quoted(pattern)) matches none")
    }
  }

  /// What stands behind the person of `baton approvals`: nobody has approved what it does to a message.
  private mutating func warnBehindPerson(_ chain: ChainEntry) {
    guard byName["approvals"]?.links.contains(where: { $0.link.name == "desk" && !$0.link.isMount }) == true,
      let person = chain.links.firstIndex(where: { $0.link.name == "human" && !$0.link.isMount })
    else { return }
    for entry in chain.links[(person + 1)...] where !entry.link.isShadow && entry.link.name != "permit" {
      warn(
        entry.nameOrigin,
        "\(quoted(entry.link.name)) stands behind the person, who does not see what it makes of a message; put it in front of "
          + "\"human\", and let \"permit\" alone stand behind")
    }
  }

  /// `permit` of `baton policy` permits whatever comes to it: what the rules ask about, a person has to let pass.
  private mutating func warnAboutPermit(_ chain: ChainEntry) {
    func place(_ name: String) -> Int? {
      chain.links.firstIndex { $0.link.name == name && !$0.link.isMount && !$0.link.isShadow }
    }
    guard let policy = place("policy"), let permit = place("permit") else { return }
    let (rules, entry) = (chain.links[policy], chain.links[permit])
    if permit < policy {
      return warn(
        entry.nameOrigin,
        "\"permit\" permits whatever comes to it, so \"policy\" is never asked; put it behind \"policy\"")
    }
    if !rules.link.accepts.contains(">"), rules.link.accepts != entry.link.accepts {
      warn(
        rules.origins["accepts"] ?? rules.nameOrigin,
        "other topics pass \"policy\" and come to \"permit\", which permits them; let both accept the same")
    }
    // A chain that is mounted there may have the person in it.
    let isGuarded = chain.links[policy..<permit].dropFirst().contains { between in
      let link = between.link
      return link.isMount
        || !link.isShadow && link.isRequired && link.onFailure == .stop && link.percent == 100 && link.when == nil
          && (link.accepts.contains(">") || link.accepts == entry.link.accepts)
    }
    if !isGuarded {
      warn(
        entry.nameOrigin,
        "\"permit\" permits what the rules ask about, and nobody has to be asked before; put { handler: human, required: true, "
          + "on_failure: stop } in front of it")
    }
  }

  /// A guard, or a mount that leads to one, takes a part of the messages.
  private mutating func warnAboutPart(_ entry: LinkEntry, of guarding: String? = nil) {
    let (link, name) = (entry.link, quoted(entry.link.name))
    let place = guarding.map { "the guard \(quoted($0)), to which \(name) leads" } ?? name
    if link.percent < 100, let origin = entry.origins["percent"] {
      warn(
        origin,
        "a part of the messages comes to \(place), and the others pass it: who sends a message chooses its key, and so on "
          + "which side it is; leave percent out if none may pass")
    }
    if link.when != nil, let origin = entry.origins["when"] {
      warn(
        origin,
        "messages that do not fit the condition pass \(place), and a list fits by one element; leave when out if none may "
          + "pass")
    }
  }

  private mutating func warnAboutMount(_ entry: LinkEntry) {
    if let guarding = guards.guardBehind(entry.link) { warnAboutPart(entry, of: guarding) }
    guard let meant = nearMiss(entry.link.name) else { return }
    warn(
      entry.nameOrigin, "the file does not declare a chain \(quoted(entry.link.name)); did you mean \"\(meant)\"?")
  }

  /// A declared chain whose name is nearly the same; nil if there is none, or the chain itself is declared.
  private mutating func nearMiss(_ name: String) -> String? {
    guard name.utf8.count >= Self.leastName, byName[name] == nil, searches > 0 else { return nil }
    searches -= 1
    return nearestName(to: name, among: chains.lazy.map(\.name))
  }

  // MARK: Rights

  /// Declared handlers whom no peer may serve.
  private mutating func warnAboutNobody(_ peers: [PeerEntry]) {
    let serving: [[Right]] = peers.map { (peer: PeerEntry) -> [Right] in
      peer.may.map(\.value).filter { (right: Right) in
        right.kind == .everything || right.kind == .serve && right.namesInFull
      }
    }.filter { !$0.isEmpty }
    let rights = serving.reduce(0) { $0 + $1.count }
    var left = Self.mostComparisons
    for chain in chains {
      for entry in chain.links where !entry.link.isMount {
        left -= (rights + 1) * entry.link.accepts.count
        guard left > 0, !isFull else { return }
        let asked = entry.link.accepts.compactMap {
          try? Right(parsing: "serve \(chain.name)/\(entry.link.name)" + ($0 == ">" ? "" : " on \($0)"))
        }
        let isServed = serving.contains { may in asked.allSatisfy { right in may.contains { $0.covers(right) } } }
        if !isServed, let first = asked.first {
          warn(
            entry.nameOrigin,
            "no peer may serve \(quoted(entry.link.name)); the right would be: \(first.spelling)")
        }
      }
    }
  }

  /// Rights that name what is not declared, and probably mean what is.
  private mutating func warnAboutRights(_ peers: [PeerEntry]) {
    var handlers: [String: Set<String>] = [:]
    // A chain that has got another name has the same links.
    let links = chains.flatMap { chain in chain.links.filter { !$0.link.isMount }.map { ($0.link.name, chain.name) } }
    let chainWithLink = Dictionary(links) { first, _ in first }
    for right in peers.lazy.flatMap(\.may) {
      guard !isFull else { return }
      guard let name = right.value.oneChain else { continue }
      guard let chain = byName[name] else {
        let meant = nearMiss(name) ?? right.value.oneHandler.flatMap { chainWithLink[$0] }
        if let meant {
          warn(right.origin, "the file does not declare a chain \(quoted(name)); did you mean \"\(meant)\"?")
        }
        continue
      }
      guard right.value.kind == .serve, !chain.isOpen, let handler = right.value.oneHandler else { continue }
      let known = handlers[name] ?? Set(chain.links.filter { !$0.link.isMount }.map(\.link.name))
      handlers[name] = known
      guard !known.contains(handler) else { continue }
      let nearest = nearestName(to: handler, among: chain.links.filter { !$0.link.isMount }.map(\.link.name))
      let meant = nearest.map { "did you mean \"\($0)\"?" }
      let hint = meant ?? "add the link, or say open: true there"
      warn(right.origin, "\(Self.title(chain)) has no link \(quoted(handler)), and is not open; \(hint)")
    }
  }
}
