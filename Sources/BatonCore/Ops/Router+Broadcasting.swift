/// `broadcast`, `subscribe` and `unsubscribe` (contract, section 7).
extension Router {
  mutating func broadcast(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    if !request.has(.via) { try checkPlain() }
    if !refusals.isEmpty, try mustWaitForRecord(isPlain: !request.has(.via), connection, at: now) { return }
    try checkCargo(request.raw(.payload).count, beside: request.raw(.meta).count)
    if request.has(.within) { try refuseLoop() }
    let topic = request.text(.topic)
    if sharedCredit <= 0, hasNoneOfAll(connection), isHeardByMany(topic) {
      waitForAll()
      readAgain()
      return
    }
    if wantsRetaining { try checkRetained(of: connection) }
    let mustWait = wantsRetaining && storing.isOn
    if mustWait || request.has(.via) {
      guard try hasRoom(for: connection, at: now) else { return }
    }
    try payForMessage(of: connection, at: now)
    guard request.has(.via) else {
      let delivered = publishLine(topic, from: connection, at: now)
      if mustWait { return try replyStored(delivered, of: topic, to: connection, at: now) }
      return replyDelivered(delivered, to: connection, at: now)
    }
    countMessage(at: now)
    let mode = wantsEcho ? Walk.Mode.publish : .publishToOthers
    takeIn(topic, down: findChain(request.text(.via)), mode, from: connection, at: now)
  }

  /// Whether so many listen that a broadcast costs more than a little.
  @inline(never)
  private mutating func isHeardByMany(_ topic: UnsafeRawBufferPointer) -> Bool {
    let most = Cost.little / Cost.delivery
    subscriptions.match(topic, atMost: most)
    spent &+= Cost.word &* subscriptions.found.looked
    return subscriptions.found.count > most
  }

  /// Refuses members that are about a walk: without `via` there is none.
  private mutating func checkPlain() throws(Fault) {
    for member in [Member.timeoutMilliseconds, .key, .trace] where request.has(member) {
      throw Fault(.badMember, "\"\(member.spelling)\" of a broadcast is allowed only with \"via\"; leave it out")
    }
  }

  mutating func subscribe(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let topics = request.texts(.topics) ?? []
    spent &+= Cost.look &* topics.count
    let isChosen = try choosesTraces(topics)
    try checkReplay(of: connection)
    let patterns = topics.filter { !hasSubscribed(connection, to: $0) }
    try checkPatterns(of: connection, new: Pattern.weight(of: patterns))
    for pattern in patterns where !hasSubscribed(connection, to: pattern) {
      addSubscription(pattern, of: connection)
    }
    if isChosen || topics.contains(Router.traceTopic) {
      let choice =
        isChosen
        ? TraceChoice(asked: try request.traceWhere(), perSecond: request.integer(.perSecond) ?? .max) : nil
      chooseTraces(choice, of: connection, at: now)
    }
    replySubscribed(to: connection, at: now)
    if request.flag(.retained) == true { replayValues(topics, to: connection, at: now) }
    if let after = request.integer(.after) {
      replayEvents(
        topics, after: after, isOfThisEpoch: request.text(.epoch).string == settings.epoch, to: connection, at: now)
    }
  }

  /// Where events are kept, a subscriber is told how far they have come.
  private mutating func replySubscribed(to connection: Slot<Connection>, at now: Instant) {
    guard !keptEvents.rules.isEmpty else { return replyOK(to: connection, at: now) }
    guard var writer = beginReply("ok", to: connection, atMost: 64 + LineWriter.bound(text: settings.epoch.utf8.count))
    else { return }
    writer.count(",\"seq\":", keptEvents.lastToldSeq)
    writer.literal(",\"epoch\":")
    writer.text(settings.epoch)
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// Checks the members that ask for what is kept.
  private mutating func checkReplay(of connection: Slot<Connection>) throws(Fault) {
    let asksValues = request.flag(.retained) == true
    let asksEvents = request.has(.after)
    if asksEvents != request.has(.epoch) {
      throw Fault(.badMember, "\"after\" and \"epoch\" are allowed only together: both are from an answer to subscribe")
    }
    if asksEvents, request.has(.retained) {
      throw Fault(.badMember, "\"retained\" is not allowed beside \"after\"; subscribe twice")
    }
    guard asksValues || asksEvents else { return }
    if request.has(.where) || request.has(.perSecond) {
      throw Fault(.badMember, "\"$baton.trace\" is never kept; leave out \"retained\", \"after\" and \"epoch\"")
    }
    guard connections[connection].listening.replay == nil else {
      throw Fault(
        .busy, "this connection is still given what is kept; wait until it has come, or use another connection")
    }
  }

  private static let traceTopic = Array(Announcement.Topic.trace.rawValue.utf8)

  /// Whether the request is for some traces only. Throws a `Fault` if it has other topics, too.
  private mutating func choosesTraces(_ topics: [[UInt8]]) throws(Fault) -> Bool {
    let members = [Member.where, .perSecond].filter { request.has($0) }
    guard let first = members.first else { return false }
    if topics == [Router.traceTopic] { return true }
    throw Fault(
      .badMember, "\"\(first.spelling)\" is allowed only with \"topics\":[\"$baton.trace\"] and no other topic")
  }

  mutating func unsubscribe(from connection: Slot<Connection>, at now: Instant) {
    if let patterns = request.texts(.topics) {
      spent &+= Cost.step &* patterns.count
      for pattern in patterns { removeSubscription(pattern, of: connection) }
    } else if removeSubscriptions(of: connection) {
      // The line is carried out again until none is left. What has been removed stays removed.
      readAgain()
      return
    }
    replyOK(to: connection, at: now)
  }
}
