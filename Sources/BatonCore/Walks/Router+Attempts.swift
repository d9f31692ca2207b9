internal import BatonLasting

/// What walks tell the keeper of durable messages (contract, section 15): how tries end, what they passed, and that an
/// ordinary message has ended whose key the keeper orders.
extension Router {
  /// Writes what the offer of a try has beside that of a message.
  @inline(never)
  mutating func writeAttempt(of walk: Slot<Walk>, isShadow: Bool, to writer: inout LineWriter) {
    let attempt = walks[walk].attempt
    if desk.attempts[attempt].isAgain || walks[walk].isAgain && !isShadow { writer.literal(",\"again\":true") }
    writer.stored(desk.attempts[attempt].stored)
    writer.count(",\"try\":", Int(desk.attempts[attempt].number))
    if let resent = desk.attempts[attempt].resent { writer.stored(resent, as: ",\"resent\":\"") }
  }

  /// A walk does not get an offer at a link that nobody serves, or whose breaker is open. If the link is declared, a try
  /// does not count, and goes on when the link is served again.
  @inline(__always)
  mutating func notePassed(_ link: Slot<Link>, by walk: Slot<Walk>) {
    if walks[walk].attempt != .nobody, links[link].isDeclared { listPassed(link, by: walk) }
  }

  @inline(never)
  private mutating func listPassed(_ link: Slot<Link>, by walk: Slot<Walk>) {
    let attempt = walks[walk].attempt
    if desk.attempts[attempt].hasPassedOneToTell() { desk.attempts[attempt].tell(of: declaredPlace(of: link)) }
  }

  /// A try ends: the keeper gets its result, unless the try was cut off before.
  @inline(never)
  mutating func endTry(_ walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    let attempt = walks[walk].attempt
    if !desk.hasCutOff, let status = TryEnd.Status(outcome.status) {
      // Only dead letters are told to others than their senders.
      let hidesSome = status != .handled && status != .rejected && hidesSome(of: walk, outcome, by: by)
      let room = boundOfResult(walk, outcome, by: by) + 128 + (hidesSome ? boundOfWhole(walk, by: by) : 0)
      var text = OwnedBytes()
      var writer = LineWriter(at: text.reserve(room + LineWriter.slack), room: room)
      // As much room is left for what stands around it in the line.
      let start = writer.cursor - 256
      writer.literal("{")
      writeOutcome(of: walk, outcome, by: by, to: &writer, since: start)
      writer.stored(desk.attempts[attempt].stored)
      writer.count(",\"try\":", Int(desk.attempts[attempt].number))
      if hidesSome {
        writer.literal("}\n{")
        writeWhole(of: walk, outcome, by: by, to: &writer)
      }
      writer.literal("}")
      text.extend(to: writer.cursor)
      text.append(DurableResult.end(hasGoneThroughMounts: walks[walk].hasGoneThroughMounts, hasTwo: hidesSome))
      let counts = walks[walk].hops > 0 && !desk.attempts[attempt].hasPassed
      desk.ask(
        .tryEnded(
          desk.attempts[attempt].stored,
          TryEnd(
            status, result: Array(text.bytes), counts: counts, wasOffered: walks[walk].hops > 0,
            passed: counts ? [] : desk.attempts[attempt].passed,
            isOvertaken: !counts && isOvertaken(attempt, at: now))))
      spent &+= Cost.copying(2 &* text.count)
    }
    releaseAccountOfTry(desk.attempts[attempt].account)
    desk.end(attempt)
  }

  /// Whether something has changed for the better since the try passed it: then the next one need not wait.
  private mutating func isOvertaken(_ attempt: Slot<Attempt>, at now: Instant) -> Bool {
    if desk.attempts[attempt].reloads != desk.reloads { return true }
    for place in desk.attempts[attempt].passed where isServed(place, at: now) { return true }
    return false
  }

  /// Whether messages get offers at a declared link.
  private mutating func isServed(_ place: DeclaredPlace, at now: Instant) -> Bool {
    spent &+= Cost.look
    let chain = OwnedBytes(copying: place.chain)
    let name = OwnedBytes(copying: place.name)
    defer {
      extendLifetime(chain)
      extendLifetime(name)
    }
    guard let found = findChain(chain.bytes), let link = findLink(name.bytes, in: found) else { return false }
    return links[link].connections > 0 && !isBreakerOpen(link, at: now)
  }

  /// A message ends whose key the keeper orders.
  @inline(never)
  mutating func tellKeeperOfEnd(of walk: Slot<Walk>) {
    desk.ask(.ordinaryEnded(walks.ref(walk).number))
    let chain = walks[walk].place.chain
    chains[chain].keys -= 1
    forgetIfEmpty(chain)
  }
}

extension TryEnd.Status {
  fileprivate init?(_ status: Outcome.Status) {
    switch status {
    case .handled: self = .handled
    case .rejected: self = .rejected
    case .unhandled: self = .unhandled
    case .failed: self = .failed
    case .timeout: self = .timeout
    case .cancelled, .published: return nil
    }
  }
}
