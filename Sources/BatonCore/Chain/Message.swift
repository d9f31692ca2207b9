/// What a sender handed in, in one piece of memory of its own: the bytes are copied here once, from the read buffer,
/// and from here once into each outbox.
struct Message: ~Copyable {
  private var memory: OwnedBytes
  // Where the parts end: lines are shorter than 4 GiB.
  private let idEnd: UInt32
  private let topicTextEnd: UInt32
  private let topicEnd: UInt32
  private let payloadEnd: UInt32
  private let metaEnd: UInt32
  private let keyEnd: UInt32

  /// Copies the parts. `topicText` is the topic as the server writes it, quotes included; `topic` is decoded.
  init(
    id: UnsafeRawBufferPointer, topicText: UnsafeRawBufferPointer, topic: UnsafeRawBufferPointer,
    payload: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
    from: UnsafeRawBufferPointer, in pool: inout MessagePool
  ) {
    // Nearly always the topic is its text without the quotes, and need not stand there twice.
    let isPlain = topicText.count == topic.count + 2
    idEnd = UInt32(truncatingIfNeeded: id.count)
    topicTextEnd = idEnd &+ UInt32(truncatingIfNeeded: topicText.count)
    topicEnd = topicTextEnd &+ (isPlain ? 0 : UInt32(truncatingIfNeeded: topic.count))
    payloadEnd = topicEnd &+ UInt32(truncatingIfNeeded: payload.count)
    metaEnd = payloadEnd &+ UInt32(truncatingIfNeeded: meta.count)
    keyEnd = metaEnd &+ UInt32(truncatingIfNeeded: key.count)
    memory = pool.take(Int(keyEnd) + from.count)
    guard let base = memory.mutable.baseAddress else { return }
    var writer = LineWriter(at: base)
    writer.raw(id)
    writer.raw(topicText)
    if !isPlain { writer.raw(topic) }
    writer.raw(payload)
    writer.raw(meta)
    writer.raw(key)
    writer.raw(from)
  }

  /// Gives the memory back: the message is over.
  mutating func end(in pool: inout MessagePool) {
    var given = OwnedBytes()
    swap(&given, &memory)
    pool.give(given)
  }

  @inline(__always)
  private func part(_ start: UInt32, _ end: UInt32) -> UnsafeRawBufferPointer {
    memory.bytes.part(Int(start), Int(end))
  }

  /// The request's `id` as it was spelled; empty where there was none.
  var id: UnsafeRawBufferPointer { part(0, idEnd) }
  /// The topic as a JSON string, quotes included.
  var topicText: UnsafeRawBufferPointer { part(idEnd, topicTextEnd) }
  /// The topic, decoded.
  var topic: UnsafeRawBufferPointer {
    topicEnd == topicTextEnd
      ? part(idEnd &+ 1, topicTextEnd &- 1) : part(topicTextEnd, topicEnd)
  }
  /// The payload as it came in; empty where there was none.
  var payload: UnsafeRawBufferPointer { part(topicEnd, payloadEnd) }
  /// The meta as it came in; empty where there was none.
  var meta: UnsafeRawBufferPointer { part(payloadEnd, metaEnd) }
  /// The key as a JSON string; empty where there was none.
  var key: UnsafeRawBufferPointer { part(metaEnd, keyEnd) }
  /// Who sent it, as a JSON string.
  var from: UnsafeRawBufferPointer { memory.bytes.part(Int(keyEnd), memory.count) }
  /// What counts against the limits on open messages.
  var count: Int { memory.count + Message.overhead }

  /// Bytes that a message costs beside its own: its walk, an offer and their places in tables.
  static let overhead = 512
}
