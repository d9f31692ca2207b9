package import BatonLasting

extension Keeper {
  /// The end is on disk: who waits hears of it, and its key has the next turn.
  mutating func ended(_ row: UInt64, _ result: [UInt8]) {
    guard let message = rows.find(row), messages[message].state == .ending else { return }
    tell(message, result, isDead: false)
    leaveName(message)
  }

  /// The message goes; its name, if it has one, is kept for its time, with the result.
  mutating func leaveName(_ message: Place<MessageRecord>) {
    let (once, resultCount) = (messages[message].once, Int(messages[message].resultCount))
    remove(message)
    if once != .none { remember(once, for: UInt64(onces[once].rememberedMilliseconds), resultCount: resultCount) }
  }

  private mutating func tell(_ message: Place<MessageRecord>, _ result: [UInt8]?, isDead: Bool) {
    let id = id(of: message)
    eachHearer(of: message) { keeper, hearer in
      keeper.outputs.append(.result(ticket: hearer.ticket, id, isDead: isDead, bytes: result))
      keeper.senderGone(hearer.ticket)
    }
  }

  /// It will be a dead letter as soon as that is on disk.
  mutating func becomeDead(_ message: Place<MessageRecord>, result: TryResult?, isDamaged: Bool = false) {
    countUnreadableNoMore(message)
    messages[message].state = .ending
    messages[message].dueAt = 0
    setTimer(message)
    if isDamaged { messages[message].isLoading = true }
    let account = flows[messages[message].flow].account
    write(.dead(messages[message].row, state(of: message), result: result), of: accounts[account].digest)
  }

  /// It is one.
  mutating func died(_ row: UInt64, _ result: [UInt8]?) {
    guard let message = rows.find(row), messages[message].state == .ending else { return }
    let isDamaged = messages[message].isLoading
    messages[message].isLoading = false
    // Somebody has asked for its end since that was written without its last result: the disk alone has that.
    let isAsked = messages[message].hearer != .none && !messages[message].isMarked
    if result == nil, messages[message].cause != nil, isAsked {
      messages[message].isMarked = true
      messages[message].state = .dying
      return wantContent(message)
    }
    tell(message, result, isDead: true)
    let chain = flows[messages[message].flow].chain
    bury(message)
    outputs.append(.died(id(of: message), chain: chains[chain].name, isDamaged: isDamaged))
    leaveLine(message)
  }

  /// Counts it among the dead letters of its chain.
  mutating func bury(_ message: Place<MessageRecord>) {
    let flow = messages[message].flow
    let chain = flows[flow].chain
    messages[message].state = .dead
    waiting -= 1
    chains[chain].waiting -= 1
    accounts[flows[flow].account].messages -= 1
    chains[chain].dead += 1
    if flows[flow].dead == 0 { chains[chain].deadOwners += 1 }
    flows[flow].dead += 1
    trees.insert(Pair(messages[message].row), message, into: &chains[chain].deadLetters)
  }

  /// A try that was given has not begun, and will not: it is taken back, and was not under way.
  package mutating func takeBack(_ id: StoredID) {
    guard let message = find(id), messages[message].state == .underWay else { return }
    release(message)
    write(.state(id.count, state(of: message), result: nil))
    wantTry(message)
  }

  /// A try is still open when the time for draining is over: it has no end, and does not count. Handlers may have had its
  /// offers, and may have one until the server is gone.
  package mutating func cutOff(_ id: StoredID) {
    guard let message = find(id) else { return }
    messages[message].isAgain = messages[message].isAgain || messages[message].state == .underWay
    takeBack(id)
  }

  // MARK: Once

  mutating func add(_ once: OnceName) -> Place<OnceName> {
    let place = onces.add(once)
    onceNames.insert(once.name.low, place)
    accounts[once.account].names += 1
    return place
  }

  /// The message has gone; its name is kept for so many milliseconds, with a result of so many bytes.
  mutating func remember(_ once: Place<OnceName>, for milliseconds: UInt64, resultCount: Int) {
    let (time, account) = (now + milliseconds, onces[once].account)
    (onces[once].message, onces[once].forgetAt) = (.none, time)
    onces[once].resultCount = UInt32(clamping: resultCount)
    trees.insert(Pair(time, UInt64(once.index)), once, into: &forgetting)
    remembered += 1
    if accounts[account].remembered == 0 { rememberers += 1 }
    accounts[account].remembered += 1
    count(bytes: Int(onces[once].resultCount), of: account)
  }

  mutating func drop(_ once: Place<OnceName>) {
    let old = onces[once]
    onceNames.remove(old.name.low, once)
    if trees.remove(Pair(old.forgetAt, UInt64(once.index)), from: &forgetting) {
      remembered -= 1
      accounts[old.account].remembered -= 1
      if accounts[old.account].remembered == 0 { rememberers -= 1 }
      count(bytes: -Int(old.resultCount), of: old.account)
    }
    accounts[old.account].names -= 1
    onces.remove(once, blank: old)
    forgetIfEmpty(account: old.account)
  }

  mutating func forgetNames() {
    for _ in 0..<limits.stepsPerTurn {
      guard let first = trees.first(of: forgetting), first.key.first <= now else { return }
      write(.forget(onces[first.value].name, of: onces[first.value].row))
      drop(first.value)
    }
  }
}
