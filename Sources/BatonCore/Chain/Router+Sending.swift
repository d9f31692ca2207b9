/// `send`: taking a message in (contract, section 4).
extension Router {
  mutating func send(from connection: UInt32, at now: Instant) throws(Fault) {
    let mode = modeOfLine()
    if mode == nil { try checkNotify() }
    try refuseWhileDraining()
    try checkCargo(reader.raw(.payload).count, beside: reader.raw(.meta).count)
    guard try hasRoom(for: connection, at: now) else { return }
    let topic = reader.text(.topic)
    let chain = reader.has(.chain) ? findChain(reader.text(.chain)) : (mainChain == .nobody ? nil : mainChain)
    count(at: now)
    guard let mode else { return notify(topic, in: chain, from: connection, at: now) }
    walk(topic, down: chain, mode, from: connection, at: now)
  }

  /// Gives the message of the line a number.
  @inline(__always)
  mutating func count(at now: Instant) {
    walkNumber += 1
    messages.count(at: now)
  }

  /// Takes the message of the line in and sends it on its way.
  @inline(__always)
  mutating func walk(
    _ topic: UnsafeRawBufferPointer, down chain: UInt32?, _ mode: Walk.Mode, from connection: UInt32, at now: Instant
  ) {
    guard let chain else { return nobodyToAsk(about: topic, mode, from: connection, at: now) }
    let walk = walks.insert(
      Walk(
        number: walkNumber, message: copyMessage(topic: topic, from: connection), sender: connections.ref(connection),
        wantsResult: reader.wantsReply, mode: mode,
        deadline: now.advanced(milliseconds: reader.integer(.timeoutMilliseconds) ?? settings.timeoutMilliseconds),
        place: Walk.Place(chain: chain, entered: -1, list: .none)))
    if isWatched || reader.has(.trace) { beginTrace(of: walk, at: now) }
    account(for: walk, of: connection, at: now)
    if reader.has(.key), !takesTurn(walk, key: reader.text(.key), in: chain) {
      walks[walk].due = walks[walk].deadline
      walks[walk].reached = now
      traceKeyWait(of: walk, at: now)
      return arm(walk)
    }
    begin(walk, at: now)
  }

  /// Lets a walk enter its chain.
  @inline(__always)
  mutating func begin(_ walk: UInt32, at now: Instant) {
    walks[walk].place = enter(walks[walk].place.chain, with: walk)
    traceEntry(of: walk, at: now)
    walkOn(walk, at: now)
  }

  /// The mode; nil is `notify`.
  @inline(__always)
  private mutating func modeOfLine() -> Walk.Mode? {
    guard reader.has(.mode) else { return .first }
    if reader.value(.mode).isText("all", in: reader.line) { return .all }
    return reader.value(.mode).isText("notify", in: reader.line) ? nil : .first
  }

  mutating func refuseWhileDraining() throws(Fault) {
    guard drainDeadline != nil else { return }
    throw Fault(
      .draining, "the server is shutting down and takes no new messages; use another server, or try again later")
  }

  /// What a payload and a meta may take together, so that what is made of them fits a line (section 2).
  @inline(__always)
  mutating func checkCargo(_ payload: Int, beside meta: Int) throws(Fault) {
    guard payload + meta > settings.maxCargo else { return }
    throw Fault(
      .badMember,
      "payload and meta take \(payload + meta) bytes together; at most \(settings.maxCargo) are allowed "
        + "(max_line minus 4096)")
  }

  /// Whether one more message can be taken in now. Who serves links is refused where not, never paused: its verdicts
  /// must get through. From anybody else the server stops reading (section 10).
  @inline(__always)
  mutating func hasRoom(for connection: UInt32, at now: Instant) throws(Fault) -> Bool {
    let isServing = connections[connection].firstReplica != .nobody
    if openBytes >= settings.maxTotalBytes {
      if !isServing {
        leaveForLater(connection, at: now)
        return false
      }
      throw Fault(
        .busy, "the messages under way take \(settings.maxTotalBytes) bytes, and no more are allowed; try again later")
    }
    guard connections[connection].pauses.contains(.messages), isServing else { return true }
    throw Fault(
      .busy,
      "\(connections[connection].openMessages) messages of this connection are under way, and no more are allowed; "
        + "wait for results")
  }

