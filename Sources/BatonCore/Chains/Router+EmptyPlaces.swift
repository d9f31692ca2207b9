/// Places without a handler: held for a time, or required (contract, section 5, `hold_ms`, `required`).
extension Router {
  /// The last connection of a link is gone: its place is held, kept because it is required, or lost. Returns false if
  /// it is lost.
  mutating func keepPlace(of link: Slot<Link>, at now: Instant) -> Bool {
    // A required place is always kept: otherwise a guard would let messages pass. `max_links` limits their number.
    let isHeld = links[link].settings.holdMilliseconds > 0 && emptyPlaces < settings.maxEmptyPlaces
    guard links[link].settings.isRequired || isHeld else { return false }
    emptyPlaces += 1
    let hold = links[link].settings.holdMilliseconds
    if hold > 0 {
      links[link].service = .held(timers.set(.hold(links.ref(link)), at: now.advanced(milliseconds: hold)))
    } else {
      links[link].service = .absent
    }
    return true
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
  }
}
