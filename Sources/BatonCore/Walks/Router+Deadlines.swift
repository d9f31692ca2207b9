/// When a walk's time is over: at a link, and as a whole (contract, sections 4 and 6).
extension Router {
  /// Sees to it that the walk's timer fires at `due` or, at the latest, at the deadline.
  @inline(__always)
  mutating func armWalk(_ walk: Slot<Walk>) {
    let at = min(walks[walk].due, walks[walk].deadline)
    if at >= walks[walk].timerAt { return }
    timers.end(walks[walk].timer)
    walks[walk].timer = timers.set(.walk(walks.ref(walk)), at: at)
    walks[walk].timerAt = at
  }

  /// Whether the walk's deadline has passed, or that of draining.
  @inline(__always)
  mutating func isOver(_ walk: Slot<Walk>, at now: Instant) -> Bool { endTime(of: walk) <= now }

  /// The walk's deadline, or that of draining where it is earlier.
  @inline(__always)
  mutating func endTime(of walk: Slot<Walk>) -> Instant {
    min(walks[walk].deadline, drainDeadline ?? walks[walk].deadline)
  }
}
