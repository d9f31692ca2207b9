package import BatonLasting

/// The way to a store and back, for what stays: values, and kept events (contract, section 15). Without `beginRestore`
/// there is no store.
///
/// At the start: `beginRestore`, `restore` for each value in the order of changes and for each event in the order of
/// `seq`, `endRestore`; then what `nextPublication` gives is written before the server listens. In each turn the
/// caller takes what `nextPublication` gives, as far as the store has room, and tells what has become of it.
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

  /// The next change for the store, and the bytes that it takes; nil if there is none.
  package mutating func nextPublication(at now: Instant, wall: Int64) -> (change: PublicationChange, bytes: Int)? {
    handStored(at: now, wall: wall)
  }

  /// Whether `nextPublication` has something to give.
  package var hasPublications: Bool { mutating get { storing.isOn && hasUnstored } }

  /// Of the changes that were given, so many, the oldest ones, are on disk, and so many behind them will not be.
  package mutating func settlePublications(stored: Int, lost: Int, at now: Instant) {
    spent = 0
    takeStoreAnswer(stored: stored, lost: lost, at: now)
    _ = endOwnStep(at: now)
  }

  /// Whether the store has all, and the end.
  package var hasEndedStoring: Bool { mutating get { storing.hasEnded } }
}
