/// Publishes broadcasts to their subscribers (contract, section 7).
extension Router {
  /// Publishes the broadcast of the request. Returns for how many connections its event was queued.
  mutating func publishLine(_ topic: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant) -> Int
  {
    let event = Event(
      topic: topic, payload: request.raw(.payload), meta: request.raw(.meta), from: connections[connection].from.bytes,
      within: request.has(.within) ? request.integer(.within) ?? 0 : 0)
    return publish(
      event, retaining: wantsRetaining, by: connections[connection].identity, except: wantsEcho ? .nobody : connection,
      at: now)
  }

  /// Publishes a peer's event, and keeps what is to be kept of it.
  mutating func publish(
    _ event: Event, retaining isRetained: Bool, by identity: Slot<Identity>, except excluded: Slot<Connection>,
    at now: Instant
  ) -> Int {
    let seq = numberEvent(event)
    let delivered = publishEvent(event, seq: seq, except: excluded, at: now)
    if seq > 0 { keepEvent(event, seq: seq, by: identity, at: now) }
    if isRetained { retain(event, seq: seq, by: identity, at: now) }
    return delivered
  }

  /// Queues the event for every subscriber. Returns for how many. Who sent it pays for it.
  mutating func publishEvent(
    _ event: Event, seq: Int = 0, except excluded: Slot<Connection>, at now: Instant
  ) -> Int {
    subscriptions.match(event.topic)
    spent &+= Cost.word &* subscriptions.found.looked
    guard !subscriptions.found.isEmpty else { return 0 }
    let line = writeEvent(event, seq: seq)
    spent &+= Cost.delivery &* subscriptions.found.count
    broadcastNumber += 1
    var delivered = 0
    let calm = calmBytes(for: line.bytes.count &* subscriptions.found.count)
    for index in 0..<subscriptions.found.count {
      let subscriber = subscriptions.found[index]
      if connections[subscriber].listening.lastBroadcast == broadcastNumber { continue }
      connections[subscriber].listening.lastBroadcast = broadcastNumber
      if subscriber == excluded { continue }
      if seq > 0, isReplayed(event.topic, to: subscriber) {
        delivered += 1
        continue
      }
      // Looked at quickly first: mostly the peer reads, and nothing was missed.
      let isUsual =
        connections[subscriber].outbox.count < calm && connections[subscriber].listening.missed == 0
        && connections[subscriber].phase == .open
      if isUsual || hasRoomForEvents(subscriber, ofBytes: line.bytes.count, at: now) {
        deliver(line, to: subscriber)
        delivered += 1
      }
    }
    sharedLines.endLine()
    return delivered
  }

  /// Less than so many bytes unsent to a peer need no further look: it has its share of what may be unsent to all, even
  /// if `bytes` more are queued. 0 if much is unsent to all.
  private mutating func calmBytes(for bytes: Int) -> Int {
    let little = 4 * BlockPool.blockBytes
    guard unsentBytes &+ little &+ bytes < settings.maxTotalUnsentBytes / 2 else { return 0 }
    return min(little, settings.eventsUnsentBytes)
  }

  /// Builds the line of the event, once for all subscribers.
  mutating func writeEvent(_ event: Event, seq: Int) -> SharedLine {
    let room = LineWriter.bound(event)
    var writer = LineWriter(at: sharedLines.reserve(room), room: room)
    writer.event(event, seq: seq)
    writer.literal("}\n")
    return sharedLines.commit(upTo: writer.cursor)
  }

  /// Queues an event.
  @inline(__always)
  mutating func deliver(_ event: SharedLine, to connection: Slot<Connection>) {
    if connections[connection].outbox.takesSharedLines || event.isLong {
      connections[connection].outbox.append(event)
      queuedEvent(event.bytes.count, to: connection)
    } else {
      spent &+= Cost.copying(event.bytes.count)
      var writer = beginLine(to: connection, atMost: event.bytes.count)
      writer.raw(event.bytes)
      commitEvent(writer, to: connection)
    }
  }

