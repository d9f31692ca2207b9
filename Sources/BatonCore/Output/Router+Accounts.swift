/// The limits on the messages and patterns of a connection, and on all messages together (contract, section 10).
extension Router {
  /// Whether one more message can be taken in now. If not, a connection that serves links gets `busy`, because its
  /// verdicts must get through, and so does a request of HTTP. The line of any other connection waits, and the server stops reading from it
  /// (section 10).
  @inline(__always)
  mutating func hasRoom(for connection: Slot<Connection>, at now: Instant) throws(Fault) -> Bool {
    let getsBusy = connections[connection].getsBusy
    if openBytes >= settings.maxTotalBytes {
      if !getsBusy {
        leaveForLater(connection, at: now)
        return false
      }
      throw Fault(
        .busy, "the messages under way take \(settings.maxTotalBytes) bytes, and no more are allowed; try again later")
    }
    guard hasShareOfOpenBytes(connection) else {
      if getsBusy { throw overShareOfOpenBytes(connection) }
      waitForShare(connection, .share, at: now)
      return false
    }
    let account = connections[connection].account
    if account != .nobody {
      if !connections[connection].hasSent, !newcomersHaveRoom(account) {
        if getsBusy { throw overShareOfLeftBytes(account) }
        waitForShare(connection, .left, at: now)
        return false
      }
      if !accountHasRoom(account) {
        if getsBusy { throw overLimitOfIdentity(account) }
        waitForAccount(connection, at: now)
        return false
      }
    }
    guard connections[connection].pauses.contains(.messages), getsBusy else {
      connections[connection].hasSent = true
      return true
    }
    throw Fault(
      .busy,
      "\(connections[connection].openMessages) messages of this connection are under way, and no more are allowed; "
        + "wait for results")
  }

  @inline(never)
  private mutating func overShareOfOpenBytes(_ connection: Slot<Connection>) -> Fault {
    Fault(
      .busy,
      "the messages of this connection take \(connections[connection].openBytes) bytes, and "
        + "\(settings.maxTotalBytes - openBytes) bytes more are free; it may have at most \(settings.shareOfFree) times "
        + "what is free (share_of_free); wait for results")
  }

  @inline(never)
  private mutating func overShareOfLeftBytes(_ account: Slot<PeerAccount>) -> Fault {
    Fault(
      .busy,
      "what connections of your identity or address left under way takes \(accounts[account].leftBytes) bytes, and "
        + "\(settings.maxTotalBytes - openBytes) bytes more are free; a new connection has room when it takes less than "
        + "\(settings.shareOfFree) times what is free (share_of_free); try again later")
  }

  @inline(never)
  private mutating func overLimitOfIdentity(_ account: Slot<PeerAccount>) -> Fault {
    Fault(
      .busy,
      "\(accounts[account].openMessages) messages of your identity are under way, and no more are allowed; "
        + "wait for results")
  }

  /// Adds a message to the accounts.
  @inline(__always)
  mutating func openAccount(for walk: Slot<Walk>, of connection: Slot<Connection>, at now: Instant) {
    let bytes = walks[walk].bytes
    countOpenBytes(bytes)
    walks[walk].account = countOpen(bytes: bytes, isOwed: walks[walk].wantsResult, of: connection, at: now)
  }

  /// All messages under way, and what counts as one, take so many bytes more, or fewer.
  @inline(__always)
  mutating func countOpenBytes(_ more: Int) {
    openBytes += more
    if more < 0 { waitingForShare.noteRoom() }
  }

  /// The same of tries of stored messages, which are among them.
  @inline(__always)
  mutating func countBytesOfTries(_ more: Int) { bytesOfTries += more }

  /// What waits at a link takes so many bytes more, or fewer; and what of it the anonymous have.
  @inline(__always)
  mutating func countWaitingBytes(_ more: Int, at link: Slot<Link>) { links[link].waitingBytes += more }

  @inline(__always)
  mutating func countWaitingBytesOfAnonymous(_ more: Int, at link: Slot<Link>) {
    links[link].waitingBytesOfAnonymous += more
  }

  /// A connection has one more open message. `isOwed`: it gets a line at its end. Returns the account of its identity.
  @inline(__always)
  mutating func countOpen(
    bytes: Int, isOwed: Bool, of connection: Slot<Connection>, at now: Instant
  ) -> Slot<PeerAccount> {
    connections[connection].openMessages += 1
    connections[connection].openBytes += bytes
    let account = connections[connection].account
    if account != .nobody {
      accounts[account].openMessages += 1
      accounts[account].openBytes += bytes
    }
    if isOwed { connections[connection].owed += 1 }
    if hasMostOpen(connection) { pause(connection, .messages, at: now) }
    return account
  }

  /// Corrects the accounts after the bytes of a walk have changed from `before`.
  mutating func changeAccount(for walk: Slot<Walk>, before: Int, at now: Instant) {
    let difference = walks[walk].bytes - before
    countOpenBytes(difference)
    if walks[walk].isWaiting {
      countWaitingBytes(difference, at: walks[walk].link)
      if walks[walk].row != .nobody, waitingTurns.count(walks[walk].row, 0, bytes: difference) {
        countWaitingBytesOfAnonymous(difference, at: walks[walk].link)
      }
    }
    let account = walks[walk].account
    let sender = walks[walk].sender
    let isSenderThere = connections.contains(sender)
    if account != .nobody {
      accounts[account].openBytes += difference
      if !isSenderThere { accounts[account].leftBytes += difference }
      if difference < 0 { noteRoom(of: account) }
    }
    guard isSenderThere else {
      if walks[walk].attempt != .nobody { countBytesOfTries(difference) }
      return
    }
    connections[sender.slot].openBytes += difference
    if difference < 0 { return resumeIfRoom(sender.slot, at: now) }
    if connections[sender.slot].openBytes >= settings.maxOpenBytes { pause(sender.slot, .messages, at: now) }
  }

