/// Carries out the timers that are due: those of walks, connections, copies, held places and draining.
extension Router {
  /// A turn that comes more milliseconds after the first due timer than this is late: the server was stopped, or busy.
  private static let late = 50

  /// Lets timers fire, from the one due at `next` on, the first due first, as far as one turn has room.
  ///
  /// If the turn is late, nothing fires yet: every connection is read once before, and what it has sent counts, because
  /// the time was the server's own (contract, section 5, `Time`).
  mutating func fireTimers(from next: Instant, at now: Instant) {
    if isLate(next, at: now) {
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
      case .nothing: return
      }
      used += endOwnStep(at: now)
    }
  }

  /// Ends a step that no connection pays for. Returns what it cost.
  mutating func endOwnStep(at now: Instant) -> Int {
    endStep(at: now)
    let cost = Cost.step &+ spent
    costOfTurn &+= cost
    spent = 0
    return cost
  }

  /// Called before bytes are taken: if the next turn will be late, deadlines are judged by the time of the last one.
  @inline(__always)
  mutating func noteLateness(at now: Instant) {
    guard let next = timers.wakeAt, next <= now else { return }
    if isLate(next, at: now) { judgedAt = lastTurn }
  }

  private mutating func isLate(_ next: Instant, at now: Instant) -> Bool {
    next > lateUntil && next.advanced(milliseconds: Router.late) < now
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
    case .tryStore: storeIsDue()
    case .drain: endDraining(at: now)
    }
  }
}
