package import BatonLasting

extension Keeper {
  /// A page of the dead letters of a chain, the oldest first; `limit` is at most 100. The store reads them whole, so a page
  /// of large ones is shorter. Later ones than `until` are left out; without it, the page tells the last one that is there.
  package mutating func deadLetters(
    of chain: [UInt8], after: StoredID?, until: StoredID? = nil, limit: Int
  ) -> (ids: [StoredID], more: Bool, until: StoredID?) {
    guard let chain = trees.find(digest(chain).pair, in: chainNames) else { return ([], false, nil) }
    var (ids, bytes): ([StoredID], Int) = ([], 0)
    let letters = chains[chain].deadLetters
    var at = if let after { trees.next(after: Pair(after.count, .max), in: letters) } else { trees.first(of: letters) }
    let until = until ?? trees.last(of: letters).map { id(of: $0.value) }
    while let entry = at, let until, entry.key <= Pair(until.count, .max) {
      if ids.count == min(max(limit, 1), 100) || bytes >= limits.bytesReadAtOnce { return (ids, true, until) }
      bytes += byteCount(of: entry.value)
      ids.append(id(of: entry.value))
      at = trees.next(after: entry.key, in: chains[chain].deadLetters)
    }
    return (ids, false, until)
  }

  /// The bytes that the store reads for these dead letters.
  package mutating func bytes(of letters: [StoredID]) -> Int {
    letters.reduce(0) { bytes, id in bytes + (find(id).map { byteCount(of: $0) } ?? 0) }
  }

  /// Where a message is; nil if there is none of that name. A message that has ended is known only by its `once`.
  package mutating func status(of id: StoredID) -> DurableStatus? {
    guard let message = find(id) else { return nil }
    let kept = messages[message]
    let chain = flows[kept.flow].chain
    var status = DurableStatus(chain: chains[chain].name, state: .waiting, tries: kept.tries, lastCause: kept.cause)
    switch kept.state {
    case .storing: status.state = .accepting
    case .delayed: status.state = .delayed
    case .lined, .retrying, .stalled, .ready: break
    case .marking, .underWay: status.state = .underWay
    case .dying, .ending: status.state = .ending
    case .dead, .leaving: status.state = .dead
    }
    let isWaiting = status.state == .waiting || status.state == .delayed
    status.isUndeclared = isWaiting && !chains[chain].isDeclared
    // No try comes before the chain is declared again.
    if status.isUndeclared { return status }
    status.isUncounted = kept.state == .stalled
    if kept.dueAt > now { status.nextTryMilliseconds = kept.dueAt - now }
    return status
  }

  /// `resend`: a new message, with another payload perhaps (then `from` is who asks), takes the place of a dead letter.
  /// `done` names it when it is on disk. Head and payload may have `most` bytes together. Identities take turns with what
  /// they write; without one, connections do (`sender`).
  package mutating func resend(
    _ id: StoredID, ticket: UInt64, payload: [UInt8]?, from: [UInt8]?, by identity: [UInt8] = [], sender: UInt64 = 0,
    most: Int = .max
  ) {
    let request = DeadRequest(
      ticket: ticket, sender: line(of: identity, sender), resend: .init(payload: payload, from: from, most: most))
    ask(id, request)
  }

  /// `discard`: the dead letter goes. `done` comes when that is on disk. Its content is read first: to take it off the disk
  /// needs the same pages, and if the disk did not give them, the commit would fail, and hold up all others.
  package mutating func discard(_ id: StoredID, ticket: UInt64, by identity: [UInt8] = [], sender: UInt64 = 0) {
    ask(id, DeadRequest(ticket: ticket, sender: line(of: identity, sender)))
  }

  private mutating func ask(_ id: StoredID, _ request: DeadRequest) {
    func refuse(_ refusal: DurableRefusal) { outputs.append(.refused(ticket: request.ticket, refusal)) }
    if isDraining || !isOpen { return refuse(.draining) }
    if failingSince != nil { return refuse(.storeFailed) }
    guard let message = find(id), messages[message].state == .dead else { return refuse(.noSuchMessage) }
    if request.resend != nil, !chains[flows[messages[message].flow].chain].isDeclared { return refuse(.notDeclared) }
    messages[message].state = .leaving
    deadRequests[message] = request
    lettersToRead.append(message)
    readLetters()
  }