  /// Removes a message from what its sender has. If the sender has ended its side and waits for nothing more, the sender is
  /// only added to `finished`. `endStep` closes it.
  @inline(__always)
  mutating func closeAccount(of connection: Slot<Connection>, bytes: Int, wasOwed: Bool, at now: Instant) {
    connections[connection].openMessages -= 1
    connections[connection].openBytes -= bytes
    if wasOwed { connections[connection].owed -= 1 }
    resumeIfRoom(connection, at: now)
    noteIfFinished(connection)
  }

  /// Whether a connection has as many messages under way, or as many bytes of them, as it may.
  @inline(__always)
  mutating func hasMostOpen(_ connection: Slot<Connection>) -> Bool {
    connections[connection].openMessages >= settings.maxOpenMessages
      || connections[connection].openBytes >= settings.maxOpenBytes
  }

  /// The messages of a connection have become fewer or smaller, or it may have more of them.
  @inline(__always)
  mutating func resumeIfRoom(_ connection: Slot<Connection>, at now: Instant) {
    if connections[connection].pauses.contains(.messages), !hasMostOpen(connection) {
      resume(connection, .messages, at: now)
    }
  }

  /// `endStep` closes the connection if it has ended its side and waits for nothing more.
  @inline(__always)
  mutating func noteIfFinished(_ connection: Slot<Connection>) {
    if connections[connection].isFinished { finished.append(connections.ref(connection)) }
  }

  /// The connections that were noted as finished.
  mutating func takeFinished() -> [Ref<Connection>] {
    var noted: [Ref<Connection>] = []
    swap(&noted, &finished)
    return noted
  }

  /// Keeps the line that is read now for later, because all messages together take too many bytes. The server stops
  /// reading from the sender.
  mutating func leaveForLater(_ connection: Slot<Connection>, at now: Instant) {
    readAgain()
    Router.forgetGone(in: &crowdedOut, above: connections.count, connections)
    crowdedOut.append(connections.ref(connection))
    pause(connection, .total, at: now)
  }

  /// Removes connections that are gone from a list that is too long for those that may wait in it. The others keep their
  /// order. At least half of it goes, so that this costs each of them two steps.
  static func forgetGone(
    in waiting: inout Queue<Ref<Connection>>, above most: Int, _ connections: borrowing Table<Connection>
  ) {
    guard waiting.count > 2 * most else { return }
    for _ in 0..<waiting.count {
      if let ref = waiting.popFirst(), connections.contains(ref) { waiting.append(ref) }
    }
  }

  /// Reads again from the connection that has waited longest, when there is room for messages. Only one connection is
  /// resumed at a time. If it has to wait again, it goes to the end of the list, so that each connection gets its turn.
  mutating func letInNext(at now: Instant) {
    while openBytes < settings.maxTotalBytes, !refusals.contains(.recordIsFull), let ref = crowdedOut.popFirst() {
      guard connections.contains(ref), connections[ref.slot].pauses.contains(.total) else { continue }
      resume(ref.slot, .total, at: now)
      if !parked.isEmpty { return }
    }
  }

  /// Throws if a payload and a meta take too many bytes together. The limit makes the server's lines about them fit
  /// into `max_line` (section 2).
  @inline(__always)
  mutating func checkCargo(_ payload: Int, beside meta: Int) throws(Fault) {
    guard payload + meta > settings.maxCargo else { return }
    throw Fault(
      .badMember,
      "payload and meta take \(payload + meta) bytes together; at most \(settings.maxCargo) are allowed "
        + "(max_line minus 4096)")
  }

  /// Throws if the connection, its identity, or all connections together would have too many patterns. `new` is the weight
  /// of the new ones. They take the place of those of `old`.
  mutating func checkPatterns(
    of connection: Slot<Connection>, new: Int, insteadOf old: Replaced = Replaced()
  ) throws(Fault) {
    let count = connections[connection].patterns
    if new > old.ofConnection, count - old.ofConnection + new > settings.maxPatterns {
      throw Fault(
        .limitReached,
        "this connection has \(count) patterns, and \(settings.maxPatterns) are allowed (max_patterns); use fewer, with "
          + "wildcards")
    }
    try checkPatternsOfIdentity(connection, more: new - old.ofAccount.patterns)
    if new > old.patterns, totalPatterns - old.patterns + new > settings.maxTotalPatterns {
      throw Fault(
        .limitReached,
        "all connections together have \(totalPatterns) patterns, and \(settings.maxTotalPatterns) are allowed "
          + "(max_total_patterns); use fewer, with wildcards")
    }
    guard new > old.ofConnection else { return }
    try checkFreeShare(
      "patterns", has: count - old.ofConnection, left: left(of: connection).patterns - old.left.patterns, more: new,
      free: settings.maxTotalPatterns - totalPatterns + old.patterns)
  }

  /// Counts patterns that the connection has now, or has no longer.
  @inline(__always)
  mutating func countPatterns(_ weight: Int, of connection: Slot<Connection>) {
    connections[connection].patterns += weight
    let account = connections[connection].account
    if account != .nobody { accounts[account].patterns += weight }
    countPatternsOfAll(weight)
  }

  /// Counts patterns for all connections together.
  @inline(__always)
  mutating func countPatternsOfAll(_ weight: Int) { totalPatterns += weight }
}
