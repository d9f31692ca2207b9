/// The configuration file says which links stand in a chain, at the start and at each reload (contract, section 12). What it
/// says about one chain is carried out at once: no message enters the chain in between. So each message sees all of one
/// version. What waited at links that have changed goes on when all chains have their new version.
extension Router {
  /// Carries out what the file says about chains. Those about which it says the same as before stay as they are.
  mutating func changeChains(to news: [ChainDeclaration], at now: Instant) {
    let before = Dictionary(uniqueKeysWithValues: declarations.map { ($0.chain, $0) })
    let names = Set(news.map(\.chain))
    let gone = declarations.filter { !names.contains($0.chain) }
    let circles = mountsInCircles(with: news)
    declarations = news
    var change = ChainChange()
    for mount in circles {
      change.chains.append(chains.ref(links[mount].chain))
      endByFile(mount, &change, at: now)
    }
    for declaration in gone { changeChain(declaration.chain, to: nil, &change, at: now) }
    for declaration in news where before[declaration.chain] != declaration {
      changeChain(declaration.chain, to: declaration, &change, at: now)
    }
    settle(change, at: now)
    guard desk.isThere, !change.chains.isEmpty else { return }
    desk.noteReload(of: .declared(durableWindows()))
  }

  /// Makes a new version of a chain. `declaration` is nil if the file says nothing about it any more.
  private mutating func changeChain(
    _ name: String, to declaration: ChainDeclaration?, _ change: inout ChainChange, at now: Instant
  ) {
    let chainName = OwnedBytes(name)
    let chain = makeChain(named: chainName.bytes)
    extendLifetime(chainName)
    change.chains.append(chains.ref(chain))
    endOthers(in: chain, declaration?.links ?? [], &change, at: now)
    chains[chain].declaration = declaration
    chains[chain].lastDeclared = .nobody
    if chains[chain].isClosing {
      // Those that are still there stay.
      chains[chain].isClosing = false
      raiseVersion(of: chain)
    }
    guard let declaration else { return }
    arrange(declaration, in: chain, &change, at: now)
    guard !declaration.isOpen, chains[chain].live > declaration.links.count else { return }
    chains[chain].isClosing = true
    raiseVersion(of: chain)
    change.closing.append(chains.ref(chain))
  }

  // MARK: What ends

  /// Ends the declared links that the file does not name any more, and those that have the name of a declared one and are
  /// of another kind.
  private mutating func endOthers(
    in chain: Slot<Chain>, _ declared: [DeclaredLink], _ change: inout ChainChange, at now: Instant
  ) {
    let isMount = Dictionary(uniqueKeysWithValues: declared.map { ($0.name, $0.isMount) })
    var names = chains[chain].declaration?.links.map(\.name) ?? []
    names += declared.map(\.name)
    for name in names {
      let bytes = OwnedBytes(name)
      guard let link = findLink(bytes.bytes, in: chain) else { continue }
      if isMount[name] != (links[link].mounted != .nobody) { endByFile(link, &change, at: now) }
      extendLifetime(bytes)
    }
  }

  /// Ends a link because the file says so.
  private mutating func endByFile(_ link: Slot<Link>, _ change: inout ChainChange, at now: Instant) {
    let mounted = links[link].mounted
    if mounted != .nobody {
      takeOutMount(link, at: now)
      change.chains.append(chains.ref(mounted))
    } else {
      tellEndByFile(of: link, at: now)
      // Messages that saw it required fail there.
      let isAwaited = links[link].isDeclared && (links[link].settings.isRequired || links.contains(links[link].older))
      takeOut(link, isAwaited ? .lost : .removed, at: now)
    }
    announceUndeclared(link, at: now)
    change.ended.append(links.ref(link))
  }

  private mutating func tellEndByFile(of link: Slot<Link>, at now: Instant) {
    var replica = links[link].firstReplica
    while replica != .nobody {
      tellRevoked(replica, at: now)
      spent &+= Cost.delivery
      replica = replicas[replica].nextAtLink
    }
  }

  /// Takes out a piece of the links that the file does not name in a chain that it has closed. Returns true if more are
  /// left.
  mutating func closeFurther(_ chain: Slot<Chain>, at now: Instant) -> Bool {
    var change = ChainChange()
    var left = settings.pieces.size
    while left > 0, chains[chain].isClosing {
      let last = chains[chain].lastDeclared
      let link = last == .nobody ? firstLink(of: chain) : self.link(behind: last)
      if link == .nobody {
        chains[chain].isClosing = false
      } else {
        endByFile(link, &change, at: now)
        spent &+= Cost.step
        left -= 1
      }
    }
    settle(change, at: now)
    return chains[chain].isClosing
  }

  // MARK: What stands there

