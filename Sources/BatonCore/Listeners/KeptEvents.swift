/// A topic of which events are kept, or were.
struct KeptTopic: ~Copyable {
  let name: OwnedBytes
  /// Its entry in the operator's file, -1 for none; and of which version of the file.
  fileprivate var rule: Int
  fileprivate var version: Int
  /// Its events, the oldest first; `nobody` if none is left.
  fileprivate(set) var first = Slot<KeptEvent>.nobody
  fileprivate var last = Slot<KeptEvent>.nobody
  fileprivate(set) var count = 0
  /// The last of its events that is not kept any more; 0 if there is none.
  fileprivate(set) var goneUpTo = 0
  /// Counts what was dropped of all topics: the number of its latest drop; 0 if there was none.
  fileprivate(set) var drop = 0
  fileprivate let hash: UInt32
  fileprivate var node = Slot<OrderNode>.nobody

  fileprivate init(_ name: UnsafeRawBufferPointer, hash: UInt32, rule: Int, version: Int) {
    self.name = OwnedBytes(copying: name)
    self.hash = hash
    self.rule = rule
    self.version = version
  }

  fileprivate var bytes: Int { name.count + 256 }
}

/// An event that is kept.
struct KeptEvent: ~Copyable {
  let seq: Int
  let topic: Slot<KeptTopic>
  /// What subscribers get. `from` is a JSON string.
  let payload: OwnedBytes
  let meta: OwnedBytes
  let from: OwnedBytes
  /// When it was published.
  let at: Instant
  /// The next event of its topic.
  fileprivate var next = Slot<KeptEvent>.nobody
  /// For whose share it counts, and its neighbours among the events of that one.
  var owner = Slot<KeptOwner>.nobody
  var previousOwned = Slot<KeptEvent>.nobody
  var nextOwned = Slot<KeptEvent>.nobody
  fileprivate var node = Slot<OrderNode>.nobody

  var bytes: Int { KeptEvent.bytes(payload.count + meta.count + from.count) }
  static func bytes(_ text: Int) -> Int { text + 256 }
}

/// The latest events of the topics that the operator's file names, in the order of their numbers (contract, section 14).
/// It knows no connections.
///
/// What is dropped is always the oldest event of its topic. Each topic says up to which number its events are gone, and
/// the topics stand in the order of their latest drops: so a reader finds out what it has lost since it last looked,
/// however much is kept.
struct KeptEvents: ~Copyable {
  private let seed: UInt64
  private(set) var rules: [KeptTopics] = []
  private var version = 0
  private var topics = Table<KeptTopic>()
  private var byName = ByteIndex<KeptTopic>()
  var events = Table<KeptEvent>()
  /// Whose events are kept.
  var owners = KeptOwners()
  private var order = OrderTree<KeptEvent>()
  private var root = Slot<OrderNode>.nobody
  /// The topics that have lost events, the latest loss last. Those without events have weight.
  private var dropOrder = OrderTree<KeptTopic>()
  private var dropRoot = Slot<OrderNode>.nobody
  /// The number of the latest event, and of the latest drop.
  private(set) var lastSeq = 0
  private(set) var drops = 0
  /// Up to here there may be events of topics that are forgotten.
  private(set) var forgottenUpTo = 0
  /// What all events and topics take.
  private(set) var bytes = 0
  /// The topic that is looked at next for events that are too old.
  private var sweep: UInt32 = 0
  /// What a store has of them.
  var stored = StoredNumbers()
  /// The latest number before the server's start: of those up to here that are missing, it is not known which ones were
  /// used.
  private(set) var startedAfter = 0

  /// Topics without events that are remembered: so it is known of which topics events are gone.
  private static let mostEmpty = 10_000
  /// Events that are dropped with each one that comes, at most.
  static let dropsAtOnce = 16

  init(seed: UInt64) { self.seed = seed }

  var count: Int { events.count }
  var topicCount: Int { topics.count }
  var extent: UInt32 { events.extent }
  var isOff: Bool { rules.isEmpty && topics.count == 0 }

  subscript(event: Slot<KeptEvent>) -> KeptEvent { _read { yield events[event] } }
  subscript(topic: Slot<KeptTopic>) -> KeptTopic { _read { yield topics[topic] } }

  // MARK: In

  /// Keeps events of these topics from now on. What was kept of others is dropped when it is met.
  mutating func keep(_ rules: [KeptTopics]) {
    self.rules = rules
    version += 1
  }

  /// The place of a topic's entry; -1 if its events are not kept.
  private func rule(of topic: UnsafeRawBufferPointer) -> Int { rules.firstIndex { $0.matches(topic) } ?? -1 }

