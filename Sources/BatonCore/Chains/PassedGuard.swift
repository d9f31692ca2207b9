/// A guard that messages pass since a reload, because another link stands in front of it and may handle them.
public struct PassedGuard: Equatable, Sendable {
  /// Its chain.
  public let chain: String
  /// The guard, or a mount that leads to one.
  public let link: LinkKey
  /// The guard to which the mount leads, `chain/handler`; nil if the link is the guard.
  public let guardBehind: String?
  /// The topics of the link.
  let topics: [String]
  /// The links in front that were not there before, or take more messages; at least one, at most `mostInFront`.
  public internal(set) var inFront: [LinkKey] = []
  /// Whether all of them were in front before, and only take more messages.
  public internal(set) var isWider = true

  /// How many links in front are told of one guard.
  static let mostInFront = 100
}

/// By what a link is known in its chain.
public struct LinkKey: Hashable, Sendable {
  /// The handler, or the mounted chain.
  public let name: String
  /// Whether it is a mount.
  public let isMount: Bool

  init(_ link: DeclaredLink) { (name, isMount) = (link.name, link.isMount) }
}

/// Goes along a chain, and finds the guards that messages pass by the order of the links. A shadow handles nothing, so it
/// may stand anywhere; every other link may handle what it accepts.
struct GuardSearch {
  private let old: [LinkKey: (place: Int, link: DeclaredLink)]
  private let before: GuardedChains
  private let after: GuardedChains
  private let widened: WidenedChains
  /// The links that were looked at.
  private var front: [FrontLink] = []
  /// The one of them that stood farthest behind before.
  private var farthest: FrontLink?

  /// One link in front.
  private struct FrontLink {
    let name: LinkKey
    /// Where it stood before; `Int.max` if it was not there, or was a shadow.
    let place: Int
    let accepts: [[UInt8]]
    /// The patterns of topics of which it takes more messages than before.
    let more: [[UInt8]]

    /// Where it stood before for some of its topics.
    var farthestPlace: Int { more.isEmpty ? place : Int.max }
  }

  init(from old: [DeclaredLink], before: GuardedChains, after: GuardedChains, widened: WidenedChains) {
    self.old = Dictionary(uniqueKeysWithValues: old.enumerated().map { (LinkKey($1), ($0, $1)) })
    (self.before, self.after, self.widened) = (before, after, widened)
  }

  /// The guards of a chain that are passed. `left` is the number of patterns that may still be compared; without any, a
  /// link in front counts as one that accepts the guard's topics.
  mutating func passed(in chain: ChainDeclaration, left: inout Int) -> [PassedGuard] {
    var all: [PassedGuard] = []
    for link in chain.links {
      let same = old[LinkKey(link)]
      if let same, before.hasGuard(same.link), after.hasGuard(link) {
        var one = PassedGuard(
          chain: chain.chain, link: LinkKey(link), guardBehind: after.guardBehind(link),
          topics: link.accepts)
        lookInFront(of: same.link, from: same.place, for: &one, left: &left)
        if !one.inFront.isEmpty { all.append(one) }
      }
      if !link.isShadow { add(link, same) }
    }
    return all
  }

  private mutating func add(_ link: DeclaredLink, _ same: (place: Int, link: DeclaredLink)?) {
    let known = same.flatMap { $0.link.isShadow ? nil : $0 }
    let more = link.takesMore(than: known?.link) + widened.topics(behind: link)
    let one = FrontLink(
      name: LinkKey(link), place: known?.place ?? Int.max, accepts: link.accepts.map { Array($0.utf8) },
      more: more.map { Array($0.utf8) })
    front.append(one)
    if one.farthestPlace > farthest?.farthestPlace ?? -1 { farthest = one }
  }

  private func lookInFront(of guarding: DeclaredLink, from place: Int, for found: inout PassedGuard, left: inout Int) {
    // In most chains the order is as before.
    guard let farthest, farthest.farthestPlace > place else { return }
    let topics = guarding.accepts.map { Array($0.utf8) }
    for one in front {
      guard left > 0 else { break }
      let patterns = one.place > place ? one.accepts : one.more
      left -= patterns.count * topics.count
      guard Pattern.overlap(patterns, topics) else { continue }
      found.inFront.append(one.name)
      if one.place > place { found.isWider = false }
      if found.inFront.count == PassedGuard.mostInFront { return }
    }
    guard left <= 0, found.inFront.isEmpty else { return }
    found.inFront = [farthest.name]
    found.isWider = farthest.place <= place
  }
}
