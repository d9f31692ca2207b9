/// What stays when its connection goes: mounts, and places without a handler (contract, section 10, "What stays").
extension Model {
  /// The mounts and the empty places that count for somebody.
  func paid(by owner: String?) -> [Int] {
    guard let owner, keeps(.whatStaysCounts) else { return [] }
    return liveLinks.filter { links[$0].payer == owner }
  }

  /// For whom that counts which a connection leaves.
  func payer(of connection: Int) -> String? {
    peers[connection].isNamedNoMore ? peers[connection].formerOwner : owner(of: connection)
  }

  /// Those of them that no connection has any more.
  func left(by owner: String?) -> [Int] {
    guard keeps(.whatIsLeftIsShared) else { return [] }
    return paid(by: owner).filter { link in links[link].maker.map { peers[$0].hasLeft } ?? true }
  }

  func weigh(_ those: [Int]) -> Int { those.reduce(0) { $0 + links[$1].settings.weight } }

  /// What goes when a connection takes the link over.
  struct Replaced {
    /// The link, if it is there; and its patterns, of all and of those of the connection.
    var links = 0
    var patterns = 0
    var own = 0
    /// What of it counts for the owner of the connection: all, what is left, and what lasts.
    var ofOwner = (links: 0, patterns: 0)
    var left = (links: 0, patterns: 0)
    var lasting = (links: 0, patterns: 0)
  }

  func replaced(_ link: Int, by connection: Int) -> Replaced {
    let (weight, owner) = (links[link].settings.weight, owner(of: connection))
    var old = Replaced(links: 1)
    if links[link].isVacant {
      old.patterns = weight
      guard owner != nil, links[link].payer == owner, keeps(.whatStaysCounts) else { return old }
      old.ofOwner = (1, weight)
      (old.left, old.lasting) = (old.ofOwner, old.ofOwner)
      return old
    }
    for server in links[link].servers {
      old.patterns += weight
      if server.connection == connection { old.own = weight }
      guard self.owner(of: server.connection) == owner else { continue }
      (old.ofOwner.links, old.ofOwner.patterns) = (old.ofOwner.links + 1, old.ofOwner.patterns + weight)
      guard server.isLasting else { continue }
      (old.lasting.links, old.lasting.patterns) = (old.lasting.links + 1, old.lasting.patterns + weight)
    }
    return old
  }

  /// A connection serves the link from now on, and perhaps nobody else does.
  mutating func checkTakingOver(
    _ link: Int, _ settings: LinkSettings, insteadOf old: Replaced, by connection: Int
  ) throws(Refusal) {
    try checkLinksOfIdentity(connection, fewer: old.ofOwner.links)
    if !links[link].isDeclared { try checkLasting(connection, settings, insteadOf: old) }
    try checkPatterns(of: connection, new: settings.weight, insteadOf: old)
  }

  /// What stays of somebody, or may stay, has one share of what is free.
  mutating func checkLasting(
    _ connection: Int, _ settings: LinkSettings, isMount: Bool = false, insteadOf old: Replaced = Replaced()
  ) throws(Refusal) {
    guard settings.isLasting || isMount, keeps(.whatStaysIsShared) else { return }
    let (links, patterns) = lasting(of: owner(of: connection))
    let isTight = self.settings.maxLinks < 10_000 && keeps(.linksAreLimited)
    if isTight, old.lasting.links < 1 {
      try checkShare(
        .linksAreShared, has: links - old.lasting.links, more: 1,
        free: self.settings.maxLinks - liveLinks.count + old.links)
    }
    let more = settings.weight
    guard self.settings.maxTotalPatterns < 10_000, keeps(.totalPatternsAreLimited), more > old.lasting.patterns else {
      return
    }
    try checkShare(
      .patternsAreShared, has: patterns - old.lasting.patterns, more: more,
      free: self.settings.maxTotalPatterns - patternsOfAll() + old.patterns)
  }

  private func lasting(of owner: String?) -> (links: Int, patterns: Int) {
    let paid = paid(by: owner)
    var (count, weight) = (paid.count, weigh(paid))
    for link in liveLinks {
      for server in links[link].servers where server.isLasting && self.owner(of: server.connection) == owner {
        (count, weight) = (count + 1, weight + links[link].settings.weight)
      }
    }
    return (count, weight)
  }

  /// Whether there is room for one more held place of somebody.
  func mayLeavePlace(_ owner: String?) -> Bool {
    let empty = liveLinks.filter { links[$0].isVacant }
    let own = owner == nil ? 0 : empty.count { links[$0].payer == owner }
    return own < share(ofFree: settings.maxEmptyPlaces - empty.count)
  }

  /// Whether somebody has left so many links or patterns that its place at a further link is not held.
  func hasLeftItsShare(_ owner: String?, at link: Int) -> Bool {
    let left = left(by: owner)
    if settings.maxLinks < 10_000, !left.isEmpty, left.count >= share(ofFree: settings.maxLinks - liveLinks.count) {
      return true
    }
    guard settings.maxTotalPatterns < 10_000, !left.isEmpty else { return false }
    return weigh(left) >= share(ofFree: settings.maxTotalPatterns - patternsOfAll() + weigh([link]))
  }
}
