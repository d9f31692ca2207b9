/// Verdicts: the answers to offers (contract, section 5).
extension Router {
  /// Settles the offer that the verdict is for, does what the verdict says, and offers the next message in the queue.
  @inline(__always)
  mutating func takeVerdict(_ op: Op, from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let offer = try findOffer(op, of: connection)
    switch offers[offer].subject {
    case .lapsed: try refuseLate(op, offer, of: connection)
    case .walk(let walk):
      if op == .working { return restartTime(offer, anew: walk.slot, at: now) }
      if request.has(.payload) {
        try checkAnswer(op, beside: walks[walk.slot].message.meta.count)
        if op == .continue { try checkRoom(toRewrite: walk.slot) }
      }
      let asked = offers[offer].asked
      recordAnswer(to: offer, at: now)
      if op == .failed { recordSteps(of: walk.slot, before: walks[walk.slot].hops - 1) }
      traceOffer(of: walk.slot, op.verdictWord, isVerdict: true, at: now)
      settleOffer(of: walk.slot)
      forgetOffer(offer, of: connection)
      let link = links.ref(walks[walk.slot].link)
      applyVerdict(op, on: walk.slot, by: asked, at: now)
      releaseAsked(asked)
      serveQueue(of: link, at: now)
    case .place(let place): try takePlaceVerdict(op, at: place.slot, to: offer, from: connection, at: now)
    case .copy(let copy): try takeVerdict(op, of: copy, to: offer, from: connection, at: now)
    }
  }

  /// The answer to an offer at one place. What would leave open whose words count is a failure of the link.
  @inline(never)
  private mutating func takePlaceVerdict(
    _ op: Op, at place: Slot<Walk>, to offer: Slot<Offer>, from connection: Slot<Connection>, at now: Instant
  ) throws(Fault) {
    if op == .working { return restartTime(offer, anew: place, at: now) }
    if request.has(.payload) { try checkAnswer(op, beside: walks[place].message.meta.count) }
    let asked = offers[offer].asked
    recordAnswer(to: offer, at: now)
    let isFailure = op == .failed || isMisplaced(op, at: place)
    traceOffer(of: place, isFailure ? Cause.failed.spelling : op.verdictWord, isVerdict: true, at: now)
    settleOffer(of: place)
    forgetOffer(offer, of: connection)
    let link = links.ref(walks[place].link)
    if isFailure {
      failWalk(place, .failed, by: asked, isSaid: op != .failed || request.has(.message), at: now)
    } else {
      countVerdict(Tally(op), at: link.slot)
      if op == .reject {
        endAtLink(place, .rejected, by: replicas[asked.maker].name, at: now)
      } else {
        if op == .handled { addResult(of: asked, at: place, to: walks[place].whole, now) }
        goOnBehind(place, at: now)
      }
    }
    releaseAsked(asked)
    serveQueue(of: link, at: now)
  }

  /// The same of a shadow.
  @inline(never)
  private mutating func takeVerdict(
    _ op: Op, of copy: Ref<ShadowCopy>, to offer: Slot<Offer>, from connection: Slot<Connection>, at now: Instant
  ) throws(Fault) {
    if op == .working { return }
    try checkAnswer(op, beside: 0)
    let asked = offers[offer].asked
    let link = replicas[asked.replica].link
    recordAnswer(to: offer, at: now)
    uncountOffer(offer)
    forgetOffer(offer, of: connection)
    answerCopy(copy, op, at: now)
    releaseAsked(asked)
    // The link may be no shadow any more, and messages may wait for this room.
    serveQueue(of: link, at: now)
  }

  /// Does what the verdict says to a walk that still stands at the link.
  @inline(__always)
  private mutating func applyVerdict(_ op: Op, on walk: Slot<Walk>, by asked: Offer.Asked, at now: Instant) {
    if op == .failed { return failWalk(walk, .failed, by: asked, isSaid: request.has(.message), at: now) }
    countVerdict(Tally(op), at: walks[walk].link)
    switch op {
    case .handled where walks[walk].mode == .all:
      addResult(of: asked, at: walk, to: walk, now)
      walkOn(walk, at: now)
    case .handled:
      leaveLink(walk)
      endWalk(walk, .handled(payload: request.raw(.payload)), by: replicas[asked.maker].name, at: now)
    case .reject:
      leaveLink(walk)
      endWalk(walk, .rejected, by: replicas[asked.maker].name, at: now)
    default:
      if request.has(.payload) {
        let before = walks[walk].bytes
        walks[walk].rewritten = OwnedBytes(copying: request.raw(.payload))
        forgetSeen(by: walk)
        changeAccount(for: walk, before: before, at: now)
      }
      walkOn(walk, at: now)
    }
  }

  /// Adds an answer to the results of a message of mode `all`. `place` is where it was given.
  @inline(never)
  private mutating func addResult(of asked: Offer.Asked, at place: Slot<Walk>, to walk: Slot<Walk>, _ now: Instant) {
    let before = walks[walk].bytes
    spent &+= 2 &* Cost.step
    let most = mayGrow(walk) ? settings.maxLine : 0
    let veil = veil(of: place)
    if veil == .nobody {
      walks[walk].results.append(
        by: replicas[asked.maker].name, isHidden: false, payload: request.raw(.payload), most: most)
    } else {
      let name = nameOfVeil(veil)
      walks[walk].results.append(by: name.bytes, isHidden: true, payload: request.raw(.payload), most: most)
      extendLifetime(name)
    }
    changeAccount(for: walk, before: before, at: now)
  }

