/// Places without a handler: held for a time, or required (contract, section 5, `hold_ms`, `required`).
extension Router {
  /// The last connection of a link is gone: its place is held, kept because it is required, or lost. Returns false if
  /// it is lost.
  mutating func leaveEmpty(of link: Slot<Link>, leftBy connection: Slot<Connection>, at now: Instant) -> Bool {
    let account = connections[connection].account
    // A required place is always kept: otherwise a guard would let messages pass. `checkLasting` limits their number.
    guard links[link].settings.isRequired || links[link].isDeclared || isHeld(link, for: account) else { return false }
    emptyPlace(link, paidBy: account, at: now)
    return true
  }

  /// Whether the place is held. An identity or an address has no more held places than its share, and what it has left of
  /// links and patterns is below its share, too.
  private mutating func isHeld(_ link: Slot<Link>, for account: Slot<PeerAccount>) -> Bool {
    guard links[link].settings.holdMilliseconds > 0 else { return false }
    let places = account == .nobody ? 0 : accounts[account].emptyPlaces
    let left = account == .nobody ? PeerAccount.Holding() : accounts[account].left
    return places < share(ofFree: settings.maxEmptyPlaces - emptyPlaces)
      && isBelowShare(left.links, ofFree: settings.maxLinks - countedLinks)
      && isBelowShare(left.patterns, ofFree: settings.maxTotalPatterns - totalPatterns)
  }

  /// From now on no handler serves the place.
  mutating func emptyPlace(_ link: Slot<Link>, paidBy account: Slot<PeerAccount> = .nobody, at now: Instant) {
    emptyPlaces += 1
    keepPatterns(of: link)
    links[link].emptySince = now
    holdPlace(link, at: now)
    chargeLink(link, to: account)
  }

  /// Messages wait at the empty place as long as its `hold_ms` says, from when it became empty.
  mutating func holdPlace(_ link: Slot<Link>, at now: Instant) {
    if case .held(let timer) = links[link].service { timers.end(timer) }
    let end = links[link].holdEnd
    links[link].service = end > now ? .held(timers.set(.hold(links.ref(link)), at: end)) : .absent
  }

  /// Messages do not wait at the empty place any more.
  mutating func endHolding(_ link: Slot<Link>) { links[link].service = .absent }

  /// The place is no longer empty: a connection serves the link again, or the link ends.
  mutating func fillPlace(_ link: Slot<Link>) {
    switch links[link].service {
    case .held(let timer): timers.end(timer)
    case .absent: break
    case .replicas, .mount: return
    }
    emptyPlaces -= 1
    dischargeLink(link)
    links[link].service = .replicas
    dropKeptPatterns(of: link)
  }

  /// No replica counts the patterns of the link any more, but they are still in the index.
  mutating func keepPatterns(of link: Slot<Link>) {
    links[link].ownPatterns = links[link].settings.weight
    countPatternsOfAll(links[link].ownPatterns)
  }

  /// A replica counts the patterns of the link again, or they have left the index.
  mutating func dropKeptPatterns(of link: Slot<Link>) {
    countPatternsOfAll(-links[link].ownPatterns)
    links[link].ownPatterns = 0
  }
}
