extension Keeper {
  /// A durable send. Its lines follow: `accepted` and `result`, or an error.
  package mutating func takeIn(_ send: DurableSend) {
    if let refusal = refusal(send) {
      if let ticket = send.ticket { outputs.append(.refused(ticket: ticket, refusal)) }
    }
  }

  private mutating func refusal(_ send: DurableSend) -> KeeperRefusal? {
    if isDraining || !isOpen { return .draining }
    let content = digest(
      send.chain, send.content.head, send.content.key ?? [], send.content.payload,
      [send.content.key == nil ? 0 : 1])
    let name = send.once.map { digest(send.identity, $0) }
    if let name, let once = trees.find(name.pair, in: onceNames[name]) {
      guard onces[once].content == content.low else { return .onceMismatch }
      return hearKnown(once, send.ticket)
    }
    // A sender that asks again for what is kept gets no answer that would mean the contrary.
    if failingSince != nil { return .storeFailed }
    guard let chain = trees.find(digest(send.chain).pair, in: chainNames), chains[chain].isDeclared else {
      return .notDeclared
    }
    guard hasRoom(send, chain) else { return .storeFull }
    var row = StoredMessage(
      id: StoredID(start: start, count: drawRow()), identity: send.identity, chain: send.chain, rules: send.rules,
      acceptedAt: wall, resent: nil, byteCount: send.content.byteCount, state: TryState())
    let message = add(row, chain, .storing)
    messages[message].expiresAt = now + UInt64(send.rules.expiresMilliseconds)
    if let ticket = send.ticket { hear(message, ticket) }
    if send.delayMilliseconds > 0 {
      messages[message].dueAt = now + UInt64(send.delayMilliseconds)
      row.state.nextAt = wall + Int64(send.delayMilliseconds)
    } else {
      messages[message].place = row.row
      row.state.place = row.row
    }
    if let key = send.content.key {
      join(message, key: digest(send.chain, key), isBusy: send.isKeyBusy)
    }
    if send.delayMilliseconds == 0, canBegin(chain), chains[chain].flows.isEmpty, hasTurn(message) {
      row.state.isUnderWay = true
      take(message, for: chain, holding: HeldContent(content: send.content))
    }
    var stored: StoredOnce?
    if let name {
      let once = OnceName(
        name: name, content: content.low, id: row.id, rememberedMilliseconds: send.rememberedMilliseconds,
        message: message)
      messages[message].once = add(once)
      stored = StoredOnce(
        name: name, content: content, id: row.id, rememberedMilliseconds: send.rememberedMilliseconds)
    }
    write(.insert(row, send.content, once: stored))
    return nil
  }

  mutating func drawRow() -> UInt64 {
    nextRow += 1
    return nextRow - 1
  }

  /// Counts the message where it is counted.
  mutating func add(_ row: StoredMessage, _ chain: UInt32, _ state: KeptMessage.State) -> UInt32 {
    add(row, flow: flow(chain, digest(row.identity)), state)
  }

  mutating func add(_ row: StoredMessage, flow: UInt32, _ state: KeptMessage.State) -> UInt32 {
    let message = messages.add(
      KeptMessage(
        id: row.id, rules: row.rules, expiresAt: .max, flow: flow,
        byteCount: UInt32(clamping: row.byteCount), state: state))
    trees.insert(Pair(row.row), message, into: &rows)
    let (chain, account) = (flows[flow].chain, flows[flow].account)
    flows[flow].count += 1
    accounts[account].messages += 1
    accounts[account].bytes += row.byteCount
    bytes += row.byteCount
    waiting += 1
    chains[chain].waiting += 1
    return message
  }

  /// The row is on disk: its sender hears of it, and it goes its way.
  mutating func inserted(_ row: UInt64) {
    guard let message = trees.find(Pair(row), in: rows), messages[message].state == .storing else { return }
    eachHearer(of: row) { keeper, ticket, isKnown in
      keeper.outputs.append(.accepted(ticket: ticket, keeper.messages[message].id, isKnown: isKnown))
    }
    if messages[message].content != .none {
      messages[message].state = .marking
      messages[message].isMarked = true
      begins.append(row)
    } else if messages[message].dueAt > 0 {
      messages[message].state = .delayed
      chains[flows[messages[message].flow].chain].delayed += 1
      setTimer(message)
    } else {
      wantTry(message)
    }
  }

  /// It is certain that the row is not kept.
  mutating func refuseStored(_ row: UInt64) {
    guard let message = trees.find(Pair(row), in: rows), messages[message].state == .storing else { return }
    eachHearer(of: row) { keeper, ticket, _ in
      keeper.outputs.append(.refused(ticket: ticket, .storeFailed))
      keeper.unhear(row, ticket)
    }
    if messages[message].content != .none { release(message) }
    let once = messages[message].once
    remove(message)
    if once != .none { drop(once) }
  }

  // MARK: Who hears of it

  mutating func hear(_ message: UInt32, _ ticket: UInt64, isKnown: Bool = false) {
    let row = messages[message].row
    trees.insert(Pair(row, ticket), isKnown ? 1 : 0, into: &hearers)
    trees.insert(Pair(ticket), message, into: &tickets)
  }

  mutating func unhear(_ row: UInt64, _ ticket: UInt64) {
    trees.remove(Pair(row, ticket), from: &hearers)
    trees.remove(Pair(ticket), from: &tickets)
  }

  /// Nobody waits for lines of this request any more. A ticket of another request may be used from now on.
  package mutating func senderGone(_ ticket: UInt64) {
    if let message = trees.find(Pair(ticket), in: tickets) { unhear(messages[message].row, ticket) }
  }

  /// At most `limits.hearers`, in the order of their tickets, and whether it was known when they sent it.
  mutating func eachHearer(of row: UInt64, _ body: (inout Keeper, UInt64, Bool) -> Void) {
    var at = trees.find(Pair(row), in: hearers).map { (key: Pair(row), value: $0) }
    at = at ?? trees.next(after: Pair(row), in: hearers)
    while let entry = at, entry.key.first == row {
      body(&self, entry.key.second, entry.value == 1)
      at = trees.next(after: entry.key, in: hearers)
    }
  }

  /// Something is sent again that is there or has been.
  private mutating func hearKnown(_ once: UInt32, _ ticket: UInt64?) -> KeeperRefusal? {
    guard let ticket else { return nil }
    let message = onces[once].message
    let id = onces[once].id
    guard message != .none else {
      outputs.append(.accepted(ticket: ticket, id, isKnown: true))
      outputs.append(.recall(ticket: ticket, id, once: onces[once].name))
      return nil
    }
    let state = messages[message].state
    if state == .dead || state == .leaving {
      outputs.append(.accepted(ticket: ticket, id, isKnown: true))
      outputs.append(.recall(ticket: ticket, id, once: onces[once].name))
      return nil
    }
    var count = 0
    eachHearer(of: messages[message].row) { _, _, _ in count += 1 }
    guard count < limits.hearers else { return .limitReached }
    hear(message, ticket, isKnown: true)
    if state != .storing { outputs.append(.accepted(ticket: ticket, id, isKnown: true)) }
    return nil
  }
}
