package import BatonConfig

/// Rules that decide nothing, because others before them decide about all that they are about.
extension Rules {
  /// A rule that no question can reach.
  package struct Unreachable: Sendable, Equatable {
    /// Its number, from 1, and where it stands.
    package let rule: Int
    package let place: FilePlace
    /// The rules before it that decide.
    package let behind: [Int]
  }

  /// The rules that no question can reach, as far as names and equal demands show it.
  package var unreachable: [Unreachable] {
    all.indices.compactMap { number in
      let rule = all[number]
      var behind: Set<Int> = []
      for agent in rule.agents ?? [.any] {
        for server in rule.servers.map({ $0.map(Optional.some) }) ?? [nil] {
          for tool in rule.tools {
            guard
              let first = all[..<number].firstIndex(where: {
                $0.covers(agent, server, tool) && $0.asksNoMore(than: rule)
              })
            else { return nil }
            behind.insert(first + 1)
          }
        }
      }
      return Unreachable(rule: number + 1, place: rule.place, behind: behind.sorted())
    }
  }
}

extension Rule {
  fileprivate func covers(_ agent: NamePattern, _ server: NamePattern?, _ tool: NamePattern) -> Bool {
    let isServer: Bool
    switch (servers, server) {
    case (nil, nil): isServer = true
    case (let mine?, let other?): isServer = mine.contains { $0.covers(other) }
    default: isServer = false
    }
    return isServer && (agents ?? [.any]).contains { $0.covers(agent) } && tools.contains { $0.covers(tool) }
  }

  /// Whether it fits all that `other` fits, of the same tools. In doubt a rule that allows does not fit, and others do.
  fileprivate func asksNoMore(than other: Rule) -> Bool {
    if demands == Demands() { return true }
    if verdict == .allow, other.verdict != .allow { return false }
    let (mine, its) = (demands, other.demands)
    return (mine.words == nil || mine.words == its.words) && (mine.when == nil || mine.when == its.when)
      && mine.inside.allSatisfy { its.inside[$0.key] == $0.value }
      && mine.contains.allSatisfy { its.contains[$0.key] == $0.value }
  }
}
