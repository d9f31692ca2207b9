/// Counts the failures of links, and remembers the last one of each (contract, section 6).
extension Router {
  /// A link fails a walk. `replica` held the offer, or is `nobody` if there was none. `isSaid`: the request has the
  /// handler's `message`.
  mutating func noteFailure(
    of walk: Slot<Walk>, at link: Slot<Link>, _ cause: Cause, by replica: Slot<Replica>, isSaid: Bool, at now: Instant
  ) {
    countFailure(cause, at: link, now)
    let trouble = links[link].trouble ?? LinkTrouble()
    links[link].trouble = trouble
    trouble.cause = cause
    trouble.walk = walks[walk].number
    trouble.at = now
    trouble.message = isSaid ? OwnedBytes(quoting: request.text(.message), atMost: Trace.mostSaid) : OwnedBytes()
    journalFailure(of: link, cause, at: now)
    guard let count = trouble.takeUntold(at: now), announcements.isHeard(.linkFailed) else { return }
    announceFailed(
      link, trouble, by: replica == .nobody ? .nobody : replicas[replica].connection, count: count)
  }
}
