/// `subscribe`, `unsubscribe` and `broadcast` (contract, section 7).
extension Router {
  mutating func subscribe(from connection: UInt32, at now: Instant) throws(Fault) {
    let patterns = (reader.texts(.topics) ?? []).filter { findSubscription($0, of: connection) == nil }
    try checkPatterns(of: connection, more: Router.weight(of: patterns))
    for pattern in patterns where findSubscription(pattern, of: connection) == nil {
      addSubscription(pattern, of: connection)
    }
    replyOK(to: connection, at: now)
  }

  mutating func unsubscribe(from connection: UInt32, at now: Instant) {
    if let patterns = reader.texts(.topics) {
      for pattern in patterns {
        if let subscription = findSubscription(pattern, of: connection) { removeSubscription(subscription) }
      }
    } else {
      removeSubscriptions(of: connection)
    }
    replyOK(to: connection, at: now)
  }

  mutating func broadcast(from connection: UInt32, at now: Instant) throws(Fault) {
    if !reader.has(.via) { try checkPlain() }
    try refuseWhileDraining()
    try checkCargo(reader.raw(.payload).count, beside: reader.raw(.meta).count)
    let topic = reader.text(.topic)
    guard reader.has(.via) else {
      return replyDelivered(publishLine(topic, from: connection, at: now), to: connection, at: now)
    }
    guard try hasRoom(for: connection, at: now) else { return }
    count(at: now)
    let mode = wantsEcho ? Walk.Mode.publish : .publishToOthers
    walk(topic, down: findChain(reader.text(.via)), mode, from: connection, at: now)
  }

  /// Without `via` there is no walk that these could be about.
  private mutating func checkPlain() throws(Fault) {
    for member in [Member.timeoutMilliseconds, .key, .trace] where reader.has(member) {
      throw Fault(.badMember, "\"\(member.spelling)\" of a broadcast is allowed only with \"via\"; leave it out")
    }
  }

  private var wantsEcho: Bool { mutating get { reader.value(.echo).kind != .false } }

  /// Publishes what the line being read says, and returns for how many it was queued.
  mutating func publishLine(_ topic: UnsafeRawBufferPointer, from connection: UInt32, at now: Instant) -> Int {
    let event = Event(
      topic: topic, payload: reader.raw(.payload), meta: reader.raw(.meta), from: connections[connection].from.bytes)
    return publish(event, except: wantsEcho ? .nobody : connection, at: now)
  }

  /// The chain has left a broadcast to its subscribers: they get it as the links rewrote it.
  mutating func publish(_ walk: UInt32, at now: Instant) {
    let event = Event(
      topic: walks[walk].message.topic, payload: walks[walk].payload, meta: walks[walk].message.meta,
      from: walks[walk].message.from)
    let sender = walks[walk].sender
    let isExcluded = walks[walk].mode == .publishToOthers && connections.contains(sender)
    let delivered = publish(event, except: isExcluded ? sender.index : .nobody, at: now)
    end(walk, .published(delivered: delivered), by: .empty, at: now)
  }

  /// Queues the event for everyone who has subscribed, and returns for how many.
  mutating func publish(_ event: Event, except excluded: UInt32, at now: Instant) -> Int {
    found.removeAll(keepingCapacity: found.capacity <= 1 << 16)
    subjects.match(event.topic, under: subscriptionRoot, into: &found)
    guard !found.isEmpty else { return 0 }
    let line = write(event)
    broadcastNumber += 1
    var delivered = 0
    for subscriber in found where connections[subscriber].lastBroadcast != broadcastNumber {
      connections[subscriber].lastBroadcast = broadcastNumber
      if subscriber != excluded, deliver(line, to: subscriber, at: now) { delivered += 1 }
    }
    sharedLines.endLine()
    return delivered
  }

  /// Builds the event's line, once for all.
  private mutating func write(_ event: Event) -> SharedLines.Line {
    let room =
      96 + LineWriter.bound(pattern: event.topic.count) + event.payload.count + event.meta.count + event.from.count
    var writer = LineWriter(at: sharedLines.reserve(room))
    writer.literal("{\"op\":\"event\",\"topic\":")
    writer.text(event.topic)
    Router.writePayload(event.payload, to: &writer)
    Router.writeMeta(event.meta, to: &writer)
    writer.literal(",\"from\":")
    writer.raw(event.from)
    writer.literal("}\n")
    return sharedLines.commit(upTo: writer.cursor)
  }

