/// Carries out the timers that are due: those of walks, connections, copies, held places and draining.
extension Router {
  /// Carries out everything that is due, in the order of time.
  @inline(__always)
  mutating func carryOutDue(at now: Instant) {
    guard let next = timers.wakeAt, next <= now else { return }
    carryOutAllDue(at: now)
  }

  @inline(never)
  private mutating func carryOutAllDue(at now: Instant) {
    while let subject = timers.next(at: now) {
      switch subject {
      case .walk(let walk):
        if walks.contains(walk) { walkIsDue(for: walk.slot, at: now) }
      case .connection(let connection):
        if connections.contains(connection) { checkClocks(of: connection.slot, at: now) }
      case .copy(let copy):
        if copies.contains(copy) { copyIsDue(for: copy, at: now) }
      case .hold(let link):
        if links.contains(link) { holdIsOver(for: link, at: now) }
      case .drain: endDraining(at: now)
      }
      endStep(at: now)
    }
  }
}