  /// The lines that will carry the answer's payload must not be too long (contract, section 2).
  @inline(__always)
  private mutating func checkAnswer(_ op: Op, beside meta: Int) throws(Fault) {
    if op == .handled { try checkCargo(request.raw(.payload).count, beside: 0) }
    if op == .continue { try checkCargo(request.raw(.payload).count, beside: meta) }
  }

  /// A message that a handler makes larger counts like a message that came in so large. If it is refused, the offer
  /// stays open: the handler can try again.
  @inline(__always)
  private mutating func checkRoom(toRewrite walk: Slot<Walk>) throws(Fault) {
    let growth = request.raw(.payload).count - walks[walk].rewritten.count
    guard growth > 0, !mayGrow(walk, by: growth) else { return }
    throw Fault(
      .busy,
      "the messages under way take \(openBytes) bytes, those of this one's sender \(bytesOfSender(of: walk)) of them, and "
        + "\(settings.maxTotalBytes) are allowed; there is no room for \(growth) more; try again later")
  }

  /// Tells the breaker of an answer, and records how long it took.
  @inline(__always)
  private mutating func recordAnswer(to offer: Slot<Offer>, at now: Instant) {
    let replica = offers[offer].replica
    let link = replicas[replica].link
    if replicas[replica].breaker.answered() {
      announceBreaker(of: replica, isOpen: false)
      if links.contains(link) { noteServed(link.slot) }
    }
    let microseconds = now.microseconds - offers[offer].made.microseconds
    guard links.contains(link) else { return countGoneAnswer(after: microseconds, now) }
    countAnswer(at: link.slot, after: microseconds, now)
  }

  /// The offer that the verdict is for.
  @inline(__always)
  private mutating func findOffer(_ op: Op, of connection: Slot<Connection>) throws(Fault) -> Slot<Offer> {
    guard let id = request.offer else { return try findOnlyOffer(op, of: connection) }
    if let offer = unansweredOffer(id, of: connection) { return offer }
    let last = connections[connection].handling.offers.lastID
    if id >= 1, id <= last {
      throw Fault(.lateVerdict, "the offer \(id) is already settled; the verdict changes nothing")
    }
    throw Fault(.unknownOffer, "this connection never got an offer \(id); its latest offer is \(last)")
  }

  /// The offer that a verdict without `id` is for: the only one that the connection has not answered, if no message may
  /// pass its link with a verdict that was meant for another one.
  @inline(never)
  private mutating func findOnlyOffer(_ op: Op, of connection: Slot<Connection>) throws(Fault) -> Slot<Offer> {
    let (first, count) = (connections[connection].handling.offers.first, connections[connection].handling.offers.count)
    let open = count - connections[connection].handling.lapsed
    let hasLetGo = connections[connection].handling.hasLetGo
    guard first != .nobody else {
      if hasLetGo { throw Fault(.lateVerdict, "all offers of this connection had lapsed; the verdict changes nothing") }
      throw Fault(.unknownOffer, "\(op.spelling) has no \"id\", and this connection has no unanswered offer")
    }
    // Without an open offer it is late for the oldest one.
    if open == 0 || (count == 1 && !hasLetGo && offers[first].policy == .goOn) { return first }
    let why =
      if open > 1 {
        "\(open) offers are open at this connection"
      } else if count > 1 || hasLetGo {
        "it may be for the offer that is open or for one that has lapsed"
      } else {
        "the link of offer \(offers[first].id) stops when it fails, so that each of its verdicts needs it"
      }
    if op != .working { countUnnamedAnswer(of: connection) }
    throw Fault(.missingID, "\(op.spelling) has no \"id\", and \(why); write the \"id\" of the offer that it answers")
  }

  /// As many offers are looked at to find the one that a refused verdict without `id` counts for.
  private static var mostSought: Int { 64 }

  /// A verdict without `id` was refused. The handler has answered one offer more: the oldest, if it answers them in order.
  private mutating func countUnnamedAnswer(of connection: Slot<Connection>) {
    var offer = connections[connection].handling.offers.first
    for _ in 0..<Self.mostSought where offer != .nobody {
      if !offers[offer].isAnswered {
        offers[offer].isAnswered = true
        if offers[offer].isLapsed { forgetLapsed(offer) }
        return
      }
      offer = offers[offer].next
    }
  }

  @inline(never)
  private mutating func refuseLate(_ op: Op, _ offer: Slot<Offer>, of connection: Slot<Connection>) throws(Fault) {
    let (id, isRevoked) = (offers[offer].id, offers[offer].isRevoked)
    // `working` is no answer: the offer stays in the row.
    if op != .working {
      forgetLapsed(offer)
    }
    if isRevoked {
      throw Fault(
        .notAllowed, "the offer \(id) is of a link that you may not serve any more; the verdict changes nothing",
        offer: id)
    }
    throw Fault(
      .lateVerdict, "the offer \(id) had lapsed before this verdict came; the verdict changes nothing", offer: id)
  }

  /// `working`: the offer's time starts again, but never passes the message's deadline.
  private mutating func restartTime(_ offer: Slot<Offer>, anew walk: Slot<Walk>, at now: Instant) {
    let due = now.advanced(milliseconds: offers[offer].timeoutMilliseconds)
    walks[walk].due = min(due, walks[walk].deadline)
    armWalk(walk)
  }
}