  /// Queues an event, unless the subscriber is too far behind: then it is counted, and told later where the hole is.
  @inline(__always)
  private mutating func deliver(_ event: SharedLines.Line, to connection: UInt32, at now: Instant) -> Bool {
    guard hasRoomForEvents(connection, at: now) else { return false }
    if connections[connection].outbox.takesSharedLines {
      connections[connection].outbox.append(event)
      queued(event.bytes.count, to: connection, at: now)
    } else {
      var writer = line(to: connection, atMost: event.bytes.count)
      writer.raw(event.bytes)
      commit(writer, to: connection, at: now)
    }
    return true
  }

  /// Whether an event or notice may be queued; one that may not is counted, and told in the place of the hole.
  mutating func hasRoomForEvents(_ connection: UInt32, at now: Instant) -> Bool {
    let unsent = connections[connection].outbox.count
    // Events of slow readers may take half of what all connections may leave unsent: they never cost anybody his
    // connection.
    let isCrowded = unsentBytes >= settings.maxTotalUnsentBytes / 2 && unsent >= 4 * BlockPool.blockBytes
    if unsent >= settings.eventsUnsentBytes || isCrowded {
      if connections[connection].missed == 0 { announceMissed(by: connection) }
      connections[connection].missed += 1
      missedEvents += 1
      return false
    }
    if connections[connection].missed > 0 { tellMissed(connection, at: now) }
    return true
  }

  /// Says where events are missing, in the place of what was lost.
  mutating func tellMissed(_ connection: UInt32, at now: Instant) {
    let count = connections[connection].missed
    connections[connection].missed = 0
    var writer = line(to: connection, atMost: 64)
    writer.literal("{\"op\":\"missed\",\"count\":")
    writer.integer(count)
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  // MARK: Subscriptions

  /// What patterns count against their limit: each one, and each token from the ninth on once more, since memory and
  /// time to match go with the tokens.
  static func weight(of patterns: [[UInt8]]) -> Int { patterns.reduce(0) { $0 + weight(of: $1) } }

  private static func weight(of pattern: [UInt8]) -> Int {
    max(1, pattern.count { $0 == UInt8(ascii: ".") } - 6)
  }

  mutating func checkPatterns(of connection: UInt32, more: Int) throws(Fault) {
    guard connections[connection].patterns + more > settings.maxPatterns else { return }
    throw Fault(
      .limitReached,
      "this connection has \(connections[connection].patterns) patterns, and \(settings.maxPatterns) are allowed "
        + "(max_patterns); use fewer, with wildcards")
  }

  private mutating func hash(_ pattern: UnsafeRawBufferPointer, of connection: UInt32) -> UInt32 {
    ByteIndex.hash(pattern, seed: settings.hashSeed &+ UInt64(connection) &* 0x9E37_79B9_7F4A_7C15)
  }

  private mutating func findSubscription(_ pattern: [UInt8], of connection: UInt32) -> UInt32? {
    pattern.withUnsafeBytes { bytes in
      subscriptionPatterns.find(hash(bytes, of: connection)) {
        subscriptions[$0].connection == connection && subscriptions[$0].pattern.bytes.equals(bytes)
      }
    }
  }

  private mutating func addSubscription(_ pattern: [UInt8], of connection: UInt32) {
    pattern.withUnsafeBytes { bytes in
      let hash = hash(bytes, of: connection)
      let entry = subjects.insert(bytes, value: connection, under: subscriptionRoot)
      let subscription = subscriptions.insert(
        Subscription(connection: connection, pattern: OwnedBytes(copying: bytes), hash: hash, entry: entry))
      subscriptionPatterns.insert(hash, subscription)
      let first = connections[connection].firstSubscription
      subscriptions[subscription].next = first
      if first != .nobody { subscriptions[first].previous = subscription }
      connections[connection].firstSubscription = subscription
      connections[connection].patterns += Router.weight(of: pattern)
      if Words.isServers(bytes) { serverPatternsChanged(by: 1) }
    }
  }

  private mutating func removeSubscription(_ subscription: UInt32) {
    let connection = subscriptions[subscription].connection
    let (previous, next) = (subscriptions[subscription].previous, subscriptions[subscription].next)
    if previous != .nobody {
      subscriptions[previous].next = next
    } else {
      connections[connection].firstSubscription = next
    }
    if next != .nobody { subscriptions[next].previous = previous }
    connections[connection].patterns -= Router.weight(of: Array(subscriptions[subscription].pattern.bytes))
    subjects.remove(subscriptions[subscription].entry)
    subscriptionPatterns.remove(subscriptions[subscription].hash, subscription)
    let isServers = Words.isServers(subscriptions[subscription].pattern.bytes)
    subscriptions.remove(subscription)
    if isServers { serverPatternsChanged(by: -1) }
  }

  mutating func removeSubscriptions(of connection: UInt32) {
    while connections[connection].firstSubscription != .nobody {
      removeSubscription(connections[connection].firstSubscription)
    }
  }
}
