package import BatonCore
package import BatonKeeper

/// What stays, on its way between the router and a store: values, and kept events. The router has the times of its own
/// clock, and the store those of the wall.
extension KeeperBridge {
  /// A value that the store had. Values come in the order of their changes. False if it is damaged.
  @discardableResult
  package func restore(value: KeptPublication, change: UInt64, to router: inout Router) -> Bool {
    router.restore(value: publication(value), change: number(change))
  }

  /// An event that the store had. Events come in the order of their numbers. False if it is damaged.
  @discardableResult
  package func restore(event: KeptPublication, to router: inout Router) -> Bool {
    router.restore(event: publication(event), at: instant)
  }

  /// All that stays has been restored. Numbers up to `seq` may have been used. What is in `jobs` then has to be on disk
  /// before anybody is served.
  package func openKept(_ router: inout Router, seq: UInt64) {
    router.endRestore(after: number(seq))
    giveKept(&router)
  }

  /// The store gets what has changed.
  func giveKept(_ router: inout Router) {
    while let write = router.nextStoredWrite(at: instant) {
      jobs.append(.keep(KeepWrite(number: UInt64(write.number), change: change(write.change))))
    }
  }

  private func change(_ change: StoredChange) -> KeepChange {
    switch change {
    case .setValue(let value, let number): .setValue(kept(value), change: UInt64(clamping: number))
    case .removeValue(let topic): .removeValue(topic: topic)
    case .addEvent(let event): .addEvent(kept(event))
    case .removeEvents(let numbers): .removeEvents(numbers.map { UInt64(clamping: $0) })
    case .reserve(let seq): .reserve(seq: UInt64(clamping: seq))
    case .end(let seq): .end(seq: UInt64(clamping: seq))
    }
  }

  private func kept(_ publication: StoredPublication) -> KeptPublication {
    KeptPublication(
      topic: publication.topic, payload: publication.payload, meta: publication.meta, from: publication.from,
      identity: publication.identity, seq: UInt64(clamping: publication.seq),
      at: wall - (instant.microseconds - publication.at.microseconds) / 1000)
  }

  /// What comes from a disk may be any number at all, and any time.
  private func number(_ number: UInt64) -> Int { Int(min(number, 1 << 53)) }

  private func publication(_ kept: KeptPublication) -> StoredPublication {
    let decade: Int64 = 315_360_000_000
    let age = min(max(wall.subtractingReportingOverflow(kept.at).partialValue, -decade), decade)
    return StoredPublication(
      topic: kept.topic, payload: kept.payload, meta: kept.meta, from: kept.from, identity: kept.identity,
      seq: number(kept.seq), at: instant.advanced(milliseconds: -Int(age)))
  }
}
