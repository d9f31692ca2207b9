/// Publishes traces (contract, section 7). Their listeners are found by what they ask for, and only they are looked at.
extension Router {
  /// A walk that was traced has ended: its trace is noted if somebody gets it.
  mutating func noteTrace(
    of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant
  ) {
    let trace = TraceFacts(
      chain: chains[chainSentTo(by: walk)].name.bytes, topic: walks[walk].message.topic,
      status: outcome.status.spelling, microseconds: now.microseconds - walks[walk].began.microseconds,
      from: walks[walk].message.from, isTraced: walks[walk].marks.contains(.traced))
    let audience = seeingAllLinks(of: walk)
    if isWanted(trace, audience) { announceTrace(of: walk, outcome, by: by, trace, for: audience) }
  }

  /// The same for the message of the request, which has ended before its walk began.
  mutating func noteTraceOfLine(_ status: Outcome.Status, from connection: Slot<Connection>) {
    let chain = request.has(.via) ? request.text(.via).string : request.chainName().string
    let name = OwnedBytes(chain)
    let trace = TraceFacts(
      chain: name.bytes, topic: request.text(.topic), status: status.spelling, microseconds: 0,
      from: connections[connection].from.bytes, isTraced: false)
    extendLifetime(name)
    if isWanted(trace, .seeing(chain)) { announceTraceOfLine(status, chain, from: connection, trace) }
  }

  /// Whether somebody gets the trace, as far as that may be found out in this turn.
  private mutating func isWanted(_ trace: TraceFacts, _ audience: Announcement.Audience) -> Bool {
    guard announcementCredit > 0 else { return true }
    let noted = spent
    defer { spent = noted }
    matchListeners(trace)
    for index in 0..<traceListeners.groupsFound.count {
      let group = traceListeners.groupsFound[index]
      if traceListeners.isSlowForSome(group, trace), mayHear(audience, as: traceListeners.identity(of: group)) {
        return true
      }
    }
    return false
  }

  /// Queues a trace for all that get it.
  mutating func publishTrace(
    _ event: Event, _ trace: TraceFacts, for audience: Announcement.Audience, at now: Instant
  ) {
    findListeners(of: trace, audience)
    guard !traceListeners.found.isEmpty else { return }
    let line = writeEvent(event, seq: 0)
    for index in 0..<traceListeners.found.count {
      let listener = traceListeners.found[index]
      learnDroppedTraces(listener)
      if isWithinItsSecond(listener, at: now), paysAnnouncement(line.bytes.count, listener, at: now),
        hasRoomForEvents(listener, ofBytes: line.bytes.count, at: now)
      {
        deliver(line, to: listener)
      }
    }
    sharedLines.endLine()
  }

  private mutating func findListeners(of trace: TraceFacts, _ audience: Announcement.Audience) {
    let noted = spent
    defer { spent = noted }
    matchListeners(trace)
    for index in 0..<traceListeners.groupsFound.count {
      let group = traceListeners.groupsFound[index]
      if mayHear(audience, as: traceListeners.identity(of: group)) { traceListeners.gather(group, trace) }
    }
    announcementCredit -= Cost.delivery &* traceListeners.found.count
  }

  /// Finds the groups of listeners that ask for such a trace. It is not the sender who pays for it, but the account of the
  /// server's own events.
  private mutating func matchListeners(_ trace: TraceFacts) {
    traceListeners.match(trace)
    // A few words are always looked at.
    let looked = max(0, traceListeners.groupsFound.looked - 16)
    announcementCredit -= Cost.delivery &+ Cost.word &* looked &+ Cost.look &* traceListeners.groupsFound.count
  }

  /// Traces that were dropped, because too many announcements waited, count as missed by who listens to traces, before
  /// whatever comes next.
  @inline(__always)
  mutating func learnDroppedTraces(_ subscriber: Slot<Connection>) {
    let listener = connections[subscriber].listening.traceListener
    guard listener != .nobody, connections[subscriber].phase == .open else { return }
    let dropped = traceListeners.learnDropped(announcements.droppedTraces, listener)
    connections[subscriber].listening.missed += dropped
    missedEvents += dropped
  }
}