  @inline(__always)
  private mutating func copyMessage(topic: UnsafeRawBufferPointer, from connection: UInt32) -> Message {
    let isSpelledOurWay = reader.value(.topic).kind != .escapedText && reader.value(.key).kind != .escapedText
    if isSpelledOurWay {
      return copyMessage(topic: topic, reader.raw(.topic), key: reader.raw(.key), from: connection)
    }
    let topicText = OwnedBytes(quoting: reader.text(.topic))
    let key = reader.has(.key) ? OwnedBytes(quoting: reader.text(.key)) : OwnedBytes()
    defer {
      extendLifetime(topicText)
      extendLifetime(key)
    }
    return copyMessage(topic: topic, topicText.bytes, key: key.bytes, from: connection)
  }

  /// Copies the message of the line; `topicText` and `key` are JSON strings in the server's spelling.
  @inline(__always)
  private mutating func copyMessage(
    topic: UnsafeRawBufferPointer, _ topicText: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
    from connection: UInt32
  ) -> Message {
    Message(
      walk: walkNumber, spelled: &spelledWalk, id: reader.wantsReply ? reader.id(isOffer: false) : .empty,
      topicText: topicText, topic: topic, payload: reader.raw(.payload), meta: reader.raw(.meta), key: key,
      from: connections[connection].from.bytes, in: &messagePool)
  }

  /// There is no such chain: the walk ends before it has begun.
  @inline(never)
  private mutating func nobodyToAsk(
    about topic: UnsafeRawBufferPointer, _ mode: Walk.Mode, from connection: UInt32, at now: Instant
  ) {
    let delivered = mode.isBroadcast ? publishLine(topic, from: connection, at: now) : 0
    if serverPatterns > 0 { announceEndOfLine(mode.isBroadcast ? .published : .unhandled, from: connection) }
    guard var writer = beginReply("result", to: connection, atMost: 144) else { return }
    writer.literal(mode.isBroadcast ? ",\"status\":\"published\"" : ",\"status\":\"unhandled\"")
    if mode.isBroadcast { Router.writeDelivered(delivered, to: &writer) }
    if mode == .all { writer.literal(",\"results\":[]") }
    writer.literal(",\"hops\":0,\"walk\":")
    writer.integer(walkNumber)
    if reader.flag(.trace) == true { writer.literal(",\"trace\":[]") }
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  // MARK: Accounts

  @inline(__always)
  private mutating func account(for walk: UInt32, of connection: UInt32, at now: Instant) {
    let bytes = walks[walk].bytes
    openBytes += bytes
    connections[connection].openMessages += 1
    connections[connection].openBytes += bytes
    if walks[walk].wantsResult { connections[connection].owed += 1 }
    if connections[connection].openMessages >= settings.maxOpenMessages
      || connections[connection].openBytes >= settings.maxOpenBytes
    {
      pause(connection, .messages, at: now)
    }
  }

  /// Keeps the accounts right when a walk takes more bytes than `before`, or fewer.
  mutating func accountAgain(for walk: UInt32, before: Int, at now: Instant) {
    let difference = walks[walk].bytes - before
    openBytes += difference
    if walks[walk].isWaiting { links[walks[walk].link].waitingBytes += difference }
    let sender = walks[walk].sender
    guard connections.contains(sender) else { return }
    connections[sender.index].openBytes += difference
    if connections[sender.index].openBytes >= settings.maxOpenBytes { pause(sender.index, .messages, at: now) }
  }
}
