// Listeners: the subscriptions of connections, and how events get to subscribers. It owns subscriptions and the lines
// that several connections share.

/// All subscriptions, and a search for those that match a topic. This type knows no connections: the connection keeps
/// the slot of its first subscription, and its owner passes it in.
struct Subscriptions: ~Copyable {
  private let seed: UInt64
  private var table = Table<Subscription>()
  private var byPattern = ByteIndex<Subscription>()
  private var index: PatternIndex<Connection>
  private let root: Slot<PatternNode>
  /// The subscribers that the last `match` found. A subscriber with several matching patterns is in it several times.
  /// The memory is used again.
  private(set) var found = FoundOwners<Connection>()

  init(seed: UInt64) {
    self.seed = seed
    index = PatternIndex(seed: seed)
    root = index.makeRoot()
  }

  var count: Int { table.count }
  var extent: UInt32 { table.extent }
  var patternCount: Int { index.count }
  var nameCount: Int { byPattern.count }

  /// Finds the subscribers of the topic. Once more than `most` are found, the search ends.
  @inline(__always)
  mutating func match(_ topic: UnsafeRawBufferPointer, atMost most: Int = .max) {
    found.removeAll()
    index.match(topic, under: root, atMost: most, into: &found)
  }

  /// The connection's subscription with exactly this pattern, if there is one.
  func find(_ pattern: UnsafeRawBufferPointer, of connection: Slot<Connection>) -> Slot<Subscription>? {
    byPattern.find(hash(pattern, of: connection)) {
      table[$0].connection == connection && table[$0].pattern.bytes.equals(pattern)
    }
  }

  /// The ref of a subscription; whether it is still there; its pattern; the next one of its connection.
  func ref(_ subscription: Slot<Subscription>) -> Ref<Subscription> { table.ref(subscription) }
  func contains(_ ref: Ref<Subscription>) -> Bool { table.contains(ref) }
  func copyPattern(of subscription: Slot<Subscription>) -> [UInt8] { Array(table[subscription].pattern.bytes) }
  func next(_ subscription: Slot<Subscription>) -> Slot<Subscription> { table[subscription].next }

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

  /// Removes a subscription. `first` is the first subscription of its connection. Returns how much its pattern counted,
  /// and whether it was for the server's own topics, and for traces.
  mutating func remove(
    _ subscription: Slot<Subscription>, first: inout Slot<Subscription>
  ) -> (weight: Int, isServers: Bool, isForTraces: Bool) {
    let (previous, next) = (table[subscription].previous, table[subscription].next)
    if previous != .nobody { table[previous].next = next } else { first = next }
    if next != .nobody { table[next].previous = previous }
    let weight = Pattern.weight(of: table[subscription].pattern.bytes)
    let isServers = Words.isServers(table[subscription].pattern.bytes)
    let isForTraces = isServers && TraceFacts.areHeard(by: table[subscription].pattern.bytes)
    index.remove(table[subscription].entry)
    byPattern.remove(table[subscription].hash, subscription)
    table.remove(subscription)
    return (weight, isServers, isForTraces)
  }

  private func hash(_ pattern: UnsafeRawBufferPointer, of connection: Slot<Connection>) -> UInt32 {
    pattern.hash(seed: seed, beside: connection.index)
  }
}
