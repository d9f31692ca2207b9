/// Takes in a message and begins its walk (contract, section 4).
extension Router {
  /// Counts the message of the request and gives it a number.
  @inline(__always)
  mutating func countMessage(at now: Instant) {
    walkNumber += 1
    messages.count(at: now)
  }

  /// The number of messages that were taken in within the last full second.
  mutating func messagesPerSecond(at now: Instant) -> Int { messages.perSecond(at: now) }

  /// The messages that are under way.
  var messagesUnderWay: Int { mutating get { walks.count - placesInStages } }

  /// Takes in the message of the request and begins its walk. If another message of its key is under way, it waits.
  @inline(__always)
  mutating func takeIn(
    _ topic: UnsafeRawBufferPointer, down chain: Slot<Chain>?, _ mode: Walk.Mode, from connection: Slot<Connection>,
    at now: Instant
  ) {
    guard let chain = chain ?? chainToRecord(topic, mode) else {
      return nobodyToAsk(about: topic, mode, from: connection, at: now)
    }
    let walk = walks.insert(
      Walk(
        number: walkNumber, message: copyMessage(topic: topic, from: connection), sender: connections.ref(connection),
        wantsResult: request.wantsReply, mode: mode, began: now,
        deadline: now.advanced(milliseconds: request.integer(.timeoutMilliseconds) ?? settings.timeoutMilliseconds),
        place: Walk.Place(chain: chain, entered: -1, list: .none, revision: -1)))
    if walks.count > Cost.atHand { spent &+= Cost.farAway }
    if mode.isBroadcast { walks[walk].isRetaining = wantsRetaining }
    if request.has(.within) { walks[walk].within = UInt16(clamping: request.integer(.within) ?? 0) }
    if mode != .notify, announcements.wantsSteps || request.has(.trace) {
      traceFromStart(walk, isAsked: request.flag(.trace) == true, at: now)
    }
    openAccount(for: walk, of: connection, at: now)
    if walks[walk].isNamed { listNamed(walk, of: connection) }
    if request.has(.key), desk.isThere, desk.mayHaveKeys, chains[chain].declaration != nil {
      return waitForKeeper(walk, in: chain, at: now)
    }
    if request.has(.key), !takesTurn(walk, key: request.text(.key), in: chain) {
      walks[walk].due = walks[walk].deadline
      walks[walk].reached = now
      recordSteps(of: walk, before: walks[walk].hops)
      traceKeyWait(of: walk, at: now)
      return armWalk(walk)
    }
    beginWalk(walk, at: now)
  }

  /// Traces a message from its start, if somebody wants its steps. It is apart, because few messages come here.
  @inline(never)
  mutating func traceFromStart(_ walk: Slot<Walk>, isAsked: Bool, at now: Instant) {
    let isRecorded = isRecorded(walks[walk].message.topic, in: walks[walk].place.chain)
    if beginTrace(of: walk, isAsked: isAsked, isRecorded: isRecorded, at: now) { walks[walk].markTraced() }
  }

  @inline(__always)
  private mutating func copyMessage(topic: UnsafeRawBufferPointer, from connection: Slot<Connection>) -> Message {
    let isSpelledOurWay = request.value(.topic).kind != .escapedText && request.value(.key).kind != .escapedText
    if isSpelledOurWay {
      return copyMessage(topic: topic, request.raw(.topic), key: request.raw(.key), from: connection)
    }
    let topicText = OwnedBytes(quoting: request.text(.topic))
    let key = request.has(.key) ? OwnedBytes(quoting: request.text(.key)) : OwnedBytes()
    defer {
      extendLifetime(topicText)
      extendLifetime(key)
    }
    return copyMessage(topic: topic, topicText.bytes, key: key.bytes, from: connection)
  }

  /// Copies the message of the request. `topicText` and `key` are JSON strings in the server's spelling.
  @inline(__always)
  private mutating func copyMessage(
    topic: UnsafeRawBufferPointer, _ topicText: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
    from connection: Slot<Connection>
  ) -> Message {
    Message(
      walk: walkNumber, spelled: &spelledWalk, id: request.wantsReply ? request.id(isOffer: false) : .empty,
      topicText: topicText, topic: topic, payload: request.raw(.payload), meta: request.raw(.meta), key: key,
      from: connections[connection].from.bytes, in: &messagePool)
  }

  /// The chain to which the message of the request goes is not there. If the message is recorded, it walks all the same, and
  /// passes nobody: so it ends in the one way.
  @inline(never)
  private mutating func chainToRecord(_ topic: UnsafeRawBufferPointer, _ mode: Walk.Mode) -> Slot<Chain>? {
    guard recorder.isOn, mode != .notify else { return nil }
    let name = chainOfRequest()
    defer { extendLifetime(name) }
    return recorder.names(name.bytes) && recorder.takes(topic) ? makeChain(named: name.bytes) : nil
  }

  /// There is no such chain: the message ends before it has begun to walk.
  @inline(never)
  private mutating func nobodyToAsk(
    about topic: UnsafeRawBufferPointer, _ mode: Walk.Mode, from connection: Slot<Connection>, at now: Instant
  ) {
    let delivered = mode.isBroadcast ? publishLine(topic, from: connection, at: now) : 0
    endAtOnce(of: connection)
    if !mode.isBroadcast { rememberLine(from: connection, at: now) }
    if announcements.isAnythingHeard {
      let status = mode.isBroadcast ? Outcome.Status.published : .unhandled
      announceEndOfLine(status, from: connection)
      if announcements.isHeard(.trace) { noteTraceOfLine(status, from: connection) }
    }
    if mode.isBroadcast, wantsRetaining, let value = unwrittenValue(of: topic) {
      return resultWhenStored(delivered, for: value, to: connection, at: now)
    }
    let mark = LineMark.result(mode.isBroadcast ? .published : .unhandled)
    guard var writer = beginReply("result", as: mark, to: connection, atMost: 144) else { return }
    composeResult(mode, delivered, to: &writer)
    commitLine(writer, to: connection, at: now)
  }

  /// The same for a broadcast whose value is not on disk yet.
  private mutating func resultWhenStored(
    _ delivered: Int, for value: Slot<UnwrittenValue>, to connection: Slot<Connection>, at now: Instant
  ) {
    let id = request.id(isOffer: false)
    if storing.isFailing { return sayError(notOnDisk, id: id, isOffer: false, to: connection, at: now) }
    guard request.wantsReply else { return }
    var line = OwnedBytes()
    var writer = beginHeldReply("result", in: &line, atMost: 144)
    composeResult(.publish, delivered, to: &writer)
    line.extend(to: writer.cursor)
    awaitDisk(line, .result(.published), id: id, for: value, to: connection, at: now)
  }

  private mutating func composeResult(_ mode: Walk.Mode, _ delivered: Int, to writer: inout LineWriter) {
    writer.literal(mode.isBroadcast ? ",\"status\":\"published\"" : ",\"status\":\"unhandled\"")
    if mode.isBroadcast { writer.delivered(delivered) }
    if mode == .all { writer.literal(",\"results\":[]") }
    writer.literal(",\"hops\":0,\"walk\":")
    writer.integer(walkNumber)
    if request.flag(.trace) == true { writer.literal(",\"trace\":[]") }
    writer.literal("}\n")
  }
}
