/// The end of a walk, and what its sender is told (contract, section 4).
extension Router {
  /// Ends a walk that stands nowhere any more: tells the result, and forgets it. `by` is a handler's name as a JSON
  /// string, or empty.
  mutating func end(_ walk: UInt32, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    if walks[walk].wantsResult, isListening(walks[walk].sender) {
      writeResult(of: walk, outcome, by: by, at: now)
    }
    if walks[walk].firstCopy != .nobody { tellCopies(of: walk, outcome.status) }
    if serverPatterns > 0 { announceEnd(of: walk, outcome, by: by, at: now) }
    timers.end(walks[walk].timer)
    if walks[walk].place.entered >= 0 { leaveChains(walk) }
    if walks[walk].trace != .nobody { traces.remove(walks[walk].trace) }
    let queue = walks[walk].keyQueue
    let sender = walks[walk].sender
    let bytes = walks[walk].bytes
    let wasOwed = walks[walk].wantsResult
    openBytes -= bytes
    walks[walk].message.end(in: &messagePool)
    walks.remove(walk)
    if connections.contains(sender) {
      settleAccount(of: sender.index, bytes: bytes, wasOwed: wasOwed, at: now)
    }
    if queue != .nobody { passTurn(of: queue, at: now) }
  }

  @inline(__always)
  private mutating func settleAccount(of connection: UInt32, bytes: Int, wasOwed: Bool, at now: Instant) {
    connections[connection].openMessages -= 1
    connections[connection].openBytes -= bytes
    if wasOwed { connections[connection].owed -= 1 }
    if connections[connection].pauses.contains(.messages),
      connections[connection].openMessages < settings.maxOpenMessages,
      connections[connection].openBytes < settings.maxOpenBytes
    {
      resume(connection, .messages, at: now)
    }
    closeIfFinished(connection, at: now)
  }

  private mutating func writeResult(
    of walk: UInt32, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant
  ) {
    let sender = walks[walk].sender.index
    let isAll = walks[walk].mode == .all
    var room = 512 + walks[walk].message.id.count + by.count
    switch outcome {
    case .handled(let payload): room += payload.count
    case .unhandled, .published: room += walks[walk].rewritten.count
    case .rejected, .failed: room += 2 * LineWriter.bound(text: 1024)
    case .timeout: break
    }
    let trace = walks[walk].trace
    let isTraced = trace != .nobody && traces[trace].isAsked
    if isAll { room += walks[walk].results.bound }
    if isTraced { room += traces[trace].bound }
    var writer = line(to: sender, atMost: room)
    let start = writer.cursor
    writer.literal("{\"op\":\"result\"")
    Router.writeID(walks[walk].message.id, to: &writer)
    writer.literal(",\"status\":\"")
    writer.literal(outcome.status.spelling)
    writer.literal("\"")
    Router.writeBy(by, to: &writer)
    switch outcome {
    case .handled(let payload): Router.writePayload(payload, to: &writer)
    case .unhandled: Router.writePayload(walks[walk].rewritten.bytes, to: &writer)
    case .published(let delivered):
      Router.writePayload(walks[walk].rewritten.bytes, to: &writer)
      Router.writeDelivered(delivered, to: &writer)
    case .rejected: writeReason(to: &writer)
    case .failed(let cause, let isSaid): writeCause(cause, isSaid: isSaid, to: &writer)
    case .timeout: break
    }
    var isTruncated = false
    if isAll {
      let tail = "\(walks[walk].hops)\(walks[walk].number)".utf8.count + (walks[walk].wasRepeated ? 31 : 18)
      let left = settings.maxLine - (writer.cursor - start) - tail
      isTruncated = walks[walk].results.write(to: &writer, room: left)
    }
    writer.literal(",\"hops\":")
    writer.integer(walks[walk].hops)
    writer.padded(walks[walk].message.walkMember)
    if walks[walk].wasRepeated { writer.literal(",\"again\":true") }
    if isTraced { traces[trace].write(to: &writer, isTruncationSaid: isTruncated) }
    writer.literal("}\n")
    commit(writer, to: sender, at: now)
  }

  static func writeBy(_ by: UnsafeRawBufferPointer, to writer: inout LineWriter) {
    writer.member(",\"by\":", by)
  }

  static func writePayload(_ payload: UnsafeRawBufferPointer, to writer: inout LineWriter) {
    writer.member(Message.payloadName, payload)
  }

  static func writeMeta(_ meta: UnsafeRawBufferPointer, to writer: inout LineWriter) {
    writer.member(Message.metaName, meta)
  }

  /// `message` and `code` as the handler's `reject` gave them.
  private mutating func writeReason(to writer: inout LineWriter) {
    if reader.has(.message) {
      writer.literal(",\"message\":")
      writer.text(reader.text(.message))
    }
    if reader.has(.code) {
      writer.literal(",\"code\":")
      if reader.value(.code).kind.isText { writer.text(reader.text(.code)) } else { writer.raw(reader.raw(.code)) }
    }
  }

  /// `cause`, and the handler's `message` or the server's own.
  private mutating func writeCause(_ cause: Cause, isSaid: Bool, to writer: inout LineWriter) {
    writer.literal(",\"cause\":\"")
    writer.literal(cause.spelling)
    writer.literal("\",\"message\":")
    if isSaid {
      writer.text(reader.text(.message))
    } else {
      writer.literal("\"")
      writer.literal(cause.text)
      writer.literal("\"")
    }
  }
}
