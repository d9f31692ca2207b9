/// Tells of the failures of links: in traces, in what is counted, in the log and in results (contract, section 6).
extension Router {
  /// A link fails a walk. `asked` had the offer, whose end is in the trace already; nil if there was none. `goesOn`: the walk
  /// passes the failure, and its result lists it. `isSaid`: the request has the handler's `message`.
  mutating func tellFailed(
    _ walk: Slot<Walk>, at link: Slot<Link>, _ cause: Cause, by asked: Offer.Asked? = nil, isSaid: Bool = false,
    goesOn: Bool, at now: Instant
  ) {
    if asked == nil {
      recordSteps(of: walk, before: walks[walk].hops)
      traceFailure(of: walk, at: link, cause, at: now)
    }
    noteFailure(of: walk, at: link, cause, by: asked?.replica ?? .nobody, isSaid: isSaid, at: now)
    if goesOn { listFailure(of: walk, at: link, cause, by: asked, isSaid: isSaid, at: now) }
  }

  /// Counts it, and remembers the last failure of the link.
  private mutating func noteFailure(
    of walk: Slot<Walk>, at link: Slot<Link>, _ cause: Cause, by replica: Slot<Replica>, isSaid: Bool, at now: Instant
  ) {
    count(Tally(cause), at: link, now)
    let trouble = links[link].trouble ?? LinkTrouble()
    links[link].trouble = trouble
    trouble.cause = cause
    trouble.walk = walks[walk].number
    trouble.at = now
    trouble.message = isSaid ? OwnedBytes(quoting: wordsOfFailure, atMost: Trace.mostSaid) : OwnedBytes()
    journalFailure(of: link, cause, at: now)
    guard let count = trouble.takeUntold(at: now), announcements.isHeard(.linkFailed) else { return }
    announceFailed(
      link, trouble, by: replica == .nobody ? .nobody : replicas[replica].connection, count: count)
  }
}
