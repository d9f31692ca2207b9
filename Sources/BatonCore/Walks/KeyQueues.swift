/// The messages of one chain and key: one is under way, and the others wait for it in the order in which they came
/// (contract, section 4, `key`).
struct KeyQueue: ~Copyable {
  let chain: Slot<Chain>
  let key: OwnedBytes
  let hash: UInt32
  /// The walk under way.
  var current = Slot<Walk>.nobody
  /// The walks that wait.
  var first = Slot<Walk>.nobody
  var last = Slot<Walk>.nobody
  /// Whether the keeper of durable messages is told when the queue is forgotten.
  var isWatched = false

  /// What stands in place of a queue while the keeper orders the key.
  static var keepers: Slot<KeyQueue> { Slot(.max - 1) }
}

/// All keys that have a message under way, found by chain and key. It holds queues only: the walks that are in a queue
/// are chained by `Router+Keys`.
struct KeyQueues: ~Copyable {
  private let seed: UInt64
  private var queues = Table<KeyQueue>()
  private var names = ByteIndex<KeyQueue>()
  /// Queues whose next message has to begin, in order. `passTurn` works them off.
  var turns = Queue<Slot<KeyQueue>>()
  /// Whether somebody works them off, now or in a job.
  var isPassing = false

  init(seed: UInt64) { self.seed = seed }

  var count: Int { queues.count }
  var nameCount: Int { names.count }
  var extent: UInt32 { queues.extent }
  var slots: Slots<KeyQueue> { queues.slots }
  func isTaken(_ queue: Slot<KeyQueue>) -> Bool { queues.isTaken(queue) }

  subscript(queue: Slot<KeyQueue>) -> KeyQueue {
    @inline(__always) _read { yield queues[queue] }
    @inline(__always) _modify { yield &queues[queue] }
  }

  /// The queue of a key in a chain, if the key has one.
  mutating func find(_ key: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> Slot<KeyQueue>? {
    names.find(key.hash(seed: seed, beside: chain.index)) {
      queues[$0].chain == chain && queues[$0].key.bytes.equals(key)
    }
  }

  /// Makes a queue for a key that has none.
  mutating func insert(_ key: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> Slot<KeyQueue> {
    let hash = key.hash(seed: seed, beside: chain.index)
    let queue = queues.insert(KeyQueue(chain: chain, key: OwnedBytes(copying: key), hash: hash))
    names.insert(hash, queue)
    return queue
  }

  mutating func remove(_ queue: Slot<KeyQueue>) {
    names.remove(queues[queue].hash, queue)
    queues.remove(queue)
  }
}
