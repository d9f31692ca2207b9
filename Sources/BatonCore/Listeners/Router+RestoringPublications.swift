internal import BatonLasting

/// Takes what the store had into memory, before the server listens (contract, section 15). The rules and limits of the
/// configuration file count as they are now; of values, all that there are stay.
extension Router {
  /// There is a store. What it has comes next.
  mutating func beginRestoring() {
    storing.isOn = true
    keptEvents.stored.begin(reserving: settings.pieces.reserved)
  }

  /// A value, with the number of its change. Values come in the order of these numbers.
  mutating func restoreValue(_ publication: Publication, change: UInt64, at now: Instant, wall: Int64) -> Bool {
    guard publication.isSound, !publication.payload.isEmpty else { return false }
    let parts = PublicationParts(publication)
    retained.retain(
      parts.event, seq: Publication.number(publication.seq), for: String(decoding: publication.identity, as: UTF8.self),
      at: publication.published(at: now, wall: wall), change: Publication.number(change))
    extendLifetime(parts)
    return true
  }

  /// An event that was kept. Events come in the order of their numbers.
  mutating func restoreEvent(_ publication: Publication, at now: Instant, wall: Int64) -> Bool {
    guard publication.isSound else { return false }
    let parts = PublicationParts(publication)
    keptEvents.restore(
      parts.event, seq: Publication.number(publication.seq), by: String(decoding: publication.identity, as: UTF8.self),
      mostBytes: settings.maxHistoryBytes, published: min(publication.published(at: now, wall: wall), now), at: now)
    extendLifetime(parts)
    return true
  }

  /// All has come. No number up to `seq` is used again.
  mutating func endRestoring(after seq: Int) { keptEvents.begin(after: seq) }
}

/// The texts of what was published, in memory that stays where it is.
private struct PublicationParts: ~Copyable {
  private let topic: OwnedBytes
  private let payload: OwnedBytes
  private let meta: OwnedBytes
  private let from: OwnedBytes

  init(_ publication: Publication) {
    topic = OwnedBytes(copying: publication.topic)
    payload = OwnedBytes(copying: publication.payload)
    meta = OwnedBytes(copying: publication.meta)
    from = OwnedBytes(copying: publication.from)
  }

  /// It is valid as long as the parts are.
  var event: Event { Event(topic: topic.bytes, payload: payload.bytes, meta: meta.bytes, from: from.bytes) }
}
