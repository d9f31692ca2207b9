/// Places without a handler: held for a time, or required (contract, section 5, `hold_ms`, `required`).
extension Router {
  /// The last connection of a link is gone: its place is held, kept because it is required, or lost. Returns false if
  /// it is lost. A connection leaves no more held places than its share.
  mutating func keepPlace(of link: Slot<Link>, leftBy connection: Slot<Connection>, at now: Instant) -> Bool {
    // A required place is always kept: otherwise a guard would let messages pass. `max_links` limits their number.
    let isHeld =
      links[link].settings.holdMilliseconds > 0
      && connections[connection].leftPlaces < share(ofFree: settings.maxEmptyPlaces - emptyPlaces)
    guard links[link].settings.isRequired || links[link].isDeclared || isHeld else { return false }
    connections[connection].leftPlaces += 1
    links[link].maker = connections.ref(connection)
    emptyPlace(link, at: now)
    return true
  }

  /// From now on no handler serves the place.
  mutating func emptyPlace(_ link: Slot<Link>, at now: Instant) {
    emptyPlaces += 1
    keepPatterns(of: link)
    links[link].emptySince = now
    holdPlace(link, at: now)
  }

  /// Messages wait at the empty place as long as its `hold_ms` says, from when it became empty.
  mutating func holdPlace(_ link: Slot<Link>, at now: Instant) {
    if case .held(let timer) = links[link].service { timers.end(timer) }
    let end = links[link].holdEnd
    links[link].service = end > now ? .held(timers.set(.hold(links.ref(link)), at: end)) : .absent
  }

  /// The place is no longer empty: a connection serves the link again, or the link ends.
  mutating func fillPlace(_ link: Slot<Link>) {
    switch links[link].service {
    case .held(let timer):
      timers.end(timer)
      emptyPlaces -= 1
    case .absent: emptyPlaces -= 1
    case .replicas, .mount: return
    }
    links[link].service = .replicas
    dropKeptPatterns(of: link)
    let maker = links[link].maker
    if connections.contains(maker) { connections[maker.slot].leftPlaces -= 1 }
    links[link].maker = .none
  }

  /// No replica counts the patterns of the link any more, but they are still in the index.
  mutating func keepPatterns(of link: Slot<Link>) {
    links[link].ownPatterns = Pattern.weight(of: links[link].settings.accepts)
    totalPatterns += links[link].ownPatterns
  }

  /// A replica counts the patterns of the link again, or they have left the index.
  mutating func dropKeptPatterns(of link: Slot<Link>) {
    totalPatterns -= links[link].ownPatterns
    links[link].ownPatterns = 0
  }
}
