/// Carries out the timers that are due: those of walks, connections, copies, held places and draining.
extension Router {
  /// A turn that comes more milliseconds after the first due timer than this is late: the server was stopped, or busy.
  private static let late = 50

  /// Lets timers fire, the first due first, as far as one turn has room.
  ///
  /// If the turn is late, nothing fires yet: every connection is read once before, and what it has sent counts, because
  /// the time was the server's own (contract, section 5, `Time`).
  mutating func fireTimers(at now: Instant) {
    if isLate(at: now) {
      lateUntil = now
      judgedAt = lastTurn
      return readAllOnce()
    }
    judgedAt = nil
    var used = 0
    spent = 0
    while used < Cost.own {
      switch timers.next(at: now) {
      case .due(let subject): carryOut(subject, at: now)
      case .moved: break
      case .nothing:
        costOfTurn &+= used
        return
      }
      endStep(at: now)
      used += Cost.step + spent
      spent = 0
    }
    costOfTurn &+= used
  }

  /// Called before bytes are taken: if the next turn will be late, deadlines are judged by the time of the last one.
  @inline(__always)
  mutating func noteLateness(at now: Instant) {
    guard let next = timers.wakeAt, next <= now else { return }
    if isLate(at: now) { judgedAt = lastTurn }
  }

  private mutating func isLate(at now: Instant) -> Bool {
    guard let next = timers.wakeAt else { return false }
    return next > lateUntil && next.advanced(milliseconds: Router.late) < now
  }

  /// The caller reads connections that wait for their turn, too.
  private mutating func readAllOnce() {
    for _ in 0..<parked.count {
      guard let ref = parked.popFirst() else { return }
      parked.append(ref)
      if connections.contains(ref) { markChanged(ref.slot) }
    }
  }

  private mutating func carryOut(_ subject: Due, at now: Instant) {
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
  }
}
