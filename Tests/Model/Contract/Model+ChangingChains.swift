/// The configuration file says otherwise than before which links stand in a chain (contract, section 12, "When the file
/// changes").
extension Model {
  /// The mounts of peers that would be part of a circle with those of the file, the first made first.
  private var mountsInCircles: [Int] {
    chains.keys.flatMap { mountsOfPeers(in: $0) }.filter { leadsByFile(from: links[$0].name, to: links[$0].chain) }
      .sorted { links[$0].arrival < links[$1].arrival }
  }

  private func leadsByFile(from chain: String, to other: String, _ passed: Set<String> = []) -> Bool {
    if chain == other { return true }
    if passed.contains(chain) { return false }
    let ofFile = fileChains.first { $0.chain == chain }?.links.filter(\.isMount).map(\.name) ?? []
    let mounts = ofFile + mountsOfPeers(in: chain).map { links[$0].name }
    return mounts.contains { leadsByFile(from: $0, to: other, passed.union([chain])) }
  }

  /// Those that the file leaves there.
  private func mountsOfPeers(in chain: String) -> [Int] {
    let declaration = fileChains.first { $0.chain == chain }
    guard declaration?.isOpen ?? true else { return [] }
    let names = declaration?.links.map(\.name) ?? []
    return (chains[chain]?.links ?? []).filter {
      links[$0].isMount && !links[$0].isDeclared && !names.contains(links[$0].name)
    }
  }

  /// Carries out what the file says. First all chains become what they are, then what waits there goes on.
  mutating func changeChains() {
    let (before, news) = (declarations, fileChains)
    var circles = mountsInCircles
    if !circles.isEmpty, !keeps(.onlyCirclesAreBroken) {
      circles = chains.keys.sorted().flatMap { mountsOfPeers(in: $0) }
    }
    declarations = news
    var change = Change()
    for mount in circles {
      seen.insert(.circleBroken)
      change.chains.append(links[mount].chain)
      endByFile(mount, &change)
    }
    for old in before where !news.contains(where: { $0.chain == old.chain }) {
      self.change(old.chain, old.links, to: nil, &change)
    }
    for new in news {
      let old = before.first { $0.chain == new.chain }
      if new != old { self.change(new.chain, old?.links ?? [], to: new, &change) }
    }
    settle(change)
  }

  private struct Change {
    var chains: [String] = []
    /// Links that are gone, and links that stay and are others now.
    var ended: [Int] = []
    var changed: [Int] = []
    /// Chains, and the links that are not theirs any more.
    var closing: [[Int]] = []
  }

  private mutating func change(_ chain: String, _ old: [FileLink], to new: Declaration?, _ change: inout Change) {
    change.chains.append(chain)
    if chains[chain] == nil { chains[chain] = Chain(version: version) }
    for name in old.map(\.name) + (new?.links ?? []).map(\.name) {
      guard let link = find(name, in: chain) else { continue }
      if new?.links.first(where: { $0.name == name })?.isMount != links[link].isMount { endByFile(link, &change) }
    }
    guard let new else { return }
    seen.insert(new.isOpen ? .openedByFile : .closedByFile)
    arrange(new, &change)
    let others = (chains[chain]?.links ?? []).filter { !links[$0].isDeclared }
    guard !new.isOpen, !others.isEmpty, keeps(.closingEndsOthers) else { return }
    raiseVersion(of: chain)
    for link in others { links[link].isGoing = true }
    change.closing.append(others)
  }

  private mutating func settle(_ change: Change) {
    for link in change.ended + change.changed { attend(to: link) }
    for links in change.closing {
      var ended = Change()
      for link in links { endByFile(link, &ended) }
      settle(ended)
    }
    for chain in change.chains { forgetIfEmpty(chain) }
  }

  /// A chain without links is forgotten, unless the file declares it.
  mutating func forgetIfEmpty(_ chain: String) {
    guard let there = chains[chain], there.links.isEmpty, declaration(of: chain) == nil else { return }
    (chains[chain], lastVersions[chain]) = (nil, there.version)
  }