  private mutating func rule(of topic: Slot<KeptTopic>) -> Int {
    if topics[topic].version != version {
      topics[topic].rule = rule(of: topics[topic].name.bytes)
      topics[topic].version = version
    }
    return topics[topic].rule
  }

  /// The topic, if its events are kept.
  mutating func topic(_ name: UnsafeRawBufferPointer) -> Slot<KeptTopic>? {
    let hash = name.hash(seed: seed)
    if let topic = byName.find(hash, where: { topics[$0].name.bytes.equals(name) }) {
      return rule(of: topic) < 0 ? nil : topic
    }
    let rule = rule(of: name)
    guard rule >= 0 else { return nil }
    let topic = topics.insert(KeptTopic(name, hash: hash, rule: rule, version: version))
    byName.insert(hash, topic)
    bytes += topics[topic].bytes
    return topic
  }

  /// The number of the next event. 0 if no number may be used, because the store has not reserved more yet: then the
  /// event is gone as it comes.
  mutating func takeNumber(for topic: Slot<KeptTopic>) -> Int {
    lastSeq += 1
    if lastSeq < stored.reserved { return lastSeq }
    noteDrop(of: topic, upTo: lastSeq)
    return 0
  }

  /// The latest number that a listener may have been told.
  var lastToldSeq: Int { min(lastSeq, max(0, stored.reserved - 1)) }

  /// Keeps an event, and drops what is too much or too old, a few at a time. Returns true if all take too much even
  /// then: `trim` goes on with that. While they take far too much, an event is gone as it comes; so it is if its owner
  /// has no room. `published` is given if that was before.
  mutating func keep(
    _ event: Event, of topic: Slot<KeptTopic>, seq: Int, by owner: String = "", hasRoom: Bool = true, mostBytes: Int,
    published: Instant? = nil, at now: Instant
  ) -> Bool {
    guard hasRoom, bytes <= mostBytes + mostBytes / 8 else {
      noteDrop(of: topic, upTo: seq)
      return bytes > mostBytes
    }
    let kept = events.insert(
      KeptEvent(
        seq: seq, topic: topic, payload: OwnedBytes(copying: event.payload), meta: OwnedBytes(copying: event.meta),
        from: OwnedBytes(copying: event.from), at: published ?? now))
    events[kept].node = order.insert(kept, before: .nobody, into: &root)
    bytes += events[kept].bytes
    if !owner.isEmpty { own(kept, by: owner) }
    if topics[topic].first == .nobody {
      topics[topic].first = kept
      if topics[topic].node != .nobody { dropOrder.setWeight(topics[topic].node, to: 0) }
    } else {
      events[topics[topic].last].next = kept
    }
    topics[topic].last = kept
    topics[topic].count += 1
    let most = rules[topics[topic].rule].keep
    for _ in 0..<KeptEvents.dropsAtOnce where topics[topic].count > most { dropOldest(of: topic) }
    dropOld(of: topic, at: now)
    sweepNext(at: now)
    return trim(to: mostBytes)
  }

  // MARK: From the store

  /// Keeps an event that the store had, if the rules say so. The events come in the order of their numbers; of those that
  /// are missing it is not known whether there were any, and of which topics.
  mutating func restore(
    _ event: Event, seq: Int, by owner: String, mostBytes: Int, published: Instant, at now: Instant
  ) {
    guard seq > lastSeq else { return }
    if seq > lastSeq + 1 { forgottenUpTo = seq - 1 }
    lastSeq = seq
    stored.restored(seq)
    if let topic = topic(event.topic), !rules[topics[topic].rule].isOver(published, at: now) {
      _ = keep(event, of: topic, seq: seq, by: owner, mostBytes: mostBytes, published: published, at: now)
    } else {
      forgottenUpTo = seq
      stored.drop(seq)
    }
  }

  /// All is restored. Numbers up to this one may have been used.
  mutating func begin(after seq: Int) {
    if seq > lastSeq { forgottenUpTo = seq }
    lastSeq = max(lastSeq, seq)
    startedAfter = lastSeq
    stored.begin(after: lastSeq)
  }

  // MARK: To the store

  /// Whether there are events that the store was not given.
  var hasUnstored: Bool { stored.isOn && first(after: stored.handed) != nil }

  /// The next event that the store was not given; nil if there is none.
  mutating func handNext() -> Slot<KeptEvent>? {
    guard stored.isOn, stored.handed < lastSeq else { return nil }
    guard let event = first(after: stored.handed) else {
      stored.hand(lastSeq)
      return nil
    }
    stored.hand(events[event].seq)
    return event
  }

