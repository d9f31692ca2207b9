/// How lines get into outboxes.
extension Router {
  /// Begins a line, or a piece of one, of at most `bound` bytes. To be ended by `commit` before anything else is
  /// written.
  @inline(__always)
  mutating func line(to connection: UInt32, atMost bound: Int) -> LineWriter {
    LineWriter(at: connections[connection].outbox.reserve(bound + LineWriter.slack, from: &pool))
  }

  /// Ends what `line` began.
  @inline(__always)
  mutating func commit(_ writer: LineWriter, to connection: UInt32, at now: Instant) {
    queued(connections[connection].outbox.commit(upTo: writer.cursor), to: connection, at: now)
  }

  /// So many bytes more are in the connection's outbox.
  @inline(__always)
  mutating func queued(_ bytes: Int, to connection: UInt32, at now: Instant) {
    unsentBytes += bytes
    markChanged(connection)
    if connections[connection].outbox.count > settings.readingUnsentBytes { pressed(connection, at: now) }
  }

  @inline(__always)
  mutating func markChanged(_ connection: UInt32) {
    if connections[connection].isChanged { return }
    connections[connection].isChanged = true
    changed.append(connection)
  }

  /// Whether lines still reach the peer.
  @inline(__always)
  mutating func isListening(_ ref: Ref<Connection>) -> Bool {
    connections.contains(ref) && connections[ref.index].phase != .severed
  }

  /// `,"id":…` where the request had one.
  static func writeID(_ id: UnsafeRawBufferPointer, to writer: inout LineWriter) {
    writer.member(",\"id\":", id)
  }

  /// Begins the reply to the line being read, `{"op":…,"id":…`, with room for `bound` bytes more; nil where it wants
  /// none.
  @inline(__always)
  mutating func beginReply(_ op: StaticString, to connection: UInt32, atMost bound: Int) -> LineWriter? {
    guard reader.wantsReply else { return nil }
    let id = reader.id(isOffer: false)
    var writer = line(to: connection, atMost: bound + id.count + 32)
    writer.literal("{\"op\":\"")
    writer.literal(op)
    writer.literal("\"")
    Router.writeID(id, to: &writer)
    return writer
  }

  /// Replies how many were reached.
  mutating func replyDelivered(_ count: Int, to connection: UInt32, at now: Instant) {
    guard var writer = beginReply("ok", to: connection, atMost: 64) else { return }
    Router.writeDelivered(count, to: &writer)
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  static func writeDelivered(_ count: Int, to writer: inout LineWriter) {
    writer.literal(",\"delivered\":")
    writer.integer(count)
  }

  /// Replies `{"op":"ok"}` with the id of the line being read, unless it wants no reply.
  mutating func replyOK(to connection: UInt32, at now: Instant) {
    guard var writer = beginReply("ok", to: connection, atMost: 64) else { return }
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  /// Says what is wrong with the line being read, and closes the connection where too many were wrong.
  @inline(never)
  mutating func refuse(_ fault: Fault, to connection: UInt32, at now: Instant) {
    let isVerdict = reader.isVerdict
    sayError(fault, id: reader.id(isOffer: isVerdict), isOffer: isVerdict, to: connection, at: now)
    if fault.code.isAboutForm { countError(of: connection, at: now) }
  }

  mutating func sayError(
    _ fault: Fault, id: UnsafeRawBufferPointer, isOffer: Bool, to connection: UInt32, at now: Instant
  ) {
    let message = fault.message
    var writer = line(
      to: connection, atMost: 128 + id.count + LineWriter.bound(text: message.utf8.count))
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
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  /// More than `max_errors` within `errors_ms`: somebody answers errors with errors (contract, section 9).
  private mutating func countError(of connection: UInt32, at now: Instant) {
    let since = now.advanced(milliseconds: -settings.errorsMilliseconds)
    connections[connection].errors.removeAll { $0 <= since }
    connections[connection].errors.append(now)
    guard connections[connection].errors.count > settings.maxErrors else { return }
    sever(
      connection, .tooManyErrors,
      says: "more than \(settings.maxErrors) errors in \(settings.errorsMilliseconds) ms; "
        + "does the program answer errors with errors?", at: now)
  }
}
