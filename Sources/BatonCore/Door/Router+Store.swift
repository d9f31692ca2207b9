package import BatonLasting

/// The way to a store and back, for what stays: values, and kept events (contract, section 15). Without `beginRestore`
/// there is no store.
///
/// At the start: `beginRestore`, `restore` for each value in the order of changes and for each event in the order of
/// `seq`, `endRestore`; then what `nextStoredWrite` gives is written before the server listens. After each turn the
/// caller takes what `nextStoredWrite` gives, and has it committed together.
extension Router {
  /// There is a store. What it has is restored now. `epoch` is told in the place of that of the settings: it says whether
  /// its numbers go on.
  package mutating func beginRestore(epoch: String? = nil) {
    if let epoch { settings.epoch = epoch }
    beginRestoring()
  }

  /// A value that the store has. Values come in the order of their changes. Returns false if its bytes cannot be those of
  /// a value: then it is as if the store did not have it. `wall` is what the wall clock says, in milliseconds.
  @discardableResult
  package mutating func restore(value: Publication, change: UInt64, at now: Instant, wall: Int64) -> Bool {
    restoreValue(value, change: change, at: now, wall: wall)
  }

  /// An event that the store has, published before `now`. Events come in the order of their `seq`. Returns false as
  /// `restore(value:change:at:wall:)` does.
  @discardableResult
  package mutating func restore(event: Publication, at now: Instant, wall: Int64) -> Bool {
    restoreEvent(event, at: now, wall: wall)
  }

  /// All was restored. Numbers up to `seq` may have been used: it is what the store was told last, by `reserve` or `end`.
  package mutating func endRestore(after seq: UInt64) {
    endRestoring(after: Publication.number(seq))
    beginForgetting()
  }

  /// The next change for the store; nil if there is none now.
  package mutating func nextStoredWrite(at now: Instant, wall: Int64) -> PublicationWrite? {
    handStored(at: now, wall: wall)
  }

  /// Whether `nextStoredWrite` has something to give.
  package mutating func hasStoredWrites(at now: Instant) -> Bool { mayHand(at: now) && hasUnstored }

  /// Whether there is more to write, which has to wait for the next turn: the caller does not sleep before it.
  package var storesMore: Bool { mutating get { storing.hand.isTurnOver && !storing.hand.isFull && hasUnstored } }

  /// The store has written all changes up to this number, but for those that `notStored` told.
  package mutating func stored(upTo number: UInt64, at now: Instant) { takeAnswer(upTo: number, isKept: true, at: now) }

  /// The commit with the changes up to this number has failed: they are not on disk, and will not be.
  package mutating func notStored(upTo number: UInt64, at now: Instant) {
    takeAnswer(upTo: number, isKept: false, at: now)
  }

  private mutating func takeAnswer(upTo number: UInt64, isKept: Bool, at now: Instant) {
    spent = 0
    takeStoreAnswer(upTo: Int(clamping: number), isKept: isKept, at: now)
    _ = endOwnStep(at: now)
  }

  /// Whether the latest commit of what stays has failed.
  package var isStoreFailing: Bool { mutating get { storing.isFailing } }

  /// Whether the store has all, and the end.
  package var hasEndedStoring: Bool { mutating get { storing.hasEnded } }
}
