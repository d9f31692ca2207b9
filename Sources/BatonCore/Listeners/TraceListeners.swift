/// The connections that listen to traces, found by what they ask of a trace (contract, section 7, `Some traces only`). So a
/// message costs what those cost that get its trace, however many others there are.
///
/// What a listener asks is a pattern of a trace's words (`TraceFacts.words`). Listeners of one identity with the same pattern
/// are a group. Within it they stand in the order of how slow a walk must be for them. This type knows no connections: the
/// connection keeps the slot of its listener, and its owner passes it in.
struct TraceListeners: ~Copyable {
  private let seed: UInt64
  private var table = Table<TraceListener>()
  private var groups = Table<TraceGroup>()
  private var byWords = ByteIndex<TraceGroup>()
  private var order = OrderTree<TraceListener>()
  private var index: PatternIndex<TraceGroup>
  private let root: Slot<PatternNode>
  /// The groups that the last `match` found, each once.
  private(set) var groupsFound = FoundOwners<TraceGroup>()
  /// The connections that `gather` found since `match`, each once.
  private(set) var found = FoundOwners<Connection>()

  init(seed: UInt64) {
    self.seed = seed
    index = PatternIndex(seed: seed)
    root = index.makeRoot()
  }

  /// Those who listen also to messages that go not beyond this server.
  private var wantingAll = 0

  var areForAll: Bool { wantingAll > 0 }
  var count: Int { table.count }
  var groupCount: Int { groups.count }
  var patternCount: Int { index.count }
  var extent: UInt32 { table.extent }

  // MARK: Changes

  /// Adds a listener. `dropped` is how many traces were dropped before.
  mutating func insert(
    _ connection: Slot<Connection>, of identity: Slot<Identity>, wanting asked: TraceWhere, dropped: Int
  ) -> Slot<TraceListener> {
    let words = asked.words
    let group = find(words, of: identity) ?? makeGroup(words, of: identity)
    let slowerThan = asked.slowerThan.map { Int64($0) * 1000 } ?? -1
    let listener = table.insert(
      TraceListener(
        connection: connection, group: group, slowerThan: slowerThan, isForAll: asked.isTraced != true, dropped: dropped
      ))
    if asked.isTraced != true { wantingAll += 1 }
    let next = first(in: group, slowerThan: slowerThan)
    table[listener].node = order.insert(listener, before: next, into: &groups[group].root)
    return listener
  }

  /// Removes a listener. Returns how many dropped traces it knows of.
  mutating func remove(_ listener: Slot<TraceListener>) -> Int {
    let (group, dropped) = (table[listener].group, table[listener].dropped)
    order.remove(table[listener].node, from: &groups[group].root)
    if table[listener].isForAll { wantingAll -= 1 }
    table.remove(listener)
    if groups[group].root == .nobody {
      index.remove(groups[group].entry)
      byWords.remove(groups[group].hash, group)
      groups.remove(group)
    }
    return dropped
  }

  /// Notes that so many traces were dropped. Returns how many of them the listener did not know of.
  mutating func learnDropped(_ dropped: Int, _ listener: Slot<TraceListener>) -> Int {
    defer { table[listener].dropped = dropped }
    return dropped - table[listener].dropped
  }

  // MARK: Finding

  /// Finds the groups that ask for such a trace.
  mutating func match(_ trace: TraceFacts) {
    groupsFound.removeAll()
    found.removeAll()
    trace.words.withUnsafeBytes { index.match($0, under: root, into: &groupsFound) }
  }

  func identity(of group: Slot<TraceGroup>) -> Slot<Identity> { groups[group].identity }

  /// Whether the walk was slow enough for one of the group.
  func isSlowForSome(_ group: Slot<TraceGroup>, _ trace: TraceFacts) -> Bool {
    let first = order.first(groups[group].root)
    return first != .nobody && table[order.element(first)].slowerThan < trace.microseconds
  }

  /// Adds those of the group to `found` for whom the walk was slow enough.
  mutating func gather(_ group: Slot<TraceGroup>, _ trace: TraceFacts) {
    var node = order.first(groups[group].root)
    while node != .nobody {
      let listener = order.element(node)
      guard table[listener].slowerThan < trace.microseconds else { return }
      found.append(table[listener].connection)
      node = order.next(node)
    }
  }

  // MARK: Groups

  private func find(_ words: [UInt8], of identity: Slot<Identity>) -> Slot<TraceGroup>? {
    words.withUnsafeBytes { bytes in
      byWords.find(bytes.hash(seed: seed, beside: identity.index)) {
        groups[$0].identity == identity && groups[$0].words.bytes.equals(bytes)
      }
    }
  }

  private mutating func makeGroup(_ words: [UInt8], of identity: Slot<Identity>) -> Slot<TraceGroup> {
    words.withUnsafeBytes { bytes in
      let hash = bytes.hash(seed: seed, beside: identity.index)
      let group = groups.insert(TraceGroup(identity: identity, words: OwnedBytes(copying: bytes), hash: hash))
      groups[group].entry = index.insert(bytes, for: group, under: root)
      byWords.insert(hash, group)
      return group
    }
  }

  /// The first listener of a group that wants slower walks; `nobody` if there is none.
  private func first(in group: Slot<TraceGroup>, slowerThan: Int64) -> Slot<OrderNode> {
    order.firstNode(groups[group].root) { table[$0].slowerThan > slowerThan }
  }
}

/// One connection that listens to traces.
struct TraceListener {
  let connection: Slot<Connection>
  let group: Slot<TraceGroup>
  /// Walks that took more microseconds are slow enough.
  let slowerThan: Int64
  /// Whether it listens also to messages that go not beyond this server.
  let isForAll: Bool
  /// How many dropped traces it knows of.
  var dropped: Int
  var node = Slot<OrderNode>.nobody

  init(
    connection: Slot<Connection>, group: Slot<TraceGroup>, slowerThan: Int64, isForAll: Bool, dropped: Int
  ) {
    self.connection = connection
    self.group = group
    self.slowerThan = slowerThan
    self.isForAll = isForAll
    self.dropped = dropped
  }
}

/// Those of one identity that ask for the same, but for how slow it must be.
struct TraceGroup: ~Copyable {
  let identity: Slot<Identity>
  let words: OwnedBytes
  let hash: UInt32
  var entry = Ref<PatternEntry>.none
  /// The tree of its listeners.
  var root = Slot<OrderNode>.nobody

  init(identity: Slot<Identity>, words: consuming OwnedBytes, hash: UInt32) {
    self.identity = identity
    self.words = words
    self.hash = hash
  }
}
