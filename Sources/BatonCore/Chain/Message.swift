/// What a sender handed in, in one piece of memory of its own: the bytes are copied here once, from the read buffer,
/// and from here once into each outbox.
struct Message: ~Copyable {
  private var memory: OwnedBytes
  private let idEnd: Int
  private let topicTextEnd: Int
  private let topicEnd: Int
  private let payloadEnd: Int
  private let metaEnd: Int
  private let keyEnd: Int

  /// Copies the parts. `topicText` is the topic as the server writes it, quotes included; `topic` is decoded.
  init(
    id: UnsafeRawBufferPointer, topicText: UnsafeRawBufferPointer, topic: UnsafeRawBufferPointer,
    payload: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
    from: UnsafeRawBufferPointer, in pool: inout MessagePool
  ) {
    // Nearly always the topic is its text without the quotes, and need not stand there twice.
    let isPlain = topicText.count == topic.count + 2
    idEnd = id.count
    topicTextEnd = idEnd + topicText.count
    topicEnd = topicTextEnd + (isPlain ? 0 : topic.count)
    payloadEnd = topicEnd + payload.count
    metaEnd = payloadEnd + meta.count
    keyEnd = metaEnd + key.count
    memory = pool.take(keyEnd + from.count)
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

  /// The request's `id` as it was spelled; empty where there was none.
  var id: UnsafeRawBufferPointer { memory.bytes.part(0, idEnd) }
  /// The topic as a JSON string, quotes included.
  var topicText: UnsafeRawBufferPointer { memory.bytes.part(idEnd, topicTextEnd) }
  /// The topic, decoded.
  var topic: UnsafeRawBufferPointer {
    topicEnd == topicTextEnd
      ? memory.bytes.part(idEnd + 1, topicTextEnd - 1) : memory.bytes.part(topicTextEnd, topicEnd)
  }
  /// The payload as it came in; empty where there was none.
  var payload: UnsafeRawBufferPointer { memory.bytes.part(topicEnd, payloadEnd) }
  /// The meta as it came in; empty where there was none.
  var meta: UnsafeRawBufferPointer { memory.bytes.part(payloadEnd, metaEnd) }
  /// The key as a JSON string; empty where there was none.
  var key: UnsafeRawBufferPointer { memory.bytes.part(metaEnd, keyEnd) }
  /// Who sent it, as a JSON string.
  var from: UnsafeRawBufferPointer { memory.bytes.part(keyEnd, memory.count) }
  /// What counts against the limits on open messages.
  var count: Int { memory.count + Message.overhead }

  /// Bytes that a message costs beside its own: its walk, an offer and their places in tables.
  static let overhead = 512
}
