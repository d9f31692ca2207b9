/// The links of one chain that accept one topic, in the order of the chain. The list is kept until the chain changes or
/// the lists take too much memory.
struct AcceptList: ~Copyable {
  let chain: Slot<Chain>
  let topic: OwnedBytes
  let hash: UInt32
  let links: [Slot<Link>]
  /// Whether the list holds neither mounts nor shadows.
  let isPlain: Bool

  /// The bytes that the list takes.
  var bytes: Int { topic.count + links.count * 4 + 128 }
}

/// The patterns of all links, and the lists that were made from them. This type knows neither links nor chains:
/// `Router+AcceptLists` makes the lists and removes those that are no longer right.
struct AcceptLists: ~Copyable {
  private let seed: UInt64
  /// One root for each chain (`Chain.root`).
  var patterns: PatternIndex<Link>
  private var lists = Table<AcceptList>()
  private var topics = ByteIndex<AcceptList>()
  /// The bytes of all lists.
  private(set) var bytes = 0
  /// The links that the last `match` found. The memory is used again.
  private(set) var found = FoundOwners<Link>()

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

  /// The list for a topic, if there is one.
  @inline(__always)
  func find(_ topic: UnsafeRawBufferPointer, hash: UInt32, in chain: Slot<Chain>) -> Ref<AcceptList>? {
    topics.find(hash) { lists[$0].chain == chain && lists[$0].topic.bytes.equals(topic) }.map { lists.ref($0) }
  }

  /// Finds the links with a pattern that matches the topic, not yet in the order of the chain. A link with several
  /// matching patterns is found several times.
  mutating func match(_ topic: UnsafeRawBufferPointer, under root: Slot<PatternNode>) {
    found.removeAll()
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
