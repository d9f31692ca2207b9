/// A topic whose value on disk may be another one than in memory.
struct UnwrittenValue: ~Copyable {
  let topic: OwnedBytes
  /// Whether it waits to be given to the store. If not, the store has it, and has not answered.
  fileprivate(set) var isWaiting = true
  /// How often the store has it.
  fileprivate(set) var inHand = 0
  /// The replies to what has changed the value since the store was given it last.
  fileprivate var replies = TicketList()
  fileprivate let hash: UInt32

  fileprivate init(_ topic: UnsafeRawBufferPointer, hash: UInt32) {
    self.topic = OwnedBytes(copying: topic)
    self.hash = hash
  }

  fileprivate var bytes: Int { topic.count + 256 }
}

/// The topics whose values are not on disk as they are in memory, in the order in which they began to differ. It knows no
/// value: what is written is the value that the topic has then. So a topic that changes all the time is written as often
/// as the disk can, and keeps no other one waiting.
///
/// A topic that has neither a value nor an entry here is not on disk.
struct UnwrittenValues: ~Copyable {
  private let seed: UInt64
  private var table = Table<UnwrittenValue>()
  private var byTopic = ByteIndex<UnwrittenValue>()
  private var waiting = Queue<Slot<UnwrittenValue>>()
  /// What all entries take.
  private(set) var bytes = 0

  init(seed: UInt64) { self.seed = seed }

  var count: Int { table.count }
  var isAnyWaiting: Bool { !waiting.isEmpty }

  subscript(value: Slot<UnwrittenValue>) -> UnwrittenValue { _read { yield table[value] } }

  func find(_ topic: UnsafeRawBufferPointer) -> Slot<UnwrittenValue>? {
    guard table.count > 0 else { return nil }
    return byTopic.find(topic.hash(seed: seed)) { table[$0].topic.bytes.equals(topic) }
  }

  /// The value of the topic has changed.
  mutating func note(_ topic: UnsafeRawBufferPointer) {
    if let value = find(topic) { return wait(value) }
    let hash = topic.hash(seed: seed)
    let value = table.insert(UnwrittenValue(topic, hash: hash))
    byTopic.insert(hash, value)
    bytes += table[value].bytes
    waiting.append(value)
  }

  private mutating func wait(_ value: Slot<UnwrittenValue>) {
    guard !table[value].isWaiting else { return }
    table[value].isWaiting = true
    waiting.append(value)
  }

  /// A reply waits until the value is on disk as it is now. Returns the one before it.
  mutating func hold(_ reply: Slot<Ticket>, for value: Slot<UnwrittenValue>) -> Slot<Ticket> {
    wait(value)
    let last = table[value].replies.last
    if last == .nobody { table[value].replies.first = reply }
    table[value].replies.last = reply
    return last
  }

  /// The value that has waited longest goes to the store, with the replies that wait for it.
  mutating func handNext() -> (value: Slot<UnwrittenValue>, replies: TicketList)? {
    guard let value = waiting.popFirst() else { return nil }
    table[value].isWaiting = false
    table[value].inHand += 1
    var replies = TicketList()
    swap(&replies, &table[value].replies)
    return (value, replies)
  }

  /// The store has answered once. What is not on disk waits again.
  mutating func settle(_ value: Slot<UnwrittenValue>, isStored: Bool) {
    table[value].inHand -= 1
    if !isStored { wait(value) }
    guard !table[value].isWaiting, table[value].inHand == 0 else { return }
    bytes -= table[value].bytes
    byTopic.remove(table[value].hash, value)
    table.remove(value)
  }
}
