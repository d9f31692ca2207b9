/// `send`: taking a message in, and telling its result (contract, section 4).
extension Router {
  mutating func send(from connection: UInt32, at now: Instant) throws(Fault) {
    try refuseWhileDraining()
    try checkCargo(reader.raw(.payload).count, beside: reader.raw(.meta).count)
    try checkRoom(for: connection)
    let topic = reader.text(.topic)
    let chain = reader.has(.chain) ? findChain(reader.text(.chain)) : (mainChain == Walk.nobody ? nil : mainChain)
    walkNumber += 1
    guard let chain, let list = list(of: topic, in: chain), !lists[list.index].links.isEmpty else {
      return nobodyToAsk(connection, at: now)
    }
    let timeout = reader.integer(.timeoutMilliseconds) ?? settings.timeoutMilliseconds
    let message = copyMessage(topic: topic, from: connection)
    let entered = chains[chain].version
    let place = Walk.Place(
      chain: chain, entered: entered, snapshot: chains[chain].snapshots.enter(version: entered), list: list,
      position: -1)
    let walk = walks.insert(
      Walk(
        number: walkNumber, message: message, sender: connections.ref(connection), wantsResult: reader.wantsReply,
        deadline: now.advanced(milliseconds: timeout), place: place))
    account(for: walk, of: connection, at: now)
    walkOn(walk, at: now)
  }

  mutating func refuseWhileDraining() throws(Fault) {
    guard drainDeadline != nil else { return }
    throw Fault(.draining, "the server is going and takes no new messages; send it to another, or again later")
  }

  /// What a payload and a meta may take together, so that what is made of them fits a line (section 2).
  mutating func checkCargo(_ payload: Int, beside meta: Int) throws(Fault) {
    guard payload + meta > settings.maxCargo else { return }
    throw Fault(
      .badMember,
      "payload and meta take \(payload + meta) bytes together; at most \(settings.maxCargo) fit (max_line less 4096)")
  }

  private mutating func checkRoom(for connection: UInt32) throws(Fault) {
    if openBytes >= settings.maxTotalBytes {
      throw Fault(
        .busy, "the messages under way take \(settings.maxTotalBytes) bytes, the most allowed; try again later")
    }
    // Who serves links is never paused: its verdicts must get through.
    guard connections[connection].pauses.contains(.messages), connections[connection].firstReplica != Walk.nobody
    else { return }
    throw Fault(
      .busy,
      "\(connections[connection].openMessages) messages of this connection are under way, the most allowed; wait for results"
    )
  }

  private mutating func copyMessage(topic: UnsafeRawBufferPointer, from connection: UInt32) -> Message {
    let id = reader.wantsReply ? reader.id(isOffer: false) : .empty
    if reader.value(.topic).kind == .text {
      return Message(
        id: id, topicText: reader.raw(.topic), topic: topic, payload: reader.raw(.payload), meta: reader.raw(.meta),
        from: connections[connection].from.bytes, in: &messagePool)
    }
    let memory = OwnedBytes(count: LineWriter.bound(text: topic.count))
    guard let base = memory.mutable.baseAddress else { preconditionFailure("a bound is never zero") }
    var writer = LineWriter(at: base)
    writer.text(topic)
    defer { extendLifetime(memory) }
    return Message(
      id: id, topicText: memory.bytes.part(0, writer.cursor - base), topic: topic, payload: reader.raw(.payload),
      meta: reader.raw(.meta), from: connections[connection].from.bytes, in: &messagePool)
  }

  /// No link accepts the topic: the walk ends before it has begun.
  private mutating func nobodyToAsk(_ connection: UInt32, at now: Instant) {
    guard reader.wantsReply else { return }
    let id = reader.id(isOffer: false)
    var writer = line(to: connection, atMost: 128 + id.count)
    writer.literal("{\"op\":\"result\"")
    Router.writeID(id, to: &writer)
    writer.literal(",\"status\":\"unhandled\",\"hops\":0,\"walk\":")
    writer.integer(walkNumber)
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  // MARK: Accounts

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

  /// Puts a rewritten payload in, and keeps the accounts right.
  mutating func rewrite(_ walk: UInt32, with payload: UnsafeRawBufferPointer, at now: Instant) {
    let difference = payload.count - walks[walk].rewritten.count
    walks[walk].rewritten = OwnedBytes(copying: payload)
    openBytes += difference
    let sender = walks[walk].sender
    guard connections.contains(sender) else { return }
    connections[sender.index].openBytes += difference
    if connections[sender.index].openBytes >= settings.maxOpenBytes { pause(sender.index, .messages, at: now) }
  }

  // MARK: Results

  /// How a walk can end.
  enum Outcome {
    case handled(payload: UnsafeRawBufferPointer)
    case unhandled
    /// `message` and `code` of the line being read.
    case rejected
    case timeout
  }

  /// Ends a walk that stands nowhere any more: tells the result, and forgets it. `by` is a handler's name as a JSON
  /// string, or empty.
  mutating func end(_ walk: UInt32, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    if walks[walk].wantsResult, isListening(walks[walk].sender) {
      writeResult(of: walk, outcome, by: by, at: now)
    }
    timers.end(walks[walk].timer)
    leaveChain(walk)
    let sender = walks[walk].sender
    let bytes = walks[walk].bytes
    let wasOwed = walks[walk].wantsResult
    openBytes -= bytes
    walks[walk].message.end(in: &messagePool)
    walks.remove(walk)
    if connections.contains(sender) {
      settleAccount(of: sender.index, bytes: bytes, wasOwed: wasOwed, at: now)
    }
  }

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
    var bound = 256 + walks[walk].message.id.count + by.count
    switch outcome {
    case .handled(let payload): bound += payload.count
    case .unhandled: bound += walks[walk].rewritten.count
    case .rejected: bound += 2 * LineWriter.bound(text: 1024)
    case .timeout: break
    }
    var writer = line(to: sender, atMost: bound)
    writer.literal("{\"op\":\"result\"")
    Router.writeID(walks[walk].message.id, to: &writer)
    switch outcome {
    case .handled(let payload):
      writer.literal(",\"status\":\"handled\"")
      Router.writeBy(by, to: &writer)
      Router.writePayload(payload, to: &writer)
    case .unhandled:
      writer.literal(",\"status\":\"unhandled\"")
      Router.writePayload(walks[walk].rewritten.bytes, to: &writer)
    case .rejected:
      writer.literal(",\"status\":\"rejected\"")
      Router.writeBy(by, to: &writer)
      writeReason(to: &writer)
    case .timeout:
      writer.literal(",\"status\":\"timeout\"")
      Router.writeBy(by, to: &writer)
    }
    writer.literal(",\"hops\":")
    writer.integer(walks[walk].hops)
    writer.literal(",\"walk\":")
    writer.integer(walks[walk].number)
    writer.literal("}\n")
    commit(writer, to: sender, at: now)
  }

  static func writeBy(_ by: UnsafeRawBufferPointer, to writer: inout LineWriter) {
    if by.isEmpty { return }
    writer.literal(",\"by\":")
    writer.raw(by)
  }

  static func writePayload(_ payload: UnsafeRawBufferPointer, to writer: inout LineWriter) {
    if payload.isEmpty { return }
    writer.literal(",\"payload\":")
    writer.raw(payload)
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
}
