/// The links of one chain that accept one topic, in order: worked out once and kept until the chain changes.
struct AcceptList: ~Copyable {
  let chain: Slot<Chain>
  let topic: OwnedBytes
  let hash: UInt32
  let links: [Slot<Link>]
  /// True where it holds neither mounts nor shadows.
  let isPlain: Bool

  /// Bytes that it takes.
  var bytes: Int { topic.count + links.count * 4 + 128 }
}

/// Who accepts what: the patterns of all links, and the lists that were worked out of them. It knows neither links nor
/// chains: whose lists are no longer right, `Router+AcceptLists` says.
struct AcceptLists: ~Copyable {
  private let seed: UInt64
  var patterns: PatternIndex<Link>
  private var lists = Table<AcceptList>()
  private var topics = ByteIndex<AcceptList>()
  /// Bytes of all lists.
  private(set) var bytes = 0
  /// What `match` found last; the memory is used again.
  private(set) var found: [Slot<Link>] = []

  init(seed: UInt64) {
    self.seed = seed
    patterns = PatternIndex(seed: seed)
  }

  var count: Int { lists.count }
  var topicCount: Int { topics.count }
  var extent: UInt32 { lists.extent }

  subscript(slot: Slot<AcceptList>) -> AcceptList {
    @inline(__always) _read { yield lists[slot] }
  }

  @inline(__always)
  func contains(_ ref: Ref<AcceptList>) -> Bool { lists.contains(ref) }

  @inline(__always)
  func hash(_ topic: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> UInt32 {
    topic.hash(seed: seed, beside: chain.index)
  }

  /// The list that was worked out for a topic.
  @inline(__always)
  func find(_ topic: UnsafeRawBufferPointer, hash: UInt32, in chain: Slot<Chain>) -> Ref<AcceptList>? {
    topics.find(hash) { lists[$0].chain == chain && lists[$0].topic.bytes.equals(topic) }.map { lists.ref($0) }
  }

  /// Finds the links with a pattern that matches the topic, as they come; one with several such patterns comes several
  /// times.
  mutating func match(_ topic: UnsafeRawBufferPointer, under root: Slot<PatternNode>) {
    found.removeAll(keepingCapacity: found.capacity <= 1 << 16)
    patterns.match(topic, under: root, into: &found)
  }

  mutating func insert(_ list: consuming AcceptList) -> Ref<AcceptList> {
    bytes += list.bytes
    let hash = list.hash
    let slot = lists.insert(list)
    topics.insert(hash, slot)
    return lists.ref(slot)
  }

  mutating func remove(_ ref: Ref<AcceptList>) {
    bytes -= lists[ref.slot].bytes
    topics.remove(lists[ref.slot].hash, ref.slot)
    lists.remove(ref.slot)
  }
}
