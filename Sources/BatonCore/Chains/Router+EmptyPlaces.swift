/// Places that nobody serves: held for a while, or required (contract, section 5, `hold_ms`, `required`).
extension Router {
  /// What a link comes to whose last connection is gone: its place is kept for a while, or for good, or it is lost.
  /// False where it is lost.
  mutating func keepPlace(of link: Slot<Link>, at now: Instant) -> Bool {
    // A required place is never given up, or a guard would fail open; `max_links` bounds those.
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

  /// Somebody serves the link again, or it ends: its place is empty no longer.
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