  /// Puts the declared links into their order, with the settings of the file, ahead of all others.
  private mutating func arrange(
    _ declaration: ChainDeclaration, in chain: Slot<Chain>, _ change: inout ChainChange, at now: Instant
  ) {
    var found: [Slot<Link>] = []
    for declared in declaration.links {
      let name = OwnedBytes(declared.name)
      found.append(findLink(name.bytes, in: chain) ?? .nobody)
      extendLifetime(name)
    }
    let end = firstOther(than: found, in: chain)
    let isKept = isInOrder(found, in: chain, before: end)
    var first = (end == .nobody ? Double(found.count + 1) : links[end].rank) - Double(found.count)
    if !isKept, first < -Router.mostRank {
      numberAnew(from: end, but: found, told: &change.told, at: now)
      first = 1
    }
    for (at, declared) in declaration.links.enumerated() {
      let rank = isKept ? links[found[at]].rank : first + Double(at)
      if found[at] == .nobody {
        found[at] = makeDeclared(declared, in: chain, rank: rank, at: now)
      } else {
        changeDeclared(found[at], to: declared, rank: rank, &change, at: now)
      }
      links[found[at]].declaredAt = at
      chains[chain].lastDeclared = found[at]
    }
  }

  /// The first link of the chain that is not one of these, or `nobody`.
  private mutating func firstOther(than declared: [Slot<Link>], in chain: Slot<Chain>) -> Slot<Link> {
    let declared = Set(declared)
    var link = firstLink(of: chain)
    while link != .nobody, declared.contains(link) { link = self.link(behind: link) }
    return link
  }

  /// Whether all these links are there, in this order, each with a rank of its own.
  private mutating func isInOrder(_ found: [Slot<Link>], in chain: Slot<Chain>, before end: Slot<Link>) -> Bool {
    var last = -Double.infinity
    for link in found {
      guard link != .nobody, links[link].rank > last else { return false }
      last = links[link].rank
    }
    return end == .nobody || links[end].rank > last
  }

  /// Makes a declared link, which nobody serves yet.
  private mutating func makeDeclared(
    _ declared: DeclaredLink, in chain: Slot<Chain>, rank: Double, at now: Instant
  ) -> Slot<Link> {
    let name = OwnedBytes(declared.name)
    let link = makeLink(name.bytes, in: chain, rank: rank, settingsInForce(of: declared, HandlerSettings()))
    if declared.isMount {
      let inner = makeChain(named: name.bytes)
      makeMount(of: inner, at: link)
      keepPatterns(of: link)
    } else {
      beginMetering(link)
      emptyPlace(link, at: now)
    }
    extendLifetime(name)
    return link
  }

  /// The link has the place and the settings of the file from now on. It keeps its connections.
  private mutating func changeDeclared(
    _ link: Slot<Link>, to declared: DeclaredLink, rank: Double, _ change: inout ChainChange, at now: Instant
  ) {
    let before = links[link].settings
    let settings = settingsInForce(of: declared, at: link)
    let isMoved = links[link].rank != rank
    guard isMoved || settings != before || !links[link].isDeclared else { return }
    keepOlderPlace(of: link)
    putLink(link, at: rank)
    declareSettings(settings, of: link)
    if isMoved { noteMoved(link, told: &change.told, at: now) }
    if links[link].isEmptyPlace, settings.holdMilliseconds != before.holdMilliseconds { holdPlace(link, at: now) }
    // It may have more room, or nobody may wait there any more.
    change.changed.append(links.ref(link))
  }

  // MARK: What follows

  /// Lets go on what waited at links that have ended or changed, and forgets chains that are empty.
  private mutating func settle(_ change: borrowing ChainChange, at now: Instant) {
    for link in change.ended where links.contains(link) {
      if links[link.slot].fate == .lost {
        failAllWaiting(at: link, at: now)
      } else if passOnWaiting(at: link, at: now) {
        beginJob(.passOn(link))
      } else {
        finishTakingOut(link)
      }
    }
    for link in change.changed where links.contains(link) { leaveWaiting(at: link, at: now) }
    for chain in change.closing where chains.contains(chain) {
      if closeFurther(chain.slot, at: now) { beginJob(.close(chain)) }
    }
    for chain in change.chains where chains.contains(chain) { forgetIfEmpty(chain.slot) }
  }
}

/// What has changed in chains, and has to be followed up.
struct ChainChange: ~Copyable {
  /// Chains that may be empty now.
  var chains: [Ref<Chain>] = []
  /// Links that have ended.
  var ended: [Ref<Link>] = []
  /// Links that have another place, or other settings.
  var changed: [Ref<Link>] = []
  /// Chains from which other links are to be taken out.
  var closing: [Ref<Chain>] = []
  /// The lines that told handlers of other ranks.
  var told = 0
}
