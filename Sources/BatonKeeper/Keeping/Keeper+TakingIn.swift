package import BatonLasting

extension Keeper {
  /// A durable send. Its lines follow: `accepted` and `result`, or an error.
  package mutating func takeIn(_ send: DurableMessage) {
    if let refusal = refusal(send) {
      if let ticket = send.ticket { outputs.append(.refused(ticket: ticket, refusal)) }
    }
  }

  private mutating func refusal(_ send: DurableMessage) -> DurableRefusal? {
    guard isOpen else { return .draining }
    let name = send.once.map { (own: digest(send.identity, $0), content: contentDigest(send)) }
    if let name, let once = onceNames.find(name.own.low, where: { onces[$0].name == name.own }) {
      guard onces[once].content == name.content.low else { return .onceMismatch }
      return hearKnown(once, send.ticket)
    }
    if isDraining { return .draining }
    // A sender that asks again for what is kept gets no answer that would mean the contrary.
    if failingSince != nil { return .storeFailed }
    guard let chain = trees.find(lastChain.of(send.chain, secret).pair, in: chainNames), chains[chain].isDeclared else {
      return .notDeclared
    }
    let identity = lastIdentity.of(send.identity, secret)
    if let refusal = refusalForRoom(send, chain, identity) { return refusal }
    var row = StoredMessage(
      id: StoredID(start: start, count: drawRow()), identity: send.identity, chain: send.chain, rules: send.rules,
      acceptedAt: wall, resent: nil, byteCount: send.content.bytes.count, state: TryState())
    let message = add(row, flow: flow(chain, identity, named: send.identity), .storing)
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
        name: name.own, content: name.content.low, row: row.row, start: messages[message].start,
        rememberedMilliseconds: send.rememberedMilliseconds, message: message,
        account: flows[messages[message].flow].account)
      messages[message].once = add(once)
      stored = StoredOnce(
        name: name.own, content: name.content, id: row.id, identity: identity,
        rememberedMilliseconds: send.rememberedMilliseconds)
    }
    let line = line(of: send.identity, send.sender)
    write(
      Unstored(inserting: .insert(row, send.content, once: stored), row: row.row, bytes: row.byteCount), of: line)
    return nil
  }

  mutating func drawRow() -> UInt64 {
    nextRow += 1
    return nextRow - 1
  }

  /// What must be the same if a message is sent again under its name.
  private mutating func contentDigest(_ send: DurableMessage) -> Digest {
    var hash = KeyedHash(secret)
    hash.add(part: send.chain)
    send.content.withParts { head, _, key, payload in
      for part in [head, key, payload] { hash.add(part: part) }
    }
    hash.add(part: [send.content.hasKey ? 1 : 0])
    return hash.digest()
  }

  /// Counts the message where it is counted.
  mutating func add(_ row: StoredMessage, flow: Place<Flow>, _ state: MessageRecord.State) -> Place<MessageRecord> {
    let message = messages.add(
      MessageRecord(
        row: row.row, rules: row.rules, expiresAt: .max, start: place(of: row.id.start), flow: flow,
        byteCount: UInt32(clamping: row.byteCount), state: state))
    rows.insert(row.row, message)
    let (chain, account) = (flows[flow].chain, flows[flow].account)
    flows[flow].count += 1
    accounts[account].messages += 1
    count(bytes: row.byteCount, of: account)
    waiting += 1
    chains[chain].waiting += 1
    return message
  }

  /// The row is on disk: its sender hears of it, and it goes its way.
  mutating func inserted(_ row: UInt64) {
    guard let message = rows.find(row), messages[message].state == .storing else { return }
    let id = self.id(of: message)
    eachHearer(of: message) { keeper, hearer in
      keeper.outputs.append(.accepted(ticket: hearer.ticket, id, isKnown: hearer.isKnown))
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
    guard let message = rows.find(row), messages[message].state == .storing else { return }
    eachHearer(of: message) { keeper, hearer in
      keeper.outputs.append(.refused(ticket: hearer.ticket, .storeFailed))
      keeper.senderGone(hearer.ticket)
    }
    if messages[message].content != .none { release(message) }
    let once = messages[message].once
    remove(message)
    if once != .none { drop(once) }
  }

  // MARK: Who hears of it

  mutating func hear(_ message: Place<MessageRecord>, _ ticket: UInt64, isKnown: Bool = false) {
    let new = hearers.add(Hearer(ticket: ticket, message: message, isKnown: isKnown))
    tickets.insert(ticket, new)
    guard messages[message].hearer != .none else { return messages[message].hearer = new }
    var last = messages[message].hearer
    while hearers[last].next != .none { last = hearers[last].next }
    hearers[last].next = new
  }

  /// Nobody waits for lines of this request any more. A ticket of another request may be used from now on.
  package mutating func senderGone(_ ticket: UInt64) {
    guard let gone = tickets.find(ticket) else { return }
    tickets.remove(ticket, gone)
    let hearer = hearers[gone]
    if messages[hearer.message].hearer == gone {
      messages[hearer.message].hearer = hearer.next
    } else {
      var before = messages[hearer.message].hearer
      while hearers[before].next != gone { before = hearers[before].next }
      hearers[before].next = hearer.next
    }
    hearers.remove(gone, blank: hearer)
  }

  /// The sender has gone, or perhaps it has: where too many wait for lines about one message, this one makes room.
  package mutating func senderHasPerhapsGone(_ ticket: UInt64) {
    if let hearer = tickets.find(ticket) { hearers[hearer].hasPerhapsGone = true }
  }

  /// Whether one more may wait for lines about the message. The first one that has perhaps gone may have made room.
  private mutating func makeRoom(besideHearersOf message: Place<MessageRecord>) -> Bool {
    var (count, gone): (Int, UInt64?) = (0, nil)
    eachHearer(of: message) { _, hearer in
      count += 1
      if hearer.hasPerhapsGone { gone = gone ?? hearer.ticket }
    }
    guard count >= limits.hearers else { return true }
    guard let gone else { return false }
    outputs.append(.refused(ticket: gone, .limitReached))
    senderGone(gone)
    return true
  }

  /// At most `limits.hearers`, in the order in which they came. `body` may let the one go that it gets.
  mutating func eachHearer(of message: Place<MessageRecord>, _ body: (inout Keeper, Hearer) -> Void) {
    var at = messages[message].hearer
    while at != .none {
      let hearer = hearers[at]
      body(&self, hearer)
      at = hearer.next
    }
  }

  /// Something is sent again that is there or has been.
  private mutating func hearKnown(_ once: Place<OnceName>, _ ticket: UInt64?) -> DurableRefusal? {
    guard let ticket else { return nil }
    let message = onces[once].message
    let id = self.id(ofName: once)
    guard message != .none else {
      outputs.append(.accepted(ticket: ticket, id, isKnown: true))
      let bytes = Int(onces[once].resultCount)
      outputs.append(.recall(ticket: ticket, id, once: onces[once].name, bytes: bytes))
      return nil
    }
    let state = messages[message].state
    if state == .dead || state == .leaving {
      outputs.append(.accepted(ticket: ticket, id, isKnown: true))
      outputs.append(.recall(ticket: ticket, id, once: onces[once].name, bytes: byteCount(of: message)))
      return nil
    }
    guard makeRoom(besideHearersOf: message) else { return .limitReached }
    hear(message, ticket, isKnown: true)
    if state != .storing { outputs.append(.accepted(ticket: ticket, id, isKnown: true)) }
    return nil
  }
}
