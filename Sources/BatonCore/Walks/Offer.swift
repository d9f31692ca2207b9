/// One message offered to one handler. It is settled once: by a verdict, by its time, or by the loss of its connection.
/// An offer that timed out stays in its connection's row as lapsed, until the handler answers it (too late) or its
/// connection ends. The message pays for an open offer; for a copy and for a lapsed offer, the handler's account does
/// (`Router+HeldOffers`).
struct Offer {
  /// The offer's number for the handler: 1, 2, 3 … on each connection.
  let id: Int
  let connection: Slot<Connection>
  /// The replica for which it counts: the one that made it, or the one with which its handler took the link back.
  var replica: Slot<Replica>
  /// The replica that made it. Its label names the link as the offer does.
  let maker: Slot<Replica>
  var subject: Subject
  /// The `timeout_ms` that the handler was told.
  let timeoutMilliseconds: Int
  /// Whether this was the link's own full `timeout_ms`.
  var isFull = false
  /// The link's failure policy when the offer was made. It holds until the offer is settled.
  let policy: FailurePolicy
  let made: Instant
  /// Whether its handler lost the right to the link before it answered. An answer is refused then.
  var isRevoked = false
  /// Whether a verdict without `id` counts for it that was refused. It is forgotten when it lapses.
  var isAnswered = false
  /// Neighbours in the connection's row, in the order of their ids.
  var previous = Slot<Offer>.nobody
  var next = Slot<Offer>.nobody
  /// The next offer in the same bucket of the connection's row.
  var below = Slot<Offer>.nobody

  /// Whether the offer has timed out. An answer then changes nothing.
  var isLapsed: Bool {
    if case .lapsed = subject { true } else { false }
  }

  /// What outlives the offer while its walk leaves the link.
  var asked: Asked { Asked(replica: replica, maker: maker, policy: policy) }

  /// The handler that an offer asked, and what its failure means.
  struct Asked {
    let replica: Slot<Replica>
    let maker: Slot<Replica>
    let policy: FailurePolicy
  }

  /// The subject of an offer.
  enum Subject {
    /// A message. Its walk waits for the verdict.
    case walk(Ref<Walk>)
    /// A message at one place of a stage (`Stage`).
    case place(Ref<Walk>)
    /// A shadow's copy. No walk waits for the verdict.
    case copy(Ref<ShadowCopy>)
    /// Nothing: the offer is settled.
    case lapsed
  }
}
