/// The record has written lines: the ends that waited for them are told, in order.
extension Router {
  /// Settles a piece of what the record has written, and tells the ends that waited for it. Returns true if more is left.
  mutating func settleRecord(at now: Instant) -> Bool {
    for _ in 0..<settings.pieces.size {
      guard let number = settleNextEnd() else {
        endSettling()
        return false
      }
      spent &+= Cost.look
      if let end = heldEnds.takeFirst(upTo: number) {
        let chain = end.chain
        tellHeld(end, at: now)
        chains[chain].held -= 1
        forgetIfEmpty(chain)
      }
    }
    judgeRecord()
    return true
  }

  private mutating func tellHeld(_ end: consuming HeldEnd, at now: Instant) {
    guard walks.contains(end.walk) else { return }
    spent &+= Cost.step
    tellOutcome(of: end.walk.slot, end, at: now)
    for reply in end.replies { tellHeldReply(reply, isStored: true, at: now) }
  }

  private mutating func tellOutcome(of walk: Slot<Walk>, _ end: borrowing HeldEnd, at now: Instant) {
    let outcome: Outcome
    switch end.outcome {
    case .handled: outcome = .handled(payload: end.bytes.bytes)
    case .unhandled: outcome = .unhandled
    case .published: return publishWalk(walk, at: now)
    case .rejected: outcome = .rejected
    case .failed(let cause, let isSaid, let wasAsked): outcome = .failed(cause, isSaid: isSaid, wasAsked: wasAsked)
    case .timeout: outcome = .timeout
    case .cancelled: outcome = .cancelled
    }
    // It was right when it came.
    if outcome.refersToWords { try? request.read(end.bytes.bytes.part(0, end.bytes.count - 1)) }
    endWalk(walk, outcome, by: end.by.bytes, at: now)
    if outcome.refersToWords { request.forget() }
    extendLifetime(end)
  }

  /// The time for draining is over. An end whose line is not written is told nobody. Returns false if the walk is none of
  /// these.
  mutating func forgetHeld(_ walk: Slot<Walk>, at now: Instant) -> Bool {
    guard walks[walk].isHeld else { return false }
    noteUntold()
    for reply in heldEnds.replies(behind: walks[walk].heldEnd) { endTicket(reply, at: now) }
    if walks[walk].attempt != .nobody { endTry(walk, .timeout, by: .empty, at: now) }
    forgetWalk(walk, at: now)
    return true
  }

  /// Replies to a request to cancel a walk, behind its result. It had ended before if `isCancelled` is false.
  mutating func replyBehindEnd(
    of walk: Slot<Walk>, isCancelled: Bool, to connection: Slot<Connection>, at now: Instant
  ) {
    guard request.wantsReply else { return }
    var line = OwnedBytes()
    var writer = beginHeldReply("ok", in: &line, atMost: 64)
    writer.literal(isCancelled ? ",\"cancelled\":true}\n" : ",\"cancelled\":false}\n")
    line.extend(to: writer.cursor)
    let reply = holdReply(line, .ok, id: request.id(isOffer: false), to: connection, at: now)
    heldEnds.put(reply, behind: walks[walk].heldEnd)
  }
}
