/// What a connection's messages and patterns, and those of all, may take (contract, section 10).
extension Router {
  /// Whether one more message can be taken in now. Who serves links is refused where not, never paused: its verdicts
  /// must get through. From anybody else the server stops reading (section 10).
  @inline(__always)
  mutating func hasRoom(for connection: Slot<Connection>, at now: Instant) throws(Fault) -> Bool {
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

  /// A message counts from now on.
  @inline(__always)
  mutating func openAccount(for walk: Slot<Walk>, of connection: Slot<Connection>, at now: Instant) {
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
  mutating func changeAccount(for walk: Slot<Walk>, before: Int, at now: Instant) {
    let difference = walks[walk].bytes - before
    openBytes += difference
    if walks[walk].isWaiting { links[walks[walk].link].waitingBytes += difference }
    let sender = walks[walk].sender
    guard connections.contains(sender) else { return }
    connections[sender.slot].openBytes += difference
    if connections[sender.slot].openBytes >= settings.maxOpenBytes { pause(sender.slot, .messages, at: now) }
  }

  /// A message counts no longer. Whether its sender was owed nothing but that, and is to be closed, is only noted: the
  /// call that brought the end about closes it when it has dealt with everything.
  @inline(__always)
  mutating func closeAccount(of connection: Slot<Connection>, bytes: Int, wasOwed: Bool, at now: Instant) {
    connections[connection].openMessages -= 1
    connections[connection].openBytes -= bytes
    if wasOwed { connections[connection].owed -= 1 }
    if connections[connection].pauses.contains(.messages),
      connections[connection].openMessages < settings.maxOpenMessages,
      connections[connection].openBytes < settings.maxOpenBytes
    {
      resume(connection, .messages, at: now)
    }
    if connections[connection].isFinished { finished.append(connections.ref(connection)) }
  }

  /// All messages under way take too much: the line being read waits, and the server does not read on from its sender.
  mutating func leaveForLater(_ connection: Slot<Connection>, at now: Instant) {
    isLeftForLater = true
    // Those that went meanwhile are forgotten here, where their number could grow.
    if crowdedOut.count > 2 * connections.count { crowdedOut = crowdedOut.filter { connections.contains($0) } }
    crowdedOut.append(connections.ref(connection))
    pause(connection, .total, at: now)
  }

  /// There is room for messages again: the connection that has waited longest is read from again. One at a time, and
  /// one that is crowded out again goes to the end, so that each gets its turn.
  mutating func letInNext(at now: Instant) {
    while openBytes < settings.maxTotalBytes, let ref = crowdedOut.first {
      crowdedOut.removeFirst()
      guard connections.contains(ref), connections[ref.slot].pauses.contains(.total) else { continue }
      resume(ref.slot, .total, at: now)
      if !backlogged.isEmpty { return }
    }
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

  /// What the patterns of one connection may be in sum.
  mutating func checkPatterns(of connection: Slot<Connection>, more: Int) throws(Fault) {
    guard connections[connection].patterns + more > settings.maxPatterns else { return }
    throw Fault(
      .limitReached,
      "this connection has \(connections[connection].patterns) patterns, and \(settings.maxPatterns) are allowed "
        + "(max_patterns); use fewer, with wildcards")
  }
}
