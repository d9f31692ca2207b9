/// `broadcast`, `subscribe` and `unsubscribe` (contract, section 7).
extension Router {
  mutating func broadcast(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    if !request.has(.via) { try checkPlain() }
    try refuseWhileDraining()
    try checkCargo(request.raw(.payload).count, beside: request.raw(.meta).count)
    let topic = request.text(.topic)
    guard request.has(.via) else {
      return replyDelivered(publishLine(topic, from: connection, at: now), to: connection, at: now)
    }
    guard try hasRoom(for: connection, at: now) else { return }
    countMessage(at: now)
    let mode = wantsEcho ? Walk.Mode.publish : .publishToOthers
    takeIn(topic, down: findChain(request.text(.via)), mode, from: connection, at: now)
  }

  /// Refuses members that are about a walk: without `via` there is none.
  private mutating func checkPlain() throws(Fault) {
    for member in [Member.timeoutMilliseconds, .key, .trace] where request.has(member) {
      throw Fault(.badMember, "\"\(member.spelling)\" of a broadcast is allowed only with \"via\"; leave it out")
    }
  }

  mutating func subscribe(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let topics = request.texts(.topics) ?? []
    let isChosen = try choosesTraces(topics)
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
    replyOK(to: connection, at: now)
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
      for pattern in patterns { removeSubscription(pattern, of: connection) }
    } else if removeSubscriptions(of: connection) {
      // The line is carried out again until none is left. What has been removed stays removed.
      isLeftForLater = true
      return
    }
    replyOK(to: connection, at: now)
  }
}
