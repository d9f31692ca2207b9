/// Writes results: the lines that senders get at the end of their messages (contract, section 4).
extension Router {
  mutating func writeResult(
    of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant
  ) {
    let sender = walks[walk].sender.slot
    let room = boundOfResult(walk, outcome, by: by)
    mark(.result(outcome.status), for: sender)
    var writer = beginLine(to: sender, atMost: room + walks[walk].message.id.count)
    composeResult(of: walk, outcome, by: by, to: &writer)
    commitLine(writer, to: sender, at: now)
  }

  /// Lets the result of a broadcast wait until the value of its topic is on disk. Returns false if it need not wait.
  mutating func holdResult(of walk: Slot<Walk>, _ outcome: Outcome, at now: Instant) -> Bool {
    let sender = walks[walk].sender
    guard walks[walk].wantsResult, isListening(sender), let value = unwrittenValue(of: walks[walk].message.topic) else {
      return false
    }
    guard !storing.isFailing else {
      sayError(notOnDisk, id: walks[walk].message.id, isOffer: false, to: sender.slot, at: now)
      return true
    }
    var line = OwnedBytes()
    let room = boundOfResult(walk, outcome, by: .empty) + walks[walk].message.id.count
    var writer = LineWriter(at: line.reserve(room + LineWriter.slack), room: room)
    composeResult(of: walk, outcome, by: .empty, to: &writer)
    line.extend(to: writer.cursor)
    awaitDisk(
      line, .result(outcome.status), id: walks[walk].message.id, for: value, to: sender.slot, at: now)
    return true
  }

  @inline(__always)
  private mutating func composeResult(
    of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, to writer: inout LineWriter
  ) {
    let start = writer.cursor
    writer.literal("{\"op\":\"result\"")
    if !walks[walk].message.id.isEmpty {
      writer.literal(",\"id\":")
      writer.padded(walks[walk].message.id)
    }
    writer.literal(",")
    writeOutcome(of: walk, outcome, by: by, to: &writer, since: start)
    writer.literal("}\n")
  }

  /// The most bytes that `writeOutcome` takes, with 128 for what stands around it.
  @inline(__always)
  mutating func boundOfResult(_ walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer) -> Int {
    var room = 512 + by.count
    switch outcome {
    case .handled(let payload): room += payload.count
    case .unhandled, .published: room += walks[walk].rewritten.count
    case .rejected, .failed: room += 2 * LineWriter.bound(text: 1024)
    case .timeout, .cancelled: break
    }
    if walks[walk].mode == .all { room += walks[walk].results.bound }
    let trace = walks[walk].trace
    if trace != .nobody { room += traces[trace].bound }
    return room
  }

  /// Writes the members of a result from `status` on. Its line began at `start`.
  @inline(__always)
  mutating func writeOutcome(
    of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, to writer: inout LineWriter,
    since start: UnsafeMutableRawPointer
  ) {
    let trace = walks[walk].trace
    let isAll = walks[walk].mode == .all
    writer.literal("\"status\":\"")
    writer.few(outcome.status.spelling)
    writer.literal("\"")
    let veil = by.isEmpty ? .nobody : veil(of: walk)
    if veil == .nobody {
      writer.by(by)
    } else {
      let name = nameOfVeil(veil)
      writer.by(name.bytes)
      extendLifetime(name)
    }
    switch outcome {
    case .handled(let payload): writer.payload(payload)
    case .unhandled: writer.payload(walks[walk].rewritten.bytes)
    case .published(let delivered):
      writer.payload(walks[walk].rewritten.bytes)
      writer.delivered(delivered)
    case .rejected: writeReason(to: &writer)
    case .failed(let cause, let isSaid, let wasAsked):
      writeCause(cause, isSaid: isSaid && maySenderRead(walk), wasAsked: wasAsked, to: &writer)
    case .timeout, .cancelled: break
    }
    var isTruncated = false
    if isAll {
      let tail = "\(walks[walk].hops)\(walks[walk].number)".utf8.count + (walks[walk].wasRepeated ? 31 : 18)
      let told = trace == .nobody ? 0 : traces[trace].boundOfFailures + traces[trace].boundOfSpan
      let left = settings.maxLine - (writer.cursor - start) - tail - told
      isTruncated = walks[walk].results.write(to: &writer, room: left)
    }
    writer.literal(",\"hops\":")
    writer.integer(walks[walk].hops)
    writer.padded(walks[walk].message.walkMember)
    if walks[walk].wasRepeated { writer.literal(",\"again\":true") }
    if trace != .nobody { writer = writeTraced(trace, isTruncationSaid: isTruncated, writer) }
  }

