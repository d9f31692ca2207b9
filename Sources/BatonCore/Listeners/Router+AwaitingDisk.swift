/// Replies to broadcasts with `retain` wait until the value is on disk (contract, section 15).
extension Router {
  /// The change of a topic's value for which a reply has to wait; nil if memory and disk are the same, or there is no
  /// store.
  mutating func unwrittenValue(of topic: UnsafeRawBufferPointer) -> Slot<UnwrittenValue>? {
    storing.isOn ? storing.values.find(topic) : nil
  }

  /// The connection gets the line once the value is on disk as it is now; or else `store_failed`.
  mutating func awaitDisk(
    _ line: consuming OwnedBytes, _ mark: LineMark, id: UnsafeRawBufferPointer, for value: Slot<UnwrittenValue>,
    to connection: Slot<Connection>, at now: Instant
  ) {
    let reply = holdReply(line, mark, id: id, to: connection, at: now)
    desk.put(reply, behind: storing.values.hold(reply, for: value))
  }

  /// Begins a reply to the line that is read now, which will be told later. `awaitDisk` ends it.
  mutating func beginHeldReply(_ op: StaticString, in line: inout OwnedBytes, atMost bound: Int) -> LineWriter {
    let id = request.id(isOffer: false)
    let room = bound + id.count + 32
    var writer = LineWriter(at: line.reserve(room + LineWriter.slack), room: room)
    writer.literal("{\"op\":\"")
    writer.literal(op)
    writer.literal("\"")
    writer.id(id)
    return writer
  }

  /// Replies to the broadcast of the request, once the value of its topic is on disk.
  mutating func replyStored(
    _ delivered: Int, of topic: UnsafeRawBufferPointer, to connection: Slot<Connection>, at now: Instant
  ) throws(Fault) {
    guard let value = unwrittenValue(of: topic) else { return replyDelivered(delivered, to: connection, at: now) }
    if storing.isFailing { throw notOnDisk }
    guard request.wantsReply else { return }
    var line = OwnedBytes()
    var writer = beginHeldReply("ok", in: &line, atMost: 64)
    writer.delivered(delivered)
    writer.literal("}\n")
    line.extend(to: writer.cursor)
    awaitDisk(line, .ok, id: request.id(isOffer: false), for: value, to: connection, at: now)
  }
}