  private mutating func endByFile(_ link: Int, _ change: inout Change) {
    seen.insert(links[link].isMount ? .mountEndedByFile : .endedByFile)
    if !links[link].isMount {
      for server in links[link].servers {
        var line = Line("removed")
        line.add("chain", links[link].chain)
        line.add("handler", links[link].name)
        line.add("by", "reload")
        say(line, to: server.connection)
      }
      while let server = links[link].servers.first { leave(link, server.connection) }
    }
    // Messages that saw it required fail there.
    takeOut(link, links[link].isDeclared && !links[link].isMount ? .withdrawn : .removed)
    change.ended.append(link)
    var line = describe(link, by: nil)
    line.add("by", "reload")
    changes.append(Note(at: now, chain: links[link].chain, line: describeEndByFile(link)))
    if !links[link].isMount { line.add("connections", 0) }
    tell("link.removed", line, about: link)
  }

  private func describeEndByFile(_ link: Int) -> Line {
    var line = Line()
    line.add("what", "removed")
    describe(link, name: nil, newName: nil, by: nil, in: &line)
    line.add("by", "reload")
    return line
  }

  // MARK: What stands there

  /// Puts the declared links into their order, ahead of all others.
  private mutating func arrange(_ new: Declaration, _ change: inout Change) {
    let there = chains[new.chain]?.links ?? []
    let found = new.links.map { declared in there.first { links[$0].name == declared.name } }
    let others = there.filter { !found.contains($0) }
    // Their ranks stay if they stand there already, in this order.
    let known = found.compactMap { $0 }
    let ranks = (known + others.prefix(1)).map { links[$0].rank }
    let stays = known.count == found.count && zip(ranks, ranks.dropFirst()).allSatisfy { $0 < $1 }
    var first = (others.first.map { links[$0].rank } ?? Double(found.count + 1)) - Double(found.count)
    if !stays, first < -1e9 {
      first = 1
      for link in known { links[link].rank = -.infinity }
      for (number, link) in others.enumerated() { move(link, to: Double(found.count + 1 + number)) }
    }
    for (at, declared) in new.links.enumerated() {
      let rank = first + Double(at)
      if let link = found[at] {
        take(link, to: declared, at: stays ? links[link].rank : rank, &change)
      } else {
        make(declared, in: new.chain, at: rank)
      }
    }
  }

  private mutating func make(_ declared: FileLink, in chain: String, at rank: Double) {
    var link = Link(
      chain: chain, name: declared.name, isMount: declared.isMount, rank: rank,
      settings: inForce(declared, Brought()))
    link.isDeclared = true
    links.append(link)
    let number = links.count - 1
    chains[chain]?.links.append(number)
    raiseVersion(of: chain)
    stand(number, at: rank)
    if !declared.isMount { empty(number) }
  }

  /// The link takes its place and its settings from the file, and keeps its connections.
  private mutating func take(_ link: Int, to declared: FileLink, at rank: Double, _ change: inout Change) {
    let old = links[link].settings
    if !links[link].isDeclared {
      seen.insert(.declaredLater)
      links[link].brought = Brought(timeoutMilliseconds: old.timeoutMilliseconds, window: old.window)
      // From now on it counts for nobody who made it.
      (links[link].maker, links[link].payer) = (nil, nil)
    }
    if !keeps(.broughtStays) { links[link].brought = Brought() }
    let settings = inForce(declared, links[link].brought)
    let isMoved = rank != links[link].rank
    guard isMoved || settings != old || !links[link].isDeclared else { return }
    keepPast(of: link)
    stand(link, at: rank)
    links[link].settings = settings
    links[link].isDeclared = true
    if settings != old { seen.insert(.settingsChangedByFile) }
    if isMoved, keeps(.movedByFileIsTold) {
      seen.insert(.movedByFile)
      tellMoved(link)
    }
    if links[link].isVacant, settings.holdMilliseconds != old.holdMilliseconds {
      seen.insert(.holdChangedByFile)
      hold(link, since: keeps(.holdCountsFromTheLoss) ? links[link].vacantSince : now)
    }
    change.changed.append(link)
  }

  /// Nobody serves the link from now on.
  mutating func empty(_ link: Int) {
    links[link].vacantSince = now
    hold(link, since: now)
  }

  private mutating func hold(_ link: Int, since: Int) {
    alarms.cancel(.hold(link))
    let end = since + links[link].settings.holdMilliseconds
    guard end > now else { return links[link].vacancy = .empty }
    links[link].vacancy = .held(until: end)
    alarms.set(.hold(link), at: end)
  }
}
