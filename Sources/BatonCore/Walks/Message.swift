/// The content of one message, in one piece of memory of its own. The bytes are copied into it once, from the read
/// buffer, and from it once into each outbox. They are stored as offers write them, with the names of the members: so
/// the part that all offers of a message share is copied in three pieces. Of a long message it is not copied: outboxes refer
/// to it. The message knows nothing of its walk but the number.
struct Message: ~Copyable {
  private var memory: MessageMemory
  // The ends of the parts, in their order. Lines are shorter than 4 GiB.
  private let idEnd: UInt32
  private let decodedEnd: UInt32
  private let walkEnd: UInt32
  private let topicEnd: UInt32
  private let payloadEnd: UInt32
  private let metaEnd: UInt32
  private let keyEnd: UInt32
  private let fromEnd: UInt32
  /// The bytes of the values alone, without the names of members.
  private let ownBytes: UInt32

  private static let walkName: StaticString = ",\"walk\":"
  private static let topicName: StaticString = ",\"topic\":"
  private static let keyName: StaticString = ",\"key\":"
  private static let fromName: StaticString = ",\"from\":"
  /// The most bytes that all names and the longest number take.
  private static let namesBytes = 6 * 12 + 20

  /// Copies the parts. `topicText` is the topic as the server writes it, with its quotes; `topic` is decoded.
  init(
    walk: Int, spelled: inout SpelledNumber, id: UnsafeRawBufferPointer, topicText: UnsafeRawBufferPointer,
    topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer,
    key: UnsafeRawBufferPointer, from: UnsafeRawBufferPointer, in pool: inout MessagePool
  ) {
    // Nearly always the topic is its text without the quotes. It is then stored once.
    let isPlain = topicText.count == topic.count + 2
    // They are parts of lines, which are shorter than 4 GiB.
    let count =
      id.count &+ topicText.count &+ (isPlain ? 0 : topic.count) &+ payload.count &+ meta.count &+ key.count
      &+ from.count
    ownBytes = UInt32(truncatingIfNeeded: count)
    // The writer may write behind the end of the bytes here, and `LineWriter.padded` may read behind it later.
    memory = pool.take(count &+ Message.namesBytes &+ LineWriter.slack)
    let base = memory.start
    var writer = LineWriter(at: base, room: count + Message.namesBytes)
    writer.few(id)
    idEnd = writer.count(from: base)
    if !isPlain { writer.raw(topic) }
    decodedEnd = writer.count(from: base)
    writer.literal(Message.walkName)
    spelled.write(walk, to: &writer)
    walkEnd = writer.count(from: base)
    writer.literal(Message.topicName)
    writer.few(topicText)
    topicEnd = writer.count(from: base)
    writer.member(LineWriter.payloadName, payload)
    payloadEnd = writer.count(from: base)
    writer.member(LineWriter.metaName, meta)
    metaEnd = writer.count(from: base)
    writer.member(Message.keyName, key)
    keyEnd = writer.count(from: base)
    writer.literal(Message.fromName)
    writer.padded(from)
    fromEnd = writer.count(from: base)
  }

  /// The same message once more, in the same memory. The other one lives longer.
  init(sharing other: borrowing Message) {
    memory = MessageMemory(sharing: other.memory)
    idEnd = other.idEnd
    decodedEnd = other.decodedEnd
    walkEnd = other.walkEnd
    topicEnd = other.topicEnd
    payloadEnd = other.payloadEnd
    metaEnd = other.metaEnd
    keyEnd = other.keyEnd
    fromEnd = other.fromEnd
    ownBytes = other.ownBytes
  }

  /// Gives the memory back, at the end of the message.
  @inline(__always)
  mutating func end(in pool: inout MessagePool) {
    pool.give(&memory)
  }

  @inline(__always)
  private func part(_ start: UInt32, _ end: UInt32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory.start + Int(start), count: Int(end &- start))
  }

  /// The value of a member that is stored with its name; empty if the member is not there.
  @inline(__always)
  private func value(_ name: StaticString, _ start: UInt32, _ end: UInt32) -> UnsafeRawBufferPointer {
    start == end ? .empty : part(start &+ UInt32(truncatingIfNeeded: name.utf8CodeUnitCount), end)
  }

  /// The request's `id` as the sender wrote it; empty if there is none.
  @inline(__always)
  var id: UnsafeRawBufferPointer { part(0, idEnd) }
  /// The topic, decoded.
  @inline(__always)
  var topic: UnsafeRawBufferPointer {
    guard decodedEnd == idEnd else { return part(idEnd, decodedEnd) }
    let text = topicText
    return text.part(1, text.count &- 1)
  }
  /// The topic as a JSON string, with its quotes.
  @inline(__always)
  var topicText: UnsafeRawBufferPointer { value(Message.topicName, walkEnd, topicEnd) }
  /// The payload as it came in; empty if there is none.
  @inline(__always)
  var payload: UnsafeRawBufferPointer { value(LineWriter.payloadName, topicEnd, payloadEnd) }
  /// The meta as it came in; empty if there is none.
  @inline(__always)
  var meta: UnsafeRawBufferPointer { value(LineWriter.metaName, payloadEnd, metaEnd) }
  /// The key as a JSON string; empty if there is none.
  @inline(__always)
  var key: UnsafeRawBufferPointer { value(Message.keyName, metaEnd, keyEnd) }
  /// The sender's name, as a JSON string.
  @inline(__always)
  var from: UnsafeRawBufferPointer {
    value(Message.fromName, keyEnd, fromEnd)
  }

  /// `,"walk":17`.
  @inline(__always)
  var walkMember: UnsafeRawBufferPointer { part(decodedEnd, walkEnd) }
  /// `,"topic":…`, and the payload, meta and key that the message has.
  @inline(__always)
  var members: UnsafeRawBufferPointer { part(walkEnd, keyEnd) }
  /// The same in the block that a long message shares; nil if it is not long.
  @inline(__always)
  var sharedMembers: SharedLine? {
    memory.block.map {
      SharedLine(block: $0, start: SharedBlock.header + Int(walkEnd), end: SharedBlock.header + Int(keyEnd))
    }
  }
  /// `,"topic":…` alone.
  @inline(__always)
  var topicMember: UnsafeRawBufferPointer { part(walkEnd, topicEnd) }
  /// `,"meta":…,"key":…`, as far as the message has them.
  @inline(__always)
  var metaAndKeyMembers: UnsafeRawBufferPointer { part(payloadEnd, keyEnd) }
  /// `,"from":…`.
  @inline(__always)
  var fromMember: UnsafeRawBufferPointer { part(keyEnd, fromEnd) }

  /// How much the message counts against the limits on open messages: its bytes, and what else it costs, which are its walk,
  /// one offer, their slots in tables, and the piece of memory in which its bytes are. Measured with 300,000 that wait: 1,390
  /// bytes in all, 1,530 with a key of its own, 1,680 with a trace.
  @inline(__always)
  var count: Int { Int(ownBytes) + MemberRange.messageOverhead }
}

extension LineWriter {
  /// The bytes written so far; the first of them is at `start`.
  @inline(__always)
  fileprivate func count(from start: UnsafeMutableRawPointer) -> UInt32 { UInt32(truncatingIfNeeded: cursor - start) }
}
