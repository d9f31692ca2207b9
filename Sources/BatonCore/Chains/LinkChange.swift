/// What a reload changes at one declared link (contract, section 11, `Reload`).
public struct LinkChange: Equatable, Sendable {
  /// What happens to it.
  public enum What: String, Sendable { case added, removed, changed, moved }

  /// What happens to it.
  public let what: What
  /// Its chain.
  public let chain: String
  /// The link.
  public let link: LinkKey
  /// The settings that get other values.
  public var settings: [String] = []
  /// Whether it lets messages pass that it stopped before: as a guard, or as a mount that leads to one.
  public var guardsLess = false
  /// Whether messages pass a guard because of its place in the chain, or because it takes more messages in front of one.
  public var isPassing = false
  /// The guard to which the mount led, `chain/handler`; nil if it led to none, or the link is no mount.
  public var guardBehind: String?
  /// The topics of which it takes more messages than before.
  var more: [String] = []

  /// Whether messages pass that were stopped before.
  public var isUnguarded: Bool { guardsLess || isPassing }

  init(_ what: What, chain: String, _ link: DeclaredLink) {
    self.what = what
    self.chain = chain
    self.link = LinkKey(link)
  }
}

extension DeclaredLink {
  /// Whether it stops messages at all.
  var stopsSome: Bool { !isMount && !isShadow && Cause.allCases.contains { onFailure[$0] } }

  /// The settings in which it differs from an older link of the same name.
  func different(from old: DeclaredLink) -> [String] {
    let all: [(String, Bool)] = [
      ("accepts", accepts != old.accepts), ("timeout_ms", timeoutMilliseconds != old.timeoutMilliseconds),
      ("window", window != old.window), ("on_failure", onFailure != old.onFailure),
      ("share", isShared != old.isShared), ("hold_ms", holdMilliseconds != old.holdMilliseconds),
      ("required", isRequired != old.isRequired), ("shadow", isShadow != old.isShadow),
      ("percent", percent != old.percent), ("when", when != old.when),
      ("together", isTogether != old.isTogether),
    ]
    return all.filter(\.1).map(\.0)
  }

  /// The topics of which it takes messages that an older link of the same name did not take; nil: there was none.
  func takesMore(than old: DeclaredLink?) -> [String] {
    if isShadow { return [] }
    guard let old, !old.isShadow else { return accepts }
    // Whether another condition lets more come to it is not known.
    let takesMore = percent > old.percent || old.when != nil && when != old.when
    return takesMore ? accepts : Pattern.uncovered(accepts, by: old.accepts)
  }

  /// Whether it lets messages pass that an older link of the same name stopped. `isMountOfGuard` says whether that one led
  /// to a guard.
  func guardsLess(than old: DeclaredLink, isMountOfGuard: Bool) -> Bool {
    // Whether another condition lets more pass is not known.
    let takesLess = percent < old.percent || when != nil && when != old.when
    if isMountOfGuard { return takesLess || !Pattern.uncovered(old.accepts, by: accepts).isEmpty }
    guard old.stopsSome else { return false }
    guard stopsSome, !takesLess else { return true }
    if Cause.allCases.contains(where: { old.onFailure[$0] && !onFailure[$0] }) { return true }
    // Messages pass it while nobody serves it.
    if old.isRequired, old.onFailure[.disconnect], !isRequired { return true }
    return !Pattern.uncovered(old.accepts, by: accepts).isEmpty
  }
}

/// What a reload does to one chain.
public struct ChainComparison: Sendable {
  /// The links that are different. Those that are gone come last.
  public private(set) var changes: [LinkChange]
  /// The guards that messages pass because of the order of the links.
  public let passed: [PassedGuard]