  /// Whether an event or a notice of about so many bytes may be queued. If not, it is counted, and `missed` later stands
  /// in its place.
  mutating func hasRoomForEvents(_ connection: Slot<Connection>, ofBytes bytes: Int, at now: Instant) -> Bool {
    guard connections[connection].phase == .open else { return false }
    if let obstacle = obstacleOfEvents(to: connection, ofBytes: bytes) {
      noteMissed(by: connection, obstacle, at: now)
      return false
    }
    tellMissed(connection, at: now)
    return true
  }

  /// Whether so little is unsent that an event of about so many bytes may be queued.
  mutating func mayGetEvents(_ connection: Slot<Connection>, ofBytes bytes: Int) -> Bool {
    obstacleOfEvents(to: connection, ofBytes: bytes) == nil
  }

  /// Why no event of about so many bytes may be queued; nil if it may.
  private mutating func obstacleOfEvents(to connection: Slot<Connection>, ofBytes bytes: Int) -> EventObstacle? {
    let unsent = connections[connection].outbox.count
    if unsent >= settings.eventsUnsentBytes { return EventObstacle(.reader, "events_unsent_bytes") }
    if isCrowded {
      findHoarder()
      if connections[connection].identity != .nobody {
        if !identityHasRoomForEvents(connection, ofBytes: bytes) { return EventObstacle(.identity, "share_of_free") }
      } else if unsent >= 4 * BlockPool.blockBytes {
        // Where nobody is asked, events of slow readers may take half of what may be unsent to all connections: so events
        // never cost another peer its connection.
        return EventObstacle(.reader, "max_total_unsent_bytes")
      }
    }
    if unsentBytes + bytes > settings.maxTotalUnsentBytes { return EventObstacle(.all, "max_total_unsent_bytes") }
    return hasShareOfUnsentBytes(connection) ? nil : EventObstacle(.reader, "share_of_free")
  }

  mutating func noteMissed(by connection: Slot<Connection>, _ obstacle: EventObstacle, at now: Instant) {
    if connections[connection].listening.missed == 0 {
      announceMissed(by: connection)
      journalMisses(connection, obstacle, at: now)
    }
    connections[connection].listening.missedAt = UInt32(clamping: secondsOfUptime(at: now))
    connections[connection].listening.missedFor = obstacle.cause
    connections[connection].listening.missed += 1
    missedEvents += 1
    // Nothing that is written would tell it.
    if connections[connection].outbox.count == 0, freeUnsentBytes > 64 { tellMissed(connection, at: now) }
  }

  /// The seconds of the server's uptime, from 1 on.
  mutating func secondsOfUptime(at now: Instant) -> Int { now.milliseconds(since: started) / 1000 + 1 }

  /// Writes how many events are missing, in the place of the missing events: before whatever comes now. Otherwise a peer
  /// would take what it has not got for what it has.
  @inline(__always)
  mutating func tellMissed(_ connection: Slot<Connection>, at now: Instant) {
    if connections[connection].listening.missed > 0 { writeMissed(to: connection, at: now) }
  }

  /// The connection has ended: nothing more is told to it.
  mutating func forgetMissed(by connection: Slot<Connection>) { connections[connection].listening.missed = 0 }

  private mutating func writeMissed(to connection: Slot<Connection>, at now: Instant) {
    let count = connections[connection].listening.missed
    journalMissed(connection, at: now)
    connections[connection].listening.missed = 0
    var writer = beginLine(to: connection, atMost: 64)
    writer.literal("{\"op\":\"missed\",\"count\":")
    writer.integer(count)
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// Whether the request says `"retain":true`.
  var wantsRetaining: Bool { mutating get { request.value(.retain).kind == .true } }

  /// False only if the request says `"echo":false`.
  var wantsEcho: Bool { mutating get { request.value(.echo).kind != .false } }
}
