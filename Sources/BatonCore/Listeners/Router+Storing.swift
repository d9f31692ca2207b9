internal import BatonLasting

/// Gives the store what stays, and carries its answers out (contract, section 15). Nothing here waits for the disk: what is
/// not written yet is found in the tables of what is kept, so that it takes no memory of its own beside the names of
/// topics and the numbers of events that are gone.
extension Router {
  /// The next change for the store; nil if there is none now.
  mutating func handStored(at now: Instant, wall: Int64) -> PublicationWrite? {
    guard mayHand(at: now) else { return nil }
    return handReserve() ?? handValue(at: now, wall: wall) ?? handGone() ?? handEvent(at: now, wall: wall) ?? handEnd()
  }

  /// Whether the store may be given something now, if there is something.
  mutating func mayHand(at now: Instant) -> Bool {
    guard storing.isOn, storing.triesAt.map({ $0 <= now }) ?? true else { return false }
    return !storing.hand.isFull && !storing.hand.isTurnOver
  }

  /// Whether the store could be given a change now, but for what it has in hand.
  var hasUnstored: Bool {
    mutating get {
      storing.values.isAnyWaiting || keptEvents.wantsReserve || keptEvents.stored.isAnyGone || mayHandEvents
        || storing.isEnding && !storing.hasToldEnd
    }
  }

  private mutating func handReserve() -> PublicationWrite? {
    keptEvents.nextReserve().map { give(.reserve(seq: UInt64(clamping: $0)), .reserve($0), bytes: 0) }
  }

  private mutating func handValue(at now: Instant, wall: Int64) -> PublicationWrite? {
    guard let (unwritten, replies) = storing.values.handNext() else { return nil }
    let topic = storing.values[unwritten].topic.bytes
    guard let value = retained.find(topic) else {
      return give(.removeValue(topic: Array(topic)), .value(unwritten, replies), bytes: topic.count)
    }
    let publication = Publication(
      topic: Array(topic), payload: Array(retained[value].payload.bytes), meta: Array(retained[value].meta.bytes),
      from: Array(retained[value].from.bytes), identity: Array(retained.ownerName(of: value).utf8),
      seq: UInt64(clamping: retained[value].seq),
      at: Publication.wall(of: retained[value].at, at: now, wall: wall))
    return give(
      .setValue(publication, change: UInt64(clamping: retained[value].change)), .value(unwritten, replies),
      bytes: retained[value].bytes)
  }

  private mutating func handGone() -> PublicationWrite? {
    let numbers = keptEvents.stored.handGone()
    return numbers.isEmpty
      ? nil : give(.removeEvents(numbers.map { UInt64(clamping: $0) }), .gone(numbers.count), bytes: 8 * numbers.count)
  }

  /// Events wait in memory while the disk lacks room, which is for ends.
  private var mayHandEvents: Bool { keptEvents.hasUnstored && (!storing.lacksRoom || storing.isEnding) }

  private mutating func handEvent(at now: Instant, wall: Int64) -> PublicationWrite? {
    guard mayHandEvents, let event = keptEvents.handNext() else { return nil }
    let topic = keptEvents[event].topic
    let publication = Publication(
      topic: Array(keptEvents[topic].name.bytes), payload: Array(keptEvents[event].payload.bytes),
      meta: Array(keptEvents[event].meta.bytes), from: Array(keptEvents[event].from.bytes),
      identity: Array(keptEvents.ownerName(of: event).utf8), seq: UInt64(clamping: keptEvents[event].seq),
      at: Publication.wall(of: keptEvents[event].at, at: now, wall: wall))
    return give(.addEvent(publication), .event(keptEvents[event].seq), bytes: keptEvents[event].bytes)
  }

  /// The server ends: once all is on disk, the store is told how far the numbers have come.
  private mutating func handEnd() -> PublicationWrite? {
    guard storing.isEnding, !storing.hasToldEnd, storing.hand.isEmpty else { return nil }
    storing.hasToldEnd = true
    return give(.end(seq: UInt64(clamping: keptEvents.lastSeq)), .end, bytes: 0)
  }

  private mutating func give(_ change: PublicationChange, _ subject: StoreHand.Subject, bytes: Int) -> PublicationWrite
  {
    PublicationWrite(number: UInt64(storing.hand.give(subject, bytes: bytes)), change: change)
  }

  // MARK: Answers

  /// The store has written all changes up to a number, or does not keep those that it had not answered.
  mutating func takeStoreAnswer(upTo number: Int, isKept: Bool, at now: Instant) {
    storing.hand.answer(upTo: number, isKept: isKept)
    guard storing.hand.hasAnswers, !storing.isListed else { return }
    storing.isListed = true
    if settleStored(at: now) { beginJob(.settleStored) }
  }

  /// Carries a piece of the answers out. Returns true if more is left.
  mutating func settleStored(at now: Instant) -> Bool {
    for _ in 0..<settings.pieces.size {
      spent &+= Cost.look
      if let reply = heldReplies.popFirst(of: &storing.telling) {
        tellHeldReply(reply, isKept: storing.isKept, at: now)
      } else if let (subject, isKept) = storing.hand.settleNext() {
        noteCommit(isKept: isKept, at: now)
        settleStored(subject, isKept: isKept)
      } else {
        storing.isListed = false
        return false
      }
    }
    return true
  }

  private mutating func settleStored(_ subject: StoreHand.Subject, isKept: Bool) {
    switch subject {
    case .value(let value, let replies):
      (storing.telling, storing.isKept) = (replies, isKept)
      storing.values.settle(value, isKept: isKept)
    case .event(let seq): if !isKept { keptEvents.stored.handAgain(from: seq) }
    case .gone(let count): keptEvents.stored.settleGone(count, isKept: isKept)
    case .reserve(let seq): keptEvents.settleReserve(seq, isKept: isKept)
    case .end: if isKept { storing.hasEnded = true } else { storing.hasToldEnd = false }
    }
  }

  /// After a commit that has failed, the disk is left alone for a second.
  private mutating func noteCommit(isKept: Bool, at now: Instant) {
    storing.failingSince = isKept ? nil : storing.failingSince ?? now
    if isKept {
      storing.triesAt = nil
      timers.end(storing.timer)
      storing.timer = .none
    } else if storing.triesAt == nil {
      let next = now.advanced(milliseconds: Storing.restMilliseconds)
      storing.triesAt = next
      storing.timer = timers.set(.tryStore, at: next)
    }
  }

  /// The disk is tried again; if there is nothing to write, the next change finds out.
  mutating func storeIsDue() {
    (storing.triesAt, storing.timer) = (nil, .none)
    if !hasUnstored, storing.hand.isEmpty { storing.failingSince = nil }
  }

  // MARK: What is told of the store

  /// Whether the disk of the store has less than `min_free_bytes`: no event is kept then, and no new value is taken.
  package var storeLacksRoom: Bool {
    mutating get { storing.lacksRoom }
    set { storing.lacksRoom = newValue }
  }

  /// Whether one has failed because the file is damaged: what peers are told says so.
  package var isStoreDamaged: Bool {
    mutating get { storing.isDamaged }
    set { storing.isDamaged = newValue }
  }

  /// Whether the file of the store has gone, or is another one.
  package var hasStoreLostFile: Bool {
    mutating get { storing.hasLostFile }
    set { storing.hasLostFile = newValue }
  }

  /// The server ends in order, and nothing more will be published. What is not written yet is given to the store, and at
  /// last the end.
  public mutating func endStoring() { storing.isEnding = true }
}
