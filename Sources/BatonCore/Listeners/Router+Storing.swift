package import BatonLasting

/// Gives the store what stays, and carries its answers out (contract, section 15). Nothing here waits for the disk: what is
/// not written yet is found in the tables of what is kept, so that it takes no memory of its own beside the names of
/// topics and the numbers of events that are gone.
extension Router {
  /// A change, and the bytes that it takes.
  typealias Given = (change: PublicationChange, bytes: Int)

  /// The next change for the store; nil if there is none now.
  mutating func handStored(at now: Instant, wall: Int64) -> Given? {
    guard storing.isOn else { return nil }
    return handReserve() ?? handValue(at: now, wall: wall) ?? handGone() ?? handEvent(at: now, wall: wall) ?? handEnd()
  }

  /// Whether there is a change for the store.
  var hasUnstored: Bool {
    mutating get {
      storing.values.isAnyWaiting || keptEvents.wantsReserve || keptEvents.stored.isAnyGone || mayHandEvents
        || storing.isEnding && !storing.hasToldEnd && storing.hasNothingInHand
    }
  }

  private mutating func handReserve() -> Given? {
    keptEvents.nextReserve().map { give(.reserve(seq: UInt64(clamping: $0)), .reserve($0), bytes: 0) }
  }

  private mutating func handValue(at now: Instant, wall: Int64) -> Given? {
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

  private mutating func handGone() -> Given? {
    let numbers = keptEvents.stored.handGone()
    return numbers.isEmpty
      ? nil : give(.removeEvents(numbers.map { UInt64(clamping: $0) }), .gone(numbers.count), bytes: 8 * numbers.count)
  }

  /// Events wait in memory while the disk lacks room, which is for ends.
  private var mayHandEvents: Bool { keptEvents.hasUnstored && (!storing.lacksRoom || storing.isEnding) }

  private mutating func handEvent(at now: Instant, wall: Int64) -> Given? {
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
  private mutating func handEnd() -> Given? {
    guard storing.isEnding, !storing.hasToldEnd, storing.hasNothingInHand else { return nil }
    storing.hasToldEnd = true
    return give(.end(seq: UInt64(clamping: keptEvents.lastSeq)), .end, bytes: 0)
  }

  private mutating func give(_ change: PublicationChange, _ subject: Storing.Subject, bytes: Int) -> Given {
    storing.give(subject)
    return (change, bytes)
  }

  // MARK: Answers

  /// The oldest changes that the store has are on disk, and so many behind them will not be.
  mutating func takeStoreAnswer(stored: Int, lost: Int, at now: Instant) {
    storing.answer(stored, isStored: true)
    storing.answer(lost, isStored: false)
    guard !storing.isListed else { return }
    storing.isListed = true
    if settleStored(at: now) { beginJob(.settleStored) }
  }

  /// Carries a piece of the answers out. Returns true if more is left.
  mutating func settleStored(at now: Instant) -> Bool {
    for _ in 0..<settings.pieces.size {
      spent &+= Cost.look
      if let reply = desk.popFirst(of: &storing.telling) {
        tellHeldReply(reply, isStored: storing.isStored, at: now)
      } else if let (subject, isStored) = storing.settleNext() {
        settleStored(subject, isStored: isStored)
      } else {
        storing.isListed = false
        return false
      }
    }
    return true
  }

  private mutating func settleStored(_ subject: Storing.Subject, isStored: Bool) {
    switch subject {
    case .value(let value, let replies):
      (storing.telling, storing.isStored) = (replies, isStored)
      storing.values.settle(value, isStored: isStored)
    case .event(let seq): if !isStored { keptEvents.stored.handAgain(from: seq) }
    case .gone(let count): keptEvents.stored.settleGone(count, isStored: isStored)
    case .reserve(let seq): keptEvents.settleReserve(seq, isStored: isStored)
    case .end: if isStored { storing.hasEnded = true } else { storing.hasToldEnd = false }
    }
  }

  // MARK: What is told of the store

  /// Whether commits fail: a value is not on disk then.
  package var isStoreFailing: Bool {
    mutating get { storing.isFailing }
    set { storing.isFailing = newValue }
  }

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

  /// How the log of the store is now.
  package mutating func tellStoreLog(_ log: StoreLogFacts, at now: Instant) {
    if log.heldBytes == 0 || storing.log.heldBytes == 0 { storing.logHeldSince = log.heldBytes == 0 ? nil : now }
    storing.log = log
  }

  /// The server ends in order, and nothing more will be published. What is not written yet is given to the store, and at
  /// last the end.
  package mutating func endStoring() { storing.isEnding = true }
}
