/// Tries of stored messages (contract, section 15): walks without a connection that has sent them. They have an account of
/// their own in each turn.
extension Router {
  /// Whether one more try may begin in this turn.
  package var mayBeginTry: Bool {
    mutating get { desk.cost < Cost.turn && openBytes < settings.maxTotalBytes }
  }

  /// Begins a try at the first link of its chain, as it stands now. Messages of its key are the keeper's to order.
  package mutating func beginTry(_ kept: KeptTry, at now: Instant) {
    spent = 0
    spent &+= Cost.step &+ Cost.copying(2 &* (kept.payload.count &+ kept.head.count))
    let name = OwnedBytes(String(decoding: kept.chain, as: UTF8.self))
    if let chain = findChain(name.bytes) {
      countMessage(at: now)
      let head = KeptHead(kept.head)
      let walk = walks.insert(
        Walk(
          number: walkNumber, message: copyMessage(of: kept, head), sender: .none, wantsResult: false,
          mode: head.isAll ? .all : .first, began: now, deadline: now.advanced(milliseconds: kept.timeoutMilliseconds),
          place: Walk.Place(chain: chain, entered: -1, list: .none, revision: -1)))
      walks[walk].attempt = desk.attempts.insert(
        Attempt(stored: kept.stored, resent: kept.resent, number: kept.number, isAgain: kept.isAgain))
      beginTrace(of: walk, isAsked: KeptFrom.isTraced(kept.from), at: now)
      openBytes += walks[walk].bytes
      beginWalk(walk, at: now)
    } else {
      desk.ask(
        .tryEnded(
          KeptTryEnd(
            stored: kept.stored, status: .unhandled,
            result: Router.emptyResult(kept), counts: false, wasOffered: false, passed: [])))
    }
    extendLifetime(name)
    desk.cost += endOwnStep(at: now)
  }

  /// The file has taken the chain away meanwhile.
  private static func emptyResult(_ kept: KeptTry) -> [UInt8] {
    let name = String(decoding: kept.stored, as: UTF8.self)
    return Array("{\"status\":\"unhandled\",\"hops\":0,\"stored\":\"\(name)\",\"try\":\(kept.number)}".utf8)
  }

  private mutating func copyMessage(of kept: KeptTry, _ head: KeptHead) -> Message {
    let topicText = OwnedBytes(copying: head.topicText)
    let topic = OwnedBytes(topicText.unquoted)
    let keyText = OwnedBytes(copying: kept.key ?? [])
    let key = kept.key == nil ? OwnedBytes() : OwnedBytes(quoting: keyText.bytes)
    // It is copied with every offer.
    let from = OwnedBytes(padded: String(decoding: KeptFrom.name(kept.from), as: UTF8.self))
    let payload = OwnedBytes(copying: kept.payload)
    let meta = OwnedBytes(copying: head.meta)
    let message = Message(
      walk: walkNumber, spelled: &spelledWalk, id: .empty, topicText: topicText.bytes, topic: topic.bytes,
      payload: payload.bytes, meta: meta.bytes, key: key.bytes, from: from.bytes, in: &messagePool)
    extendLifetime(topicText)
    extendLifetime(keyText)
    extendLifetime(topic)
    extendLifetime(key)
    extendLifetime(from)
    extendLifetime(payload)
    extendLifetime(meta)
    return message
  }

  /// Writes what the offer of a try has beside that of a message.
  @inline(never)
  mutating func writeAttempt(of walk: Slot<Walk>, isShadow: Bool, to writer: inout LineWriter) {
    let attempt = walks[walk].attempt
    if desk.attempts[attempt].isAgain || walks[walk].isAgain && !isShadow { writer.literal(",\"again\":true") }
    writer.stored(desk.attempts[attempt].stored)
    writer.count(",\"try\":", Int(desk.attempts[attempt].number))
    guard let resent = desk.attempts[attempt].resent else { return }
    writer.literal(",\"resent\":\"")
    resent.withUnsafeBytes { writer.raw($0) }
    writer.literal("\"")
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
    desk.attempts[attempt].hasPassed = true
    guard desk.attempts[attempt].passed.count < Attempt.mostPassed else { return }
    desk.attempts[attempt].passed.append(keptPlace(of: link))
  }

  /// A try ends: the keeper gets its result. At the end of draining it gets none, and the message goes on at the next
  /// start.
  @inline(never)
  mutating func endTry(_ walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    let attempt = walks[walk].attempt
    if let status = KeptTryEnd.Status(outcome.status), !(outcome.status == .timeout && drainDeadline.map { $0 <= now } ?? false) {
      let room = boundOfResult(walk, outcome, by: by) + 128
      var text = OwnedBytes()
      var writer = LineWriter(at: text.reserve(room + LineWriter.slack), room: room)
      // As much room is left for what stands around it in the line.
      let start = writer.cursor - 256
      writer.literal("{")
      writeOutcome(of: walk, outcome, by: by, to: &writer, since: start)
      writer.stored(desk.attempts[attempt].stored)
      writer.count(",\"try\":", Int(desk.attempts[attempt].number))
      writer.literal(walks[walk].hasGoneThroughMounts ? "} " : "}")
      text.extend(to: writer.cursor)
      let counts = walks[walk].hops > 0 && !desk.attempts[attempt].hasPassed
      desk.ask(
        .tryEnded(
          KeptTryEnd(
            stored: desk.attempts[attempt].stored, status: status, result: Array(text.bytes), counts: counts,
            wasOffered: walks[walk].hops > 0, passed: counts ? [] : desk.attempts[attempt].passed)))
      spent &+= Cost.copying(2 &* text.count)
    }
    desk.attempts.remove(attempt)
  }
}

extension KeptTryEnd.Status {
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
