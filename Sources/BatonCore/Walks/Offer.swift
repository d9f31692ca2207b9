/// One message put to one handler. It is settled once: by a verdict or by its time; after that it may still stand in
/// its connection's row as lapsed, until the handler answers it (too late) or goes.
struct Offer {
  /// The number that the handler knows it by: 1, 2, 3 … per connection.
  let id: Int
  let connection: Slot<Connection>
  var replica: Slot<Replica>
  var subject: Subject
  /// What its `timeout_ms` said.
  let timeoutMilliseconds: Int
  /// Whether that was the link's own time in full.
  var isFull = false
  let made: Instant
  /// Neighbours in the connection's row, in the order of ids.
  var previous = Slot<Offer>.nobody
  var next = Slot<Offer>.nobody

  /// True once its time has run out: an answer changes nothing any more.
  var isLapsed: Bool {
    if case .lapsed = subject { true } else { false }
  }

  /// What was offered.
  enum Subject {
    /// A message, whose walk waits for the verdict.
    case walk(Ref<Walk>)
    /// A shadow's copy, for which nobody waits.
    case copy(Ref<ShadowCopy>)
    /// Nothing any more.
    case lapsed
  }
}
