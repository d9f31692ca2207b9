/// Publishes what the server tells of itself, on topics that begin with `$baton` (contract, section 7).
extension Router {
  /// Publishes the announcements that were noted. If a subscriber misses one of these, that is noted and published,
  /// too: one note for each gap. What is too much for one turn waits for the next.
  @inline(__always)
  mutating func publishAnnouncements(at now: Instant) {
    if !announcements.isEmpty { publishNoted(at: now) }
  }

  @inline(never)
  private mutating func publishNoted(at now: Instant) {
    while announcementCredit > 0 || !settings.pieces.areLimited, let announcement = announcements.takeFirst() {
      let topic = OwnedBytes(announcement.topic.rawValue)
      let payload = OwnedBytes(announcement.payload)
      let from = OwnedBytes("\"$baton\"")
      let event = Event(topic: topic.bytes, payload: payload.bytes, meta: .empty, from: from.bytes)
      _ = publishEvent(event, except: .nobody, isServers: true, about: announcement.trace, at: now)
      extendLifetime(topic)
      extendLifetime(payload)
      extendLifetime(from)
    }
  }
}
