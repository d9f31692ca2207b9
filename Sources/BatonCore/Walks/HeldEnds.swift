/// The end of a message that waits until its line is in the record. What it has of the line that ended it is a copy.
struct HeldEnd: ~Copyable {
  let walk: Ref<Walk>
  /// The chain to which it was sent, which stays until then.
  let chain: Slot<Chain>
  /// The number under which the record was told of it.
  let number: Int
  let outcome: Outcome.Kept
  /// What the outcome refers to: the payload of an answer, or the whole verdict with its LF, in which the words stand.
  var bytes: OwnedBytes
  var by: OwnedBytes
  /// The replies to those who cancel it, which come behind the result. Each counts for its connection.
  var replies: [Slot<Ticket>] = []
}

/// All of them, the oldest first. It knows no walk.
struct HeldEnds: ~Copyable {
  private var table = Table<HeldEnd>()
  private var order = Queue<Slot<HeldEnd>>()

  var count: Int { table.count }

  mutating func append(_ end: consuming HeldEnd) -> Slot<HeldEnd> {
    let slot = table.insert(end)
    order.append(slot)
    return slot
  }

  /// The replies that come behind the result of an end.
  func replies(behind end: Slot<HeldEnd>) -> [Slot<Ticket>] { table[end].replies }

  mutating func put(_ reply: Slot<Ticket>, behind end: Slot<HeldEnd>) { table[end].replies.append(reply) }

  /// Takes the oldest out, if its line is written.
  mutating func takeFirst(upTo number: Int) -> HeldEnd? {
    guard let first = order.first, table[first].number <= number else { return nil }
    _ = order.popFirst()
    var bytes = OwnedBytes()
    var by = OwnedBytes()
    swap(&bytes, &table[first].bytes)
    swap(&by, &table[first].by)
    let end = HeldEnd(
      walk: table[first].walk, chain: table[first].chain, number: table[first].number, outcome: table[first].outcome,
      bytes: bytes, by: by,
      replies: table[first].replies)
    table.remove(first)
    return end
  }
}

extension Outcome {
  /// An outcome without what it refers to.
  enum Kept {
    case handled, unhandled, published, rejected, timeout, cancelled
    case failed(Cause, isSaid: Bool, wasAsked: Bool)
  }

  var kept: Kept {
    switch self {
    case .handled: .handled
    case .unhandled: .unhandled
    case .published: .published
    case .rejected: .rejected
    case .failed(let cause, let isSaid, let wasAsked): .failed(cause, isSaid: isSaid, wasAsked: wasAsked)
    case .timeout: .timeout
    case .cancelled: .cancelled
    }
  }

  /// Whether it refers to words of the verdict in hand.
  var refersToWords: Bool {
    switch self {
    case .rejected, .failed(_, isSaid: true, _): true
    default: false
    }
  }
}