  /// Whether the store is to reserve more numbers now.
  var wantsReserve: Bool { stored.wantsReserve(lastSeq: lastSeq) }

  /// What the store is to reserve now; nil if there is enough.
  mutating func nextReserve() -> Int? { stored.nextReserve(lastSeq: lastSeq) }

  mutating func settleReserve(_ seq: Int, isKept: Bool) {
    stored.settleReserve(seq, isKept: isKept, lastSeq: lastSeq)
  }

  // MARK: Away

  /// Drops a few events, the oldest first, while all take too much. Returns true if they still do.
  mutating func trim(to mostBytes: Int) -> Bool {
    for _ in 0..<KeptEvents.dropsAtOnce where bytes > mostBytes {
      let node = order.first(root)
      if node != .nobody {
        dropOldest(of: events[order.element(node)].topic)
      } else if !forgetEmpty() {
        return false
      }
    }
    return bytes > mostBytes
  }

  /// Drops an event that was found to be too old, with those of its topic before it.
  mutating func dropOld(of topic: Slot<KeptTopic>, at now: Instant) {
    for _ in 0..<KeptEvents.dropsAtOnce {
      let first = topics[topic].first
      guard first != .nobody, isOver(first, at: now) else { return }
      dropOldest(of: topic)
    }
  }

  /// Whether an event is too old, or its topic is not kept any more.
  mutating func isOver(_ event: Slot<KeptEvent>, at now: Instant) -> Bool {
    let rule = rule(of: events[event].topic)
    return rule < 0 || rules[rule].isOver(events[event].at, at: now)
  }

  /// Looks at two more topics with each event that comes.
  private mutating func sweepNext(at now: Instant) {
    for _ in 0..<2 {
      sweep = sweep < topics.extent ? sweep : 0
      let topic = Slot<KeptTopic>(sweep)
      sweep += 1
      if topics.isTaken(topic) { dropOld(of: topic, at: now) }
    }
  }

  mutating func dropOldest(of topic: Slot<KeptTopic>) {
    let event = topics[topic].first
    let seq = events[event].seq
    topics[topic].first = events[event].next
    topics[topic].count -= 1
    bytes -= events[event].bytes
    order.remove(events[event].node, from: &root)
    if events[event].owner != .nobody { disown(event) }
    events.remove(event)
    noteDrop(of: topic, upTo: seq)
  }

  /// An event of the topic is gone.
  private mutating func noteDrop(of topic: Slot<KeptTopic>, upTo seq: Int) {
    stored.drop(seq)
    topics[topic].goneUpTo = max(topics[topic].goneUpTo, seq)
    drops += 1
    topics[topic].drop = drops
    if topics[topic].node != .nobody { dropOrder.remove(topics[topic].node, from: &dropRoot) }
    let isEmpty = topics[topic].first == .nobody
    topics[topic].node = dropOrder.insert(topic, before: .nobody, into: &dropRoot, weight: isEmpty ? 1 : 0)
    if dropOrder.totalWeight(dropRoot) > KeptEvents.mostEmpty { _ = forgetEmpty() }
  }

  /// Forgets the topic that has had no events for the longest time. Returns false if there is none.
  private mutating func forgetEmpty() -> Bool {
    let node = dropOrder.weightedNode(dropRoot, at: 0)
    guard node != .nobody else { return false }
    let topic = dropOrder.element(node)
    forgottenUpTo = max(forgottenUpTo, topics[topic].goneUpTo)
    bytes -= topics[topic].bytes
    dropOrder.remove(node, from: &dropRoot)
    byName.remove(topics[topic].hash, topic)
    topics.remove(topic)
    return true
  }

  // MARK: Out

  /// The first event with a higher number; nil if there is none.
  func first(after seq: Int) -> Slot<KeptEvent>? {
    let node = order.firstNode(root) { events[$0].seq > seq }
    return node == .nobody ? nil : order.element(node)
  }

  /// The topic whose latest drop came next after that drop; nil if there was none.
  func firstDropped(after drop: Int) -> Slot<KeptTopic>? {
    let node = dropOrder.firstNode(dropRoot) { topics[$0].drop > drop }
    return node == .nobody ? nil : dropOrder.element(node)
  }

  /// How many events after one number and up to another are not kept.
  func missing(after seq: Int, upTo end: Int) -> Int {
    let (from, to) = (position(of: seq), position(of: end))
    return max(0, end - seq - (to - from))
  }

  /// The number of events that are kept up to a number.
  private func position(of seq: Int) -> Int {
    let node = order.firstNode(root) { events[$0].seq > seq }
    return node == .nobody ? order.count(root) : order.position(node)
  }
}
