/// The links of one chain that accept one topic, in the order of the chain, as they were at one revision of the chain.
struct AcceptList: ~Copyable {
  let chain: Slot<Chain>
  let topic: OwnedBytes
  let hash: UInt32
  /// What was found. It is computed again when it is needed and the chain has changed.
  var content: Content
  /// Neighbours in the chain's lists, the oldest first.
  var previous = Slot<AcceptList>.nobody
  var next = Slot<AcceptList>.nobody

  /// The links that were found at one revision.
  struct Content {
    let revision: Int
    /// At most `mostLinks`, each once; none if `isLong`.
    var links: [Slot<Link>] = []
    /// Whether more links may accept the topic than a list has. Walks then look at one link of the chain after the
    /// other.
    var isLong = false
    /// Whether the list is complete and holds neither mounts nor shadows nor links for a part of the messages.
    var isPlain = false
  }

  /// The most patterns that may match the topic before the list is `isLong`.
  static var mostLinks: Int { 128 }

  init(chain: Slot<Chain>, topic: UnsafeRawBufferPointer, hash: UInt32, content: Content) {
    self.chain = chain
    self.topic = OwnedBytes(copying: topic)
    self.hash = hash
    self.content = content
  }

  /// The bytes that the list takes.
  var bytes: Int { topic.count + content.links.count * 4 + 160 }
}

/// The lists of one chain, the oldest first.
struct ChainLists {
  var first = Slot<AcceptList>.nobody
  var last = Slot<AcceptList>.nobody
  var count = 0
}

/// The patterns of all links, and the lists that were made from them. This type knows neither links nor chains:
/// `Router+AcceptLists` makes the lists.
struct AcceptLists: ~Copyable {
  private let seed: UInt64
  /// One root for each chain (`Chain.root`).
  var patterns: PatternIndex<Link>
  private var lists = Table<AcceptList>()
  private var topics = ByteIndex<AcceptList>()
  /// The bytes of all lists.
  private(set) var bytes = 0
  /// The slot at which the next search for a list to drop begins.
  private var hand: UInt32 = 0
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
  /// matching patterns is found several times. More than `most` are not looked for.
  mutating func match(_ topic: UnsafeRawBufferPointer, under root: Slot<PatternNode>, atMost most: Int) {
    found.removeAll()
    patterns.match(topic, under: root, atMost: most, into: &found)
  }

  mutating func insert(_ list: consuming AcceptList, into all: inout ChainLists) -> Ref<AcceptList> {
    bytes += list.bytes
    let hash = list.hash
    let slot = lists.insert(list)
    topics.insert(hash, slot)
    lists[slot].previous = all.last
    if all.last != .nobody { lists[all.last].next = slot } else { all.first = slot }
    all.last = slot
    all.count += 1
    return lists.ref(slot)
  }

  mutating func update(_ list: Slot<AcceptList>, to content: AcceptList.Content) {
    bytes -= lists[list].bytes
    lists[list].content = content
    bytes += lists[list].bytes
  }

  mutating func remove(_ list: Slot<AcceptList>, from all: inout ChainLists) {
    bytes -= lists[list].bytes
    let (previous, next) = (lists[list].previous, lists[list].next)
    if previous != .nobody { lists[previous].next = next } else { all.first = next }
    if next != .nobody { lists[next].previous = previous } else { all.last = previous }
    all.count -= 1
    topics.remove(lists[list].hash, list)
    lists.remove(list)
  }

  /// A list that can be dropped if all take too much: each in turn, in the order of their slots. Nil if there is none
  /// among the next few.
  mutating func nextToDrop() -> Slot<AcceptList>? {
    for _ in 0..<16 {
      hand = hand + 1 < lists.extent ? hand + 1 : 0
      if lists.isTaken(Slot(hand)) { return Slot(hand) }
    }
    return nil
  }
}
