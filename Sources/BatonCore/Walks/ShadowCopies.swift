/// A copy of a message that a shadow got. Its verdict and the outcome are compared once both are known (contract,
/// section 8, `inspect`).
struct ShadowCopy: ~Copyable {
  /// The verdict of a shadow.
  enum Verdict: UInt8 {
    case handled, `continue`, rewrote, reject, failed

    func agrees(with outcome: Outcome.Status) -> Bool {
      switch (self, outcome) {
      case (.handled, .handled), (.reject, .rejected), (.continue, .unhandled), (.continue, .published): true
      default: false
      }
    }

    /// The verdict as the shadow wrote it.
    var spelling: StaticString {
      switch self {
      case .handled: "handled"
      case .continue, .rewrote: "continue"
      case .reject: "reject"
      case .failed: "failed"
      }
    }
  }

  /// An answer that is not the outcome: who gave it, what it was, and the message, if it is short enough to be told of.
  struct Disagreement {
    let verdict: Verdict
    /// The shadow's words as a JSON string; empty without any.
    let said: [UInt8]
    let walk: EndedWalk?
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
  /// The words of the verdict.
  var said: [UInt8] = []
  /// What the walk was, once it has ended; nil where nobody needs it.
  var ended: EndedWalk?
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

  /// What has come of a copy whose verdict and outcome are known.
  struct Comparison {
    let link: Ref<Link>
    /// Who paid for it.
    let payer: Slot<PeerAccount>
    /// Whether the message was cancelled: then there is nothing to agree with.
    let isCancelled: Bool
    /// Nil if they agree.
    let disagreement: ShadowCopy.Disagreement?
  }

  /// If verdict and outcome are both known, removes the copy, and returns what has come of it.
  mutating func compareIfKnown(_ copy: Slot<ShadowCopy>) -> Comparison? {
    guard let verdict = table[copy].verdict, let outcome = table[copy].outcome else { return nil }
    let isRight = verdict.agrees(with: outcome)
    let comparison = Comparison(
      link: table[copy].link, payer: table[copy].payer, isCancelled: outcome == .cancelled,
      disagreement: isRight ? nil : .init(verdict: verdict, said: table[copy].said, walk: table[copy].ended))
    table.remove(copy)
    return comparison
  }

  /// Whether the copy may still come to disagree with this outcome: then the walk is told of, which has ended.
  func mayDisagree(_ copy: Slot<ShadowCopy>, with outcome: Outcome.Status) -> Bool {
    outcome != .cancelled && !(table[copy].verdict?.agrees(with: outcome) ?? false)
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