  /// Compares all declared chains with older ones. They come in the order of their names. `left` is the number of patterns
  /// that may still be compared.
  public static func comparisons(
    of chains: [ChainDeclaration], with old: [ChainDeclaration], left: inout Int
  ) -> [ChainComparison] {
    let (before, after, widened) = (GuardedChains(old), GuardedChains(chains), WidenedChains(chains, from: old))
    let olds = Dictionary(uniqueKeysWithValues: old.map { ($0.chain, $0) })
    let news = Dictionary(uniqueKeysWithValues: chains.map { ($0.chain, $0) })
    var all = Set(news.keys).union(olds.keys).sorted().map { name in
      ChainComparison(
        news[name] ?? ChainDeclaration(chain: name, links: []), from: olds[name], before: before, after: after,
        widened: widened, left: &left)
    }
    markBehindMounts(&all, widened, left: &left)
    return all
  }

  /// `old`: nil if there was none. `before` and `after` are of all chains of each time, `widened` of what has changed between
  /// them.
  private init(
    _ chain: ChainDeclaration, from old: ChainDeclaration?, before: GuardedChains, after: GuardedChains,
    widened: WidenedChains, left: inout Int
  ) {
    changes = chain.changes(from: old, before: before)
    var search = GuardSearch(from: old?.links ?? [], before: before, after: after, widened: widened)
    passed = search.passed(in: chain, left: &left)
    guard !passed.isEmpty else { return }
    let places = Dictionary(uniqueKeysWithValues: changes.enumerated().map { ($1.link, $0) })
    for one in passed {
      // A guard that did not change itself is passed because of what changed in front of it.
      let told = places[one.link].map { [$0] } ?? one.inFront.compactMap { places[$0] }
      for place in told { changes[place].isPassing = true }
    }
  }

  /// Marks what has changed in the chains that mounts in front of passed guards lead to: there is nothing to tell of the
  /// mounts themselves.
  private static func markBehindMounts(
    _ all: inout [ChainComparison], _ widened: WidenedChains, left: inout Int
  ) {
    var places: [String: Int] = [:]
    for (place, one) in all.enumerated() { if let chain = one.changes.first?.chain { places[chain] = place } }
    for one in all {
      let changed = Set(one.changes.map(\.link))
      for passed in one.passed where !changed.contains(passed.link) {
        let topics = passed.topics.map { Array($0.utf8) }
        for chain in widened.chains(behind: passed.inFront.filter { !changed.contains($0) }, left: &left) {
          guard let place = places[chain] else { continue }
          for at in all[place].changes.indices where !all[place].changes[at].more.isEmpty {
            let more = all[place].changes[at].more.map { Array($0.utf8) }
            left -= more.count * topics.count
            if left <= 0 || Pattern.overlap(more, topics) { all[place].changes[at].isPassing = true }
          }
        }
      }
    }
  }
}

extension ChainDeclaration {
  fileprivate func changes(from old: ChainDeclaration?, before guards: GuardedChains) -> [LinkChange] {
    let before = Dictionary(uniqueKeysWithValues: (old?.links ?? []).map { (LinkKey($0), $0) })
    let stay = Set(links.map(LinkKey.init))
    let oldOrder = (old?.links ?? []).map(LinkKey.init).filter(stay.contains)
    let oldPlaces = Dictionary(uniqueKeysWithValues: oldOrder.enumerated().map { ($1, $0) })
    var place = 0
    var changes: [LinkChange] = []
    for link in links {
      guard let same = before[LinkKey(link)] else {
        var one = LinkChange(.added, chain: chain, link)
        one.more = link.takesMore(than: nil)
        changes.append(one)
        continue
      }
      let settings = link.different(from: same)
      let isMoved = oldPlaces[LinkKey(link)] != place
      place += 1
      guard !settings.isEmpty || isMoved else { continue }
      var one = LinkChange(settings.isEmpty ? .moved : .changed, chain: chain, link)
      one.settings = settings
      one.more = link.takesMore(than: same)
      one.guardBehind = guards.guardBehind(same)
      one.guardsLess = link.guardsLess(than: same, isMountOfGuard: one.guardBehind != nil)
      changes.append(one)
    }
    return changes
      + (old?.links ?? []).filter { !stay.contains(LinkKey($0)) }.map { link in
        var one = LinkChange(.removed, chain: chain, link)
        one.guardBehind = guards.guardBehind(link)
        one.guardsLess = guards.hasGuard(link)
        return one
      }
  }
}
