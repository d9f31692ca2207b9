/// The latest events of the topics that the configuration file names, in the order of their numbers (contract, section 14).
/// It knows no connections.
///
/// Each topic says which of its events that are gone is the last one, and the topics stand in the order of their latest
/// drops: so a reader finds out what it has lost since it last looked, however much is kept.
struct KeptEvents: ~Copyable {
  private let seed: UInt64
  private(set) var rules: [KeptTopics] = []
  private var version = 0
  var topics = Table<KeptTopic>()
  private var byName = ByteIndex<KeptTopic>()
  var events = Table<KeptEvent>()
  /// For whom events count.
  var owners = KeptOwners()
  var order = OrderTree<KeptEvent>()
  var root = Slot<OrderNode>.nobody
  /// The topics that have lost events, the latest loss last. Those without events have weight.
  var dropOrder = OrderTree<KeptTopic>()
  private var dropRoot = Slot<OrderNode>.nobody
  /// The number of the latest event, and of the latest drop.
  var lastSeq = 0
  private(set) var drops = 0
  /// Up to here there may be events of topics that are forgotten.
  var forgottenUpTo = 0
  /// What all events and topics take; and of that, topics without events.
  var bytes = 0
  var emptyBytes = 0
  /// The topic that is looked at next for events that are too old.
  private var sweep: UInt32 = 0
  /// The topics that are still to be looked at because a reload has changed what is kept: from this one to before that one.
  private var review: Range<UInt32> = 0..<0
  /// What a store has of them.
  var stored = StoredNumbers()
  /// The latest number before the server's start: of those up to here that are missing, it is not known which ones were
  /// used.
  var startedAfter = 0

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
  func ref(_ event: Slot<KeptEvent>) -> Ref<KeptEvent> { events.ref(event) }
  subscript(topic: Slot<KeptTopic>) -> KeptTopic { _read { yield topics[topic] } }

  // MARK: In

  /// Keeps events of these topics from now on. What was kept of others is dropped when it is met, and by `reviewNext`.
  mutating func take(_ rules: [KeptTopics]) {
    self.rules = rules
    version += 1
    review = 0..<topics.extent
  }

  /// Whether topics are still to be looked at.
  var hasReview: Bool { !review.isEmpty }

  /// Drops a few events of a topic that are not to be kept any more, or goes to the next topic.
  mutating func reviewNext(at now: Instant) {
    guard let next = review.first else { return }
    let before = drops
    if topics.isTaken(Slot(next)) { dropOld(of: Slot(next), at: now) }
    if drops == before { review = next + 1..<review.upperBound }
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
    emptyBytes += topics[topic].bytes
    return topic
  }

  /// The number of the next event. 0 if no number may be used, because the store has not reserved more yet or has no room:
  /// then the event is gone as it comes.
  mutating func takeNumber(for topic: Slot<KeptTopic>, hasRoom: Bool) -> Int {
    lastSeq += 1
    if hasRoom, lastSeq < stored.reserved { return lastSeq }
    noteDrop(of: topic, upTo: lastSeq)
    return 0
  }

  /// The latest number that a listener may have been told.
  var lastToldSeq: Int { min(lastSeq, max(0, stored.reserved - 1)) }

  /// Keeps an event of somebody, and drops what is too much or too old, a few at a time. Returns true if all take too much
  /// even then: `trim` goes on with that. While they take far too much, an event is gone as it comes.
  /// `published` is given if that was before.
  mutating func keep(
    _ event: Event, of topic: Slot<KeptTopic>, seq: Int, by name: String, mostBytes: Int, published: Instant? = nil,
    at now: Instant
  ) -> Bool {
    guard hasRoom(in: topic, for: name, mostBytes: mostBytes) else {
      noteDrop(of: topic, upTo: seq)
      return true
    }
    let kept = events.insert(
      KeptEvent(
        seq: seq, topic: topic, owner: owners.take(name), payload: OwnedBytes(copying: event.payload),
        meta: OwnedBytes(copying: event.meta), from: OwnedBytes(copying: event.from), at: published ?? now))
    events[kept].node = order.insert(kept, before: .nobody, into: &root)
    link(kept)
    let most = rules[topics[topic].rule].keep
    for _ in 0..<KeptEvents.dropsAtOnce where topics[topic].count > most { drop(topics[topic].first) }
    dropOld(of: topic, at: now)
    sweepNext(at: now)
    return trim(to: mostBytes)
  }

  // MARK: Away

  /// Drops the oldest events of a topic, if they are too old.
  mutating func dropOld(of topic: Slot<KeptTopic>, at now: Instant) {
    for _ in 0..<KeptEvents.dropsAtOnce {
      let first = topics[topic].first
      guard first != .nobody, isOver(first, at: now) else { return }
      drop(first)
    }
  }

  /// Whether an event is too old, or its topic is not kept any more, or keeps fewer since a reload.
  mutating func isOver(_ event: Slot<KeptEvent>, at now: Instant) -> Bool {
    let topic = events[event].topic
    let rule = rule(of: topic)
    guard rule >= 0 else { return true }
    return topics[topic].first == event && topics[topic].count > rules[rule].keep
      || rules[rule].isOver(events[event].at, at: now)
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

  /// Drops an event. Most often it is the oldest of its topic.
  mutating func drop(_ event: Slot<KeptEvent>) {
    let (seq, topic) = (events[event].seq, events[event].topic)
    order.remove(events[event].node, from: &root)
    unlink(event)
    events.remove(event)
    noteDrop(of: topic, upTo: seq)
  }

  /// An event of the topic is gone.
  mutating func noteDrop(of topic: Slot<KeptTopic>, upTo seq: Int) {
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
  mutating func forgetEmpty() -> Bool {
    let node = dropOrder.weightedNode(dropRoot, at: 0)
    guard node != .nobody else { return false }
    let topic = dropOrder.element(node)
    forgottenUpTo = max(forgottenUpTo, topics[topic].goneUpTo)
    bytes -= topics[topic].bytes
    emptyBytes -= topics[topic].bytes
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

  /// The same. `last` is the event with that number, if it is still kept: then the next one is found at once.
  func first(after seq: Int, behind last: Ref<KeptEvent>) -> Slot<KeptEvent>? {
    guard events.contains(last), events[last.slot].seq == seq else { return first(after: seq) }
    let node = order.next(events[last.slot].node)
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
