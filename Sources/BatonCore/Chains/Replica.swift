/// One connection that serves a link.
///
/// When the link is replaced or removed, the replica is detached: it takes no further offers, and lives on until those
/// that it holds are settled.
struct Replica: ~Copyable {
  let link: Ref<Link>
  let connection: Slot<Connection>
  let label: LinkLabel
  /// Patterns that count against its connection's limit.
  let patterns: Int
  /// Offers that it holds, shadows' copies included.
  var open = 0
  var isDetached = false
  /// Whether it was detached by the loss of its connection, not by a `replace` or `remove`.
  var wasServing = false
  var breaker = Breaker()
  /// The time that its last offer said.
  var spelledTimeout = SpelledNumber()
  /// Neighbours among those of the same connection.
  var previous = Slot<Replica>.nobody
  var next = Slot<Replica>.nobody
  /// Neighbours among those of the same link.
  var previousAtLink = Slot<Replica>.nobody
  var nextAtLink = Slot<Replica>.nobody

  init(
    link: Ref<Link>, connection: Slot<Connection>, patterns: Int, chain: UnsafeRawBufferPointer,
    name: UnsafeRawBufferPointer
  ) {
    self.link = link
    self.connection = connection
    self.patterns = patterns
    label = LinkLabel(chain: chain, name: name)
  }

  /// The handler's name as a JSON string.
  @inline(__always)
  var name: UnsafeRawBufferPointer { label.name }
}
