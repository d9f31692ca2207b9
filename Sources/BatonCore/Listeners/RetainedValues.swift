/// The last payload of a topic, kept for those who subscribe later (contract, section 14).
struct RetainedValue: ~Copyable {
  let topic: OwnedBytes
  /// What the event had. `from` is a JSON string.
  var payload: OwnedBytes
  var meta: OwnedBytes
  var from: OwnedBytes
  /// The number of the event among the kept events; 0 if its topic keeps none.
  var seq: Int
  /// When it was published.
  let at: Instant
  /// Counts the changes of all values: the order in which subscribers get them.
  var change: Int
  /// The identity for which it counts, or `nobody`.
  let owner: Slot<RetainedOwner>
  fileprivate let hash: UInt32
  fileprivate var node = Slot<OrderNode>.nobody

  /// What a value takes of `max_retained_bytes`.
  var bytes: Int { RetainedValue.bytes(topic.count + payload.count + meta.count + from.count) }
  static func bytes(_ text: Int) -> Int { text + 320 }
}

/// An identity that has values, by its name: so who comes back has them still.
struct RetainedOwner: ~Copyable {
  let name: String
  var part = RetainedValues.Part()
}

/// All values that are kept, found by topic, and in the order of their last changes. It knows no connections.
struct RetainedValues: ~Copyable {
  private let seed: UInt64
  private var table = Table<RetainedValue>()
  private var byTopic = ByteIndex<RetainedValue>()
  private var order = OrderTree<RetainedValue>()
  private var root = Slot<OrderNode>.nobody
  /// The number of the latest change.
  private(set) var changes = 0
  /// What all values take.
  private(set) var bytes = 0
  private var owners = Table<RetainedOwner>()
  /// Only looked into: nothing goes over it.
  private var byName: [String: Slot<RetainedOwner>] = [:]

  /// Some of the values.
  struct Part {
    var topics = 0
    var bytes = 0
  }

  init(seed: UInt64) { self.seed = seed }

  var count: Int { table.count }
  var extent: UInt32 { table.extent }

  subscript(value: Slot<RetainedValue>) -> RetainedValue {
    _read { yield table[value] }
  }

  /// What the values of an identity take.
  func part(of owner: String) -> Part { byName[owner].map { owners[$0].part } ?? Part() }

  /// The name of the identity for which a value counts; empty for nobody's.
  func ownerName(of value: Slot<RetainedValue>) -> String {
    let owner = table[value].owner
    return owner == .nobody ? "" : owners[owner].name
  }

  /// The owner of that name, who gets a value now.
  private mutating func take(_ name: String) -> Slot<RetainedOwner> {
    if name.isEmpty { return .nobody }
    if let owner = byName[name] { return owner }
    let owner = owners.insert(RetainedOwner(name: name))
    byName[name] = owner
    return owner
  }

  private mutating func count(_ value: Slot<RetainedValue>, _ sign: Int) {
    let (owner, more) = (table[value].owner, sign * table[value].bytes)
    bytes += more
    guard owner != .nobody else { return }
    owners[owner].part.topics += sign
    owners[owner].part.bytes += more
    if owners[owner].part.topics == 0 {
      byName[owners[owner].name] = nil
      owners.remove(owner)
    }
  }

  /// The value of a topic; nil if none is kept.
  func find(_ topic: UnsafeRawBufferPointer) -> Slot<RetainedValue>? {
    guard table.count > 0 else { return nil }
    return byTopic.find(topic.hash(seed: seed)) { table[$0].topic.bytes.equals(topic) }
  }

  /// The first value that changed after that change; nil if none did.
  func first(after change: Int) -> Slot<RetainedValue>? {
    let node = order.firstNode(root) { table[$0].change > change }
    return node == .nobody ? nil : order.element(node)
  }

  /// Keeps the payload of an event, in place of what its topic had. Restored values have the numbers of their changes,
  /// and come in that order.
  mutating func retain(
    _ event: Event, seq: Int, for owner: String, at published: Instant, change: Int? = nil
  ) {
    if let value = find(event.topic) { remove(value) }
    changes = max(changes + 1, change ?? 0)
    let hash = event.topic.hash(seed: seed)
    let value = table.insert(
      RetainedValue(
        topic: OwnedBytes(copying: event.topic), payload: OwnedBytes(copying: event.payload),
        meta: OwnedBytes(copying: event.meta), from: OwnedBytes(copying: event.from), seq: seq, at: published,
        change: changes, owner: take(owner), hash: hash))
    byTopic.insert(hash, value)
    table[value].node = order.insert(value, before: .nobody, into: &root)
    count(value, 1)
  }

  /// Keeps the value no more.
  mutating func remove(_ value: Slot<RetainedValue>) {
    count(value, -1)
    order.remove(table[value].node, from: &root)
    byTopic.remove(table[value].hash, value)
    table.remove(value)
  }
}
