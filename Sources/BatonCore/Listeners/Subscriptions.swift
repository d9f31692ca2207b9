// Listeners: who has subscribed to what, and events on their way to them. It owns subscriptions and the lines that
// several connections share.

/// All subscriptions, and which of them a topic is for. It knows no connections: the first of a connection's
/// subscriptions is handed over by its owner.
struct Subscriptions: ~Copyable {
  private let seed: UInt64
  private var table = Table<Subscription>()
  private var byPattern = ByteIndex<Subscription>()
  private var index: PatternIndex<Connection>
  private let root: Slot<PatternNode>
  /// The subscribers that `match` found last, each as often as it has patterns that match; the memory is used again.
  private(set) var found: [Slot<Connection>] = []

  init(seed: UInt64) {
    self.seed = seed
    index = PatternIndex(seed: seed)
    root = index.makeRoot()
  }

  var count: Int { table.count }
  var extent: UInt32 { table.extent }
  var patternCount: Int { index.count }
  var nameCount: Int { byPattern.count }

  /// Finds everyone who has subscribed to the topic.
  @inline(__always)
  mutating func match(_ topic: UnsafeRawBufferPointer) {
    found.removeAll(keepingCapacity: found.capacity <= 1 << 16)
    index.match(topic, under: root, into: &found)
  }

  /// The connection's subscription with exactly this pattern.
  func find(_ pattern: UnsafeRawBufferPointer, of connection: Slot<Connection>) -> Slot<Subscription>? {
    byPattern.find(hash(pattern, of: connection)) {
      table[$0].connection == connection && table[$0].pattern.bytes.equals(pattern)
    }
  }

  /// Adds a pattern in front of the connection's others.
  mutating func insert(
    _ pattern: UnsafeRawBufferPointer, of connection: Slot<Connection>, before first: inout Slot<Subscription>
  ) {
    let hash = hash(pattern, of: connection)
    let entry = index.insert(pattern, for: connection, under: root)
    let subscription = table.insert(
      Subscription(connection: connection, pattern: OwnedBytes(copying: pattern), hash: hash, entry: entry))
    byPattern.insert(hash, subscription)
    table[subscription].next = first
    if first != .nobody { table[first].previous = subscription }
    first = subscription
  }

  /// Takes a subscription out. `first` is the first of its connection's. Returns what its pattern counted, and whether it
  /// was about the server's own topics.
  mutating func remove(
    _ subscription: Slot<Subscription>, first: inout Slot<Subscription>
  ) -> (weight: Int, isServers: Bool) {
    let (previous, next) = (table[subscription].previous, table[subscription].next)
    if previous != .nobody { table[previous].next = next } else { first = next }
    if next != .nobody { table[next].previous = previous }
    let weight = Pattern.weight(of: table[subscription].pattern.bytes)
    let isServers = Words.isServers(table[subscription].pattern.bytes)
    index.remove(table[subscription].entry)
    byPattern.remove(table[subscription].hash, subscription)
    table.remove(subscription)
    return (weight, isServers)
  }

  private func hash(_ pattern: UnsafeRawBufferPointer, of connection: Slot<Connection>) -> UInt32 {
    pattern.hash(seed: seed, beside: connection.index)
  }
}
