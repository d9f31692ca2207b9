/// How lines get into outboxes.
extension Router {
  /// Begins a line, or a part of one, of at most `bound` bytes. The caller must call `commitLine` before anything else
  /// is written.
  @inline(__always)
  mutating func beginLine(to connection: Slot<Connection>, atMost bound: Int) -> LineWriter {
    LineWriter(at: connections[connection].outbox.reserve(bound + LineWriter.slack, from: &blocks), room: bound)
  }

  /// Ends the line that `beginLine` began.
  @inline(__always)
  mutating func commitLine(_ writer: LineWriter, to connection: Slot<Connection>, at now: Instant) {
    queued(connections[connection].outbox.commit(upTo: writer.cursor), to: connection, at: now)
  }

  /// Ends the line that `beginLine` began, an event or a notice.
  @inline(__always)
  mutating func commitEvent(_ writer: LineWriter, to connection: Slot<Connection>) {
    queuedEvent(connections[connection].outbox.commit(upTo: writer.cursor), to: connection)
  }

  /// Whether lines still reach the peer.
  @inline(__always)
  mutating func isListening(_ ref: Ref<Connection>) -> Bool {
    connections.contains(ref) && connections[ref.slot].phase != .severed
  }

  /// Begins the reply to the line that is read now: `{"op":…,"id":…`, with room for `bound` more bytes. Nil if the peer
  /// wants no reply.
  @inline(__always)
  mutating func beginReply(
    _ op: StaticString, as mark: LineMark = .ok, to connection: Slot<Connection>, atMost bound: Int
  ) -> LineWriter? {
    guard request.wantsReply else { return nil }
    self.mark(mark, for: connection)
    let id = request.id(isOffer: false)
    var writer = beginLine(to: connection, atMost: bound + id.count + 32)
    writer.literal("{\"op\":\"")
    writer.literal(op)
    writer.literal("\"")
    writer.id(id)
    return writer
  }

  /// Replies with the number of peers that were reached.
  mutating func replyDelivered(_ count: Int, to connection: Slot<Connection>, at now: Instant) {
    guard var writer = beginReply("ok", to: connection, atMost: 64) else { return }
    writer.delivered(count)
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// Replies `{"op":"ok"}` with the id of the line that is read now, unless the peer wants no reply.
  mutating func replyOK(to connection: Slot<Connection>, at now: Instant) {
    guard var writer = beginReply("ok", to: connection, atMost: 64) else { return }
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// Writes an `error` line (contract, section 9). `id` is the id of the request, or of the offer if `isOffer` is true.
  /// It is empty if there is none. `by` is the peer that did it, or empty.
  mutating func sayError(
    _ fault: Fault, id: UnsafeRawBufferPointer, isOffer: Bool, by: UnsafeRawBufferPointer = .empty,
    to connection: Slot<Connection>, at now: Instant
  ) {
    // Who asks by HTTP has never seen the line that its door has made.
    let message = connections[connection].door.makesLines ? fault.words : fault.message
    spent &+= Cost.error
    mark(.error(fault.code, retryMilliseconds: fault.retryMilliseconds), for: connection)
    var writer = beginLine(
      to: connection, atMost: 160 + id.count + by.count + LineWriter.bound(text: message.utf8.count))
    writer.literal("{\"op\":\"error\"")
    if let offer = fault.offer {
      writer.literal(",\"offer\":")
      writer.integer(offer)
    } else if !id.isEmpty {
      if isOffer { writer.literal(",\"offer\":") } else { writer.literal(",\"id\":") }
      writer.raw(id)
    }
    writer.literal(",\"code\":")
    writer.text(fault.code.rawValue)
    writer.literal(",\"message\":")
    writer.text(message)
    writer.by(by)
    if let wait = fault.retryMilliseconds { writer.count(",\"retry_ms\":", wait) }
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }
}