  /// Has the contents of dead letters read that are asked for, as far as there is room: they are in memory until what was
  /// asked is on disk.
  mutating func readLetters() {
    for _ in 0..<limits.stepsPerTurn {
      guard letterBytes < limits.bytesAtOnce, let message = lettersToRead.removeFirst() else { return }
      guard let request = deadRequests[message] else { continue }
      let bytes = byteCount(of: message) + (request.resend?.payload?.count ?? 0) + 1
      deadRequests[message]?.counted = bytes
      letterBytes += bytes
      wantContent(message)
    }
  }

  /// Whether dead letters that are to be read have room now.
  var lettersWait: Bool { mutating get { !lettersToRead.isEmpty && letterBytes < limits.bytesAtOnce } }

  /// The content of a dead letter that is asked for.
  mutating func letterCame(_ message: Place<MessageRecord>, _ found: Loaded, isKeyBusy: Bool) {
    guard let request = deadRequests[message] else { return }
    guard let resend = request.resend else {
      return write(.discard(messages[message].row, rememberedUntil: 0), of: request.sender)
    }
    guard case .content(var content, _, _) = found else { return refuse(request, of: message, .damaged) }
    if let payload = resend.payload { content.payload = payload }
    guard content.head.count + content.payload.count <= resend.most else {
      return refuse(request, of: message, .tooLarge)
    }
    if let from = resend.from {
      // What stands behind the name, the wishes of the sender, stays.
      let nameEnd = content.from.lastIndex(of: UInt8(ascii: "\""))
      content.from = from + (nameEnd.map { content.from[($0 + 1)...] } ?? [])
    }
    let old = messages[message]
    let (chain, account) = (flows[old.flow].chain, flows[old.flow].account)
    // It takes the place of the old one, and no more than there is.
    let more = content.bytes.count - Int(old.byteCount)
    if hasCountedAll { return refuse(request, of: message, .countedAll) }
    if more > 0, lacksRoomOnDisk { return refuse(request, of: message, .noRoom(.freeBytes)) }
    if more > 0, accounts[account].bytes + more > limits.storedBytes - bytes {
      return refuse(request, of: message, .noRoom(.bytes))
    }
    var row = StoredMessage(
      id: StoredID(start: start, count: drawRow()), identity: [], chain: chains[chain].name, rules: old.rules,
      acceptedAt: wall, resent: id(of: message), byteCount: content.bytes.count, state: TryState())
    row.state.isAgain = true
    row.state.place = row.row
    let new = add(row, flow: old.flow, .storing)
    messages[new].expiresAt = now + UInt64(old.rules.expiresMilliseconds)
    messages[new].isAgain = true
    messages[new].place = row.row
    if let key = content.key { join(new, key: digest(chains[chain].name, key), isBusy: isKeyBusy) }
    deadRequests[message]?.resend?.new = new
    write(.resend(row, content, old: old.row, rememberedUntil: 0), of: request.sender)
  }

  /// It stays a dead letter.
  mutating func refuse(_ request: DeadRequest, of message: Place<MessageRecord>, _ refusal: DurableRefusal) {
    deadRequests[message] = nil
    letterBytes -= request.counted
    messages[message].state = .dead
    outputs.append(.refused(ticket: request.ticket, refusal))
  }

  mutating func resent(_ row: UInt64, _ old: UInt64) {
    guard let new = rows.find(row), let message = rows.find(old) else { return }
    let id = self.id(of: new)
    wantTry(new)
    leave(message, id)
  }

  mutating func discarded(_ row: UInt64) {
    guard let message = rows.find(row) else { return }
    leave(message, id(of: message))
  }

  private mutating func leave(_ message: Place<MessageRecord>, _ id: StoredID) {
    if let request = deadRequests.removeValue(forKey: message) {
      letterBytes -= request.counted
      outputs.append(.done(ticket: request.ticket, id))
    }
    leaveName(message)
  }
}
