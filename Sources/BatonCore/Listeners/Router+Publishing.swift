/// Publishes broadcasts to their subscribers (contract, section 7).
extension Router {
  /// Publishes the broadcast of the request. Returns for how many connections its event was queued.
  mutating func publishLine(_ topic: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant) -> Int
  {
    let event = Event(
      topic: topic, payload: request.raw(.payload), meta: request.raw(.meta), from: connections[connection].from.bytes)
    return publishEvent(event, except: wantsEcho ? .nobody : connection, at: now)
  }

  /// Queues the event for every subscriber. Returns for how many.
  mutating func publishEvent(_ event: Event, except excluded: Slot<Connection>, at now: Instant) -> Int {
    subscriptions.match(event.topic)
    guard !subscriptions.found.isEmpty else { return 0 }
    let line = writeEvent(event)
    broadcastNumber += 1
    var delivered = 0
    for index in 0..<subscriptions.found.count {
      let subscriber = subscriptions.found[index]
      if connections[subscriber].lastBroadcast == broadcastNumber { continue }
      connections[subscriber].lastBroadcast = broadcastNumber
      if subscriber != excluded, deliver(line, to: subscriber, at: now) { delivered += 1 }
    }
    sharedLines.endLine()
    return delivered
  }

  /// Builds the line of the event, once for all subscribers.
  private mutating func writeEvent(_ event: Event) -> SharedLine {
    let room =
      96 + LineWriter.bound(pattern: event.topic.count) + event.payload.count + event.meta.count + event.from.count
    var writer = LineWriter(at: sharedLines.reserve(room))
    writer.literal("{\"op\":\"event\",\"topic\":")
    writer.text(event.topic)
    writer.payload(event.payload)
    writer.meta(event.meta)
    writer.literal(",\"from\":")
    writer.raw(event.from)
    writer.literal("}\n")
    return sharedLines.commit(upTo: writer.cursor)
  }

  /// Queues an event, unless the subscriber is too far behind. A dropped event is counted.
  @inline(__always)
  private mutating func deliver(_ event: SharedLine, to connection: Slot<Connection>, at now: Instant) -> Bool {
    guard hasRoomForEvents(connection, at: now) else { return false }
    if connections[connection].outbox.takesSharedLines {
      connections[connection].outbox.append(event)
      queued(event.bytes.count, to: connection, at: now)
    } else {
      var writer = beginLine(to: connection, atMost: event.bytes.count)
      writer.raw(event.bytes)
      commitLine(writer, to: connection, at: now)
    }
    return true
  }

  /// Whether an event or a notice may be queued. If not, it is counted, and `missed` later stands in its place.
  mutating func hasRoomForEvents(_ connection: Slot<Connection>, at now: Instant) -> Bool {
    let unsent = connections[connection].outbox.count
    // Events of slow readers may take half of what may be unsent to all connections: so events never cost another peer
    // its connection.
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

  /// Writes how many events are missing, in the place of the missing events.
  mutating func tellMissed(_ connection: Slot<Connection>, at now: Instant) {
    let count = connections[connection].missed
    connections[connection].missed = 0
    var writer = beginLine(to: connection, atMost: 64)
    writer.literal("{\"op\":\"missed\",\"count\":")
    writer.integer(count)
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// False only if the request says `"echo":false`.
  var wantsEcho: Bool { mutating get { request.value(.echo).kind != .false } }
}
