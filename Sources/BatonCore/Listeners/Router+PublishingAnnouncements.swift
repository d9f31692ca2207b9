/// Publishes what the server tells of itself, on topics that begin with `$baton` (contract, section 7).
extension Router {
  /// Publishes the announcements that were noted. If a subscriber misses one of these, that is noted and published,
  /// too: one note for each gap. What is too much for one turn waits for the next.
  @inline(__always)
  mutating func publishAnnouncements(at now: Instant) {
    if !announcements.isEmpty { publishNoted(at: now) }
  }

  /// A turn begins: the server's own events have their credit of it.
  mutating func renewAnnouncementCredit() { announcementCredit = Cost.own }

  @inline(never)
  private mutating func publishNoted(at now: Instant) {
    while announcementCredit > 0 || !settings.pieces.areLimited, let announcement = announcements.takeFirst() {
      let topic = OwnedBytes(announcement.topic.rawValue)
      let payload = OwnedBytes(announcement.payload)
      let from = OwnedBytes("\"$baton\"")
      let event = Event(topic: topic.bytes, payload: payload.bytes, meta: .empty, from: from.bytes)
      if let trace = announcement.trace {
        publishTrace(event, trace, for: announcement.audience, at: now)
      } else {
        publishNoted(announcement, event, at: now)
      }
      extendLifetime(topic)
      extendLifetime(payload)
      extendLifetime(from)
    }
  }

  /// Queues the event for every subscriber that may hear of it. Each of them pays for it; one that has no credit left in this
  /// turn misses it.
  private mutating func publishNoted(_ announcement: Announcement, _ event: Event, at now: Instant) {
    subscriptions.match(event.topic)
    guard !subscriptions.found.isEmpty else { return }
    beginAnnouncement()
    let line = writeEvent(event, seq: 0)
    broadcastNumber += 1
    for index in 0..<subscriptions.found.count {
      let subscriber = subscriptions.found[index]
      if connections[subscriber].listening.lastBroadcast == broadcastNumber { continue }
      connections[subscriber].listening.lastBroadcast = broadcastNumber
      guard mayHear(announcement.audience, as: connections[subscriber].identity) else { continue }
      learnDroppedTraces(subscriber)
      if paysAnnouncement(line.bytes.count, subscriber, at: now),
        hasRoomForEvents(subscriber, ofBytes: line.bytes.count, at: now)
      {
        deliver(line, to: subscriber)
      }
    }
    sharedLines.endLine()
  }

  /// The server's own events have an account of their own. Those that were dropped, because too many waited, count as
  /// missed by the subscribers of the next one.
  private mutating func beginAnnouncement() {
    announcementCredit -= Cost.delivery &* subscriptions.found.count
    let dropped = announcements.takeDropped()
    guard dropped > 0 else { return }
    for index in 0..<subscriptions.found.count where connections[subscriptions.found[index]].phase == .open {
      connections[subscriptions.found[index]].listening.missed += dropped
      missedEvents += dropped
    }
  }

  /// A subscriber pays for one of the server's own events. Returns false if it has no credit left in this turn, and
  /// misses the event.
  mutating func paysAnnouncement(_ bytes: Int, _ subscriber: Slot<Connection>, at now: Instant) -> Bool {
    guard mayWork(subscriber) else {
      if connections[subscriber].phase == .open { noteMissed(by: subscriber, EventObstacle(.turn, ""), at: now) }
      return false
    }
    charge(Cost.delivery + Cost.copying(bytes), to: subscriber)
    return true
  }

  /// Whether an identity, or everybody if that is `nobody`, may hear of what is for this audience.
  mutating func mayHear(_ audience: Announcement.Audience, as identity: Slot<Identity>) -> Bool {
    switch audience {
    case .everybody: true
    case .seeing(let chain): maySee(chainNamed: chain, as: identity)
    case .seeingAll: seesAllChains(as: identity)
    case .notSeeingAll: !seesAllChains(as: identity)
    }
  }
}