  /// Writes what the trace of a walk tells its sender. The writer comes and goes by value: so it stays in a register before.
  @inline(never)
  private mutating func writeTraced(_ trace: Slot<Trace>, isTruncationSaid: Bool, _ begun: LineWriter) -> LineWriter {
    var writer = begun
    traces[trace].writeFailures(to: &writer)
    traces[trace].writeTraceparent(to: &writer)
    if traces[trace].isAsked { traces[trace].writeShown(to: &writer, isTruncationSaid: isTruncationSaid) }
    return writer
  }

  /// The most bytes that `writeWhole` takes.
  mutating func boundOfWhole(_ walk: Slot<Walk>, by: UnsafeRawBufferPointer) -> Int {
    let trace = walks[walk].trace
    return 512 + by.count + LineWriter.bound(text: 1024) + (trace == .nobody ? 0 : traces[trace].boundOfWhole)
  }

  /// Whether the sender of a stored message is told less of its result than operators are.
  mutating func hidesSome(of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer) -> Bool {
    let trace = walks[walk].trace
    if trace != .nobody, traces[trace].hidesFailures { return true }
    if !by.isEmpty, veil(of: walk) != .nobody { return true }
    if case .failed(_, isSaid: true, _) = outcome { return !maySenderRead(walk) }
    return false
  }

  /// Writes what operators are told of a message that may become a dead letter: the members that are not long, and nothing
  /// is hidden.
  mutating func writeWhole(
    of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, to writer: inout LineWriter
  ) {
    writer.literal("\"status\":\"")
    writer.few(outcome.status.spelling)
    writer.literal("\"")
    writer.by(by)
    if case .failed(let cause, let isSaid, let wasAsked) = outcome {
      writeCause(cause, isSaid: isSaid, wasAsked: wasAsked, to: &writer)
    }
    writer.literal(",\"hops\":")
    writer.integer(walks[walk].hops)
    writer.padded(walks[walk].message.walkMember)
    if walks[walk].wasRepeated { writer.literal(",\"again\":true") }
    let trace = walks[walk].trace
    if trace != .nobody { traces[trace].writeWholeFailures(to: &writer) }
  }

  /// Writes `message` and `code` as the handler's `reject` gave them; of texts at most so many bytes between the quotes.
  mutating func writeReason(to writer: inout LineWriter, atMost most: Int = .max) {
    if request.has(.message) {
      writer.literal(",\"message\":")
      writer.text(request.text(.message), atMost: most)
    }
    guard request.has(.code) else { return }
    writer.literal(",\"code\":")
    if request.value(.code).kind.isText {
      writer.text(request.text(.code), atMost: most)
    } else {
      writer.raw(request.raw(.code))
    }
  }

  /// Writes `cause`, and the handler's `message` or the server's own.
  mutating func writeCause(
    _ cause: Cause, isSaid: Bool, wasAsked: Bool, to writer: inout LineWriter, atMost most: Int = .max
  ) {
    writer.literal(",\"cause\":\"")
    writer.literal(cause.spelling)
    writer.literal("\",\"message\":")
    if isSaid {
      writer.text(wordsOfFailure, atMost: most)
    } else {
      writer.literal("\"")
      writer.literal(cause.text(wasAsked: wasAsked))
      writer.literal("\"")
    }
  }
}
