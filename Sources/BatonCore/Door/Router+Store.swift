/// The way to a store and back, for what stays: values, and kept events (contract, section 15). Without `beginRestore`
/// there is no store.
///
/// At the start: `beginRestore`, `restore` for each value in the order of changes and for each event in the order of
/// `seq`, `endRestore`; then what `nextStoredWrite` gives is written before the server listens. After each turn the
/// caller takes what `nextStoredWrite` gives, and has it committed together.
extension Router {
  /// There is a store. What it has is restored now. `epoch` is told in the place of that of the settings: it says whether
  /// its numbers go on.
  public mutating func beginRestore(epoch: String? = nil) {
    if let epoch { settings.epoch = epoch }
    beginRestoring()
  }

  /// A value that the store has. Values come in the order of their changes. Returns false if its bytes cannot be those of
  /// a value: then it is as if the store did not have it.
  @discardableResult
  public mutating func restore(value publication: StoredPublication, change: Int) -> Bool {
    restoreValue(publication, change: change)
  }

  /// An event that the store has, published before `now`. Events come in the order of their `seq`. Returns false as
  /// `restore(value:change:)` does.
  @discardableResult
  public mutating func restore(event publication: StoredPublication, at now: Instant) -> Bool {
    restoreEvent(publication, at: now)
  }

  /// All was restored. Numbers up to `seq` may have been used: it is what the store was told last, by `reserve` or `end`.
  public mutating func endRestore(after seq: Int) {
    endRestoring(after: seq)
    beginForgetting()
  }

  /// The next change for the store; nil if there is none now.
  public mutating func nextStoredWrite(at now: Instant) -> StoredWrite? { handStored(at: now) }

  /// Whether `nextStoredWrite` has something to give.
  public mutating func hasStoredWrites(at now: Instant) -> Bool { mayHand(at: now) && hasUnstored }

  /// Whether there is more to write, which has to wait for the next turn: the caller does not sleep before it.
  public var storesMore: Bool { mutating get { storing.hand.isTurnOver && !storing.hand.isFull && hasUnstored } }

  /// The store has written all changes up to this number, but for those that `notStored` told.
  public mutating func stored(upTo number: Int, at now: Instant) { takeAnswer(upTo: number, isKept: true, at: now) }

  /// The commit with the changes up to this number has failed: they are not on disk, and will not be.
  public mutating func notStored(upTo number: Int, at now: Instant) { takeAnswer(upTo: number, isKept: false, at: now) }

  private mutating func takeAnswer(upTo number: Int, isKept: Bool, at now: Instant) {
    spent = 0
    takeStoreAnswer(upTo: number, isKept: isKept, at: now)
    _ = endOwnStep(at: now)
  }

  /// Whether the latest commit of what stays has failed.
  public var isStoreFailing: Bool { mutating get { storing.isFailing } }

  /// Whether the store has all, and the end.
  public var hasEndedStoring: Bool { mutating get { storing.hasEnded } }
}
