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
  /// The walk whose outcome is still to come, and the next copy of that walk.
  var walk: Ref<Walk>
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

  subscript(copy: Slot<ShadowCopy>) -> ShadowCopy {
    @inline(__always) _read { yield table[copy] }
    @inline(__always) _modify { yield &table[copy] }
  }

  func contains(_ copy: Ref<ShadowCopy>) -> Bool { table.contains(copy) }
  func ref(_ copy: Slot<ShadowCopy>) -> Ref<ShadowCopy> { table.ref(copy) }

  mutating func insert(_ copy: consuming ShadowCopy) -> Slot<ShadowCopy> { table.insert(copy) }

  /// If verdict and outcome are both known, removes the copy and returns whether they agree; nil otherwise, and if the
  /// message was cancelled: then there is nothing to agree with.
  mutating func compareIfKnown(_ copy: Slot<ShadowCopy>) -> (link: Ref<Link>, agrees: Bool)? {
    guard let verdict = table[copy].verdict, let outcome = table[copy].outcome else { return nil }
    let agrees =
      switch (verdict, outcome) {
      case (.handled, .handled), (.reject, .rejected), (.continue, .unhandled), (.continue, .published): true
      default: false
      }
    let link = table[copy].link
    table.remove(copy)
    return outcome == .cancelled ? nil : (link, agrees)
  }

  /// Forgets a copy that is not compared. `first` is the first copy of its walk.
  mutating func remove(_ copy: Slot<ShadowCopy>, first: inout Slot<ShadowCopy>) {
    if first == copy {
      first = table[copy].next
    } else {
      var before = first
      while table[before].next != copy { before = table[before].next }
      table[before].next = table[copy].next
    }
    table.remove(copy)
  }

  /// Forgets a copy whose walk has ended.
  mutating func remove(_ copy: Slot<ShadowCopy>) { table.remove(copy) }
}
