/// Kept events come from a store at a start, and go to it (contract, section 15).
extension KeptEvents {
  // MARK: From the store

  /// Keeps an event that the store had, if the rules say so. The events come in the order of their numbers; of those that
  /// are missing it is not known whether there were any, and of which topics.
  mutating func restore(
    _ event: Event, seq: Int, by name: String, mostBytes: Int, published: Instant, at now: Instant
  ) {
    guard seq > lastSeq else { return }
    if seq > lastSeq + 1 { forgottenUpTo = seq - 1 }
    lastSeq = seq
    stored.restored(seq)
    guard let topic = topic(event.topic) else {
      forgottenUpTo = seq
      return stored.drop(seq)
    }
    if rules[topics[topic].rule].isOver(published, at: now) { return noteDrop(of: topic, upTo: seq) }
    _ = keep(event, of: topic, seq: seq, by: name, mostBytes: mostBytes, published: published, at: now)
  }

  /// All is restored. Numbers up to this one may have been used.
  mutating func begin(after seq: Int) {
    if seq > lastSeq { forgottenUpTo = seq }
    lastSeq = max(lastSeq, seq)
    startedAfter = lastSeq
    stored.begin(after: lastSeq)
  }

  // MARK: To the store

  /// Whether there are events that the store was not given.
  var hasUnstored: Bool { stored.isOn && first(after: stored.handed) != nil }

  /// The next event that the store was not given; nil if there is none.
  mutating func handNext() -> Slot<KeptEvent>? {
    guard stored.isOn, stored.handed < lastSeq else { return nil }
    guard let event = first(after: stored.handed) else {
      stored.hand(lastSeq)
      return nil
    }
    stored.hand(events[event].seq)
    return event
  }

  /// Whether the store is to reserve more numbers now.
  var wantsReserve: Bool { stored.wantsReserve(lastSeq: lastSeq) }

  /// What the store is to reserve now; nil if there is enough.
  mutating func nextReserve() -> Int? { stored.nextReserve(lastSeq: lastSeq) }

  mutating func settleReserve(_ seq: Int, isStored: Bool) {
    stored.settleReserve(seq, isStored: isStored, lastSeq: lastSeq)
  }
}
