/// Carries out the timers that are due: those of walks, connections, copies, held places and draining. Where the
/// clocks of many connections are due, a job checks them, so that no number of heartbeats keeps a deadline waiting.
extension Router {
  /// A turn that comes more milliseconds after the first due timer than this is late: the server was stopped, or busy.
  private static let late = 50

  /// Lets timers fire if some are due. Returns whether some were.
  mutating func fireTimers(at now: Instant) -> Bool {
    guard timers.mayBeDue(at: now), let next = timers.findNext(), next <= now else {
      judgedAt = nil
      return false
    }
    fireTimers(from: next, at: now)
    return true
  }

  /// Lets timers fire, from the one due at `next` on, the first due first, as far as one turn has room.
  ///
  /// If the turn is late, nothing fires yet: every connection is read once before, and what it has sent counts, because
  /// the time was the server's own (contract, section 5, `Time`).
  private mutating func fireTimers(from next: Instant, at now: Instant) {
    if isLate(next, at: now) {
      lateUntil = now
      judgedAt = lastTurn
      return readAllOnce()
    }
    judgedAt = nil
    beginOwnSteps()
    var (used, clocks) = (0, 0)
    while used < Cost.own {
      switch timers.next(at: now) {
      case .due(.connection(let connection)):
        used += Cost.look
        guard connections.contains(connection) else { continue }
        if clocks < Router.ownOfClocks || !settings.pieces.areLimited, dueClocks.isEmpty {
          checkClocks(of: connection.slot, at: now)
          clocks += endOwnStep(at: now)
        } else {
          checkClocksLater(of: connection)
        }
      case .due(let subject):
        carryOut(subject, at: now)
        used += endOwnStep(at: now)
      case .moved: used += endOwnStep(at: now)
      case .nothing: return
      }
    }
  }

  /// What the clocks of connections may cost of a turn before a job goes on with them.
  private static let ownOfClocks = Cost.own / 4

  /// A job checks the clocks of the connection: it is behind all others that wait for that.
  private mutating func checkClocksLater(of connection: Ref<Connection>) {
    noteFired(connection.slot)
    guard !connections[connection.slot].isClockDue else { return }
    connections[connection.slot].isClockDue = true
    if dueClocks.isEmpty { beginJob(.checkClocks) }
    Router.forgetGone(in: &dueClocks, above: connections.count, connections)
    dueClocks.append(connection)
  }

  /// Checks the clocks of the next connections that wait for it. Returns true if more are left.
  mutating func checkNextClocks(at now: Instant) -> Bool {
    // Before that everybody is read, because the turn is late.
    guard judgedAt == nil else { return true }
    for _ in 0..<min(settings.pieces.size, 8) {
      guard let connection = dueClocks.popFirst() else { return false }
      spent &+= Cost.step
      guard connections.contains(connection) else { continue }
      connections[connection.slot].isClockDue = false
      // One may have been set while they waited.
      timers.end(connections[connection.slot].timer)
      checkClocks(of: connection.slot, at: now)
    }
    return !dueClocks.isEmpty
  }

  /// Steps begin that no connection pays for.
  mutating func beginOwnSteps() {
    spent = 0
    changedBefore = changed.count
  }

  /// Ends a step that no connection pays for. Returns what it cost, with the writes that it has brought about: so what is due
  /// for thousands is not written faster than others get their turn.
  mutating func endOwnStep(at now: Instant) -> Int {
    endStep(at: now)
    let cost = Cost.step &+ spent &+ Cost.write &* (changed.count &- changedBefore)
    changedBefore = changed.count
    noteCostOfNobody(cost)
    return cost
  }

  /// Called before bytes are taken: if the next turn will be late, deadlines are judged by the time of the last one.
  @inline(__always)
  mutating func noteLateness(at now: Instant) {
    guard timers.mayBeDue(at: now), let next = timers.wakeAt, next <= now else { return }
    if isLate(next, at: now) { judgedAt = lastTurn }
  }

  private mutating func isLate(_ next: Instant, at now: Instant) -> Bool {
    next > lateUntil && next.advanced(milliseconds: Router.late) < now
  }

  private mutating func carryOut(_ subject: Due, at now: Instant) {
    switch subject {
    case .walk(let walk):
      if walks.contains(walk) { walkIsDue(for: walk.slot, at: now) }
    // Its clocks have been looked at.
    case .connection: break
    case .copy(let copy):
      if copies.contains(copy) { copyIsDue(for: copy, at: now) }
    case .hold(let link):
      if links.contains(link) { holdIsOver(for: link, at: now) }
    case .debt(let account):
      if accounts.contains(account) { debtIsPaid(account.slot) }
    case .drain: endDraining(at: now)
    }
  }
}
