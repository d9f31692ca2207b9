/// The times of a walk: at a link, and as a whole (contract, sections 4 and 5).
extension Router {
  /// Sets the walk's timer to `due`, or to the deadline if that is earlier. A timer that fires even earlier stays as it
  /// is: `walkIsDue` then sets it again.
  @inline(__always)
  mutating func armWalk(_ walk: Slot<Walk>) {
    let at = min(walks[walk].due, walks[walk].deadline)
    if at >= walks[walk].timerAt { return }
    timers.end(walks[walk].timer)
    walks[walk].timer = timers.set(.walk(walks.ref(walk)), at: at)
    walks[walk].timerAt = at
  }

  /// Whether the walk's deadline or the deadline of draining has passed.
  @inline(__always)
  mutating func isOver(_ walk: Slot<Walk>, at now: Instant) -> Bool { endTime(of: walk) <= (judgedAt ?? now) }

  /// The walk's deadline, or the deadline of draining if that is earlier.
  @inline(__always)
  mutating func endTime(of walk: Slot<Walk>) -> Instant {
    min(walks[walk].deadline, drainDeadline ?? walks[walk].deadline)
  }
}
