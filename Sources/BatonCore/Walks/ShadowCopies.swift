/// A copy of a message that a shadow got. Its verdict and the outcome are compared once both are known (contract,
/// section 8, `inspect`).
struct ShadowCopy: ~Copyable {
  /// The verdict of a shadow.
  enum Verdict {
    case handled, `continue`, rewrote, reject, failed
  }

  let link: Ref<Link>
  var offer: Slot<Offer>
  let deadline: Instant
  var timer = TimerRef.none
  /// Who pays for it: the account of the handler.
  let payer: Slot<PeerAccount>
  /// The walk whose outcome is still to come, and its neighbours among the copies of that walk.
  var walk: Ref<Walk>
  var previous = Slot<ShadowCopy>.nobody
  var next: Slot<ShadowCopy>
  var verdict: Verdict?
  var outcome: Outcome.Status?
}

/// All copies whose verdict or outcome is not yet known. It knows neither walks nor links: it says whether a verdict
/// agrees, and `Router+Shadows` counts it.
struct ShadowCopies: ~Copyable {
  private var table = Table<ShadowCopy>()

  var count: Int { table.count }
  var extent: UInt32 { table.extent }
  var isTooLong: Bool { table.isTooLong }
  var memory: Int { table.memory }
  var slots: Slots<ShadowCopy> { table.slots }

  func isTaken(_ copy: Slot<ShadowCopy>) -> Bool { table.isTaken(copy) }

  mutating func shrink() -> Bool { table.shrink() }

  subscript(copy: Slot<ShadowCopy>) -> ShadowCopy {
    @inline(__always) _read { yield table[copy] }
    @inline(__always) _modify { yield &table[copy] }
  }

  func contains(_ copy: Ref<ShadowCopy>) -> Bool { table.contains(copy) }
  func ref(_ copy: Slot<ShadowCopy>) -> Ref<ShadowCopy> { table.ref(copy) }

  /// Adds a copy as the first one of its walk.
  mutating func insert(_ copy: consuming ShadowCopy) -> Slot<ShadowCopy> {
    let next = copy.next
    let slot = table.insert(copy)
    if next != .nobody { table[next].previous = slot }
    return slot
  }

  /// If verdict and outcome are both known, removes the copy, and returns who paid for it and whether they agree; that is nil
  /// if the message was cancelled: then there is nothing to agree with.
  mutating func compareIfKnown(
    _ copy: Slot<ShadowCopy>
  ) -> (link: Ref<Link>, payer: Slot<PeerAccount>, agrees: Bool?)? {
    guard let verdict = table[copy].verdict, let outcome = table[copy].outcome else { return nil }
    let agrees =
      switch (verdict, outcome) {
      case (.handled, .handled), (.reject, .rejected), (.continue, .unhandled), (.continue, .published): true
      default: false
      }
    let (link, payer) = (table[copy].link, table[copy].payer)
    table.remove(copy)
    return (link, payer, outcome == .cancelled ? nil : agrees)
  }

  /// Forgets a copy. `first` is the first copy of its walk; it does not count if the walk has ended.
  mutating func remove(_ copy: Slot<ShadowCopy>, first: inout Slot<ShadowCopy>) {
    let (previous, next) = (table[copy].previous, table[copy].next)
    if previous != .nobody { table[previous].next = next } else { first = next }
    if next != .nobody { table[next].previous = previous }
    table.remove(copy)
  }

  /// Forgets a copy whose walk has ended.
  mutating func remove(_ copy: Slot<ShadowCopy>) { table.remove(copy) }
}
