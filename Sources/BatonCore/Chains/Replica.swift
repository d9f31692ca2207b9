/// One connection that serves a link.
///
/// When the link is replaced or ends, or the connection leaves it, the replica is detached: it gets no further offers,
/// and it stays until the offers that it made or holds are settled.
struct Replica: ~Copyable {
  let link: Ref<Link>
  let connection: Slot<Connection>
  let label: LinkLabel
  /// How much the link's patterns count against the connection's limit.
  let patterns: Int
  /// Whether it counts as a link that stays when its connection goes.
  let isLasting: Bool
  /// The number of open offers that it holds, shadows' copies included.
  var open = 0
  /// The number of open offers that it made and that now count for a newer replica of its connection.
  var lent = 0
  var isDetached = false
  /// Whether it was detached because its connection was lost, and not by a `replace` or `remove`.
  var wasServing = false
  var breaker = Breaker()
  /// The `timeout_ms` of its last offer, with its digits.
  var spelledTimeout = SpelledNumber()
  /// Neighbours in the list of the connection's replicas.
  var previous = Slot<Replica>.nobody
  var next = Slot<Replica>.nobody
  /// Neighbours in the list of the link's replicas.
  var previousAtLink = Slot<Replica>.nobody
  var nextAtLink = Slot<Replica>.nobody

  init(
    link: Ref<Link>, connection: Slot<Connection>, patterns: Int, isLasting: Bool,
    chain: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer
  ) {
    self.link = link
    self.connection = connection
    self.patterns = patterns
    self.isLasting = isLasting
    label = LinkLabel(chain: chain, name: name)
  }

  /// The handler's name as a JSON string.
  @inline(__always)
  var name: UnsafeRawBufferPointer { label.name }
}
