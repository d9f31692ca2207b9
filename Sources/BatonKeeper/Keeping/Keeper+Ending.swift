extension Keeper {
  /// The end is on disk: who waits hears of it, and its key has the next turn.
  mutating func ended(_ row: UInt64, _ result: [UInt8]) {
    guard let message = rows.find(row), messages[message].state == .ending else { return }
    tell(message, result, isDead: false)
    let once = messages[message].once
    remove(message)
    if once != .none { remember(once) }
  }

  private mutating func tell(_ message: UInt32, _ result: [UInt8]?, isDead: Bool, isDamaged: Bool = false) {
    let (id, number) = (messages[message].id, messages[message].lastTry)
    eachHearer(of: message) { keeper, hearer in
      keeper.outputs.append(
        .result(ticket: hearer.ticket, id, try: number, isDead: isDead, bytes: result, isDamaged: isDamaged))
      keeper.senderGone(hearer.ticket)
    }
  }

  /// It will be a dead letter as soon as that is on disk.
  mutating func becomeDead(_ message: UInt32, result: [UInt8]?, isDamaged: Bool = false) {
    messages[message].state = .ending
    messages[message].dueAt = 0
    setTimer(message)
    if isDamaged { messages[message].isLoading = true }
    write(.dead(messages[message].row, state(of: message), result: result))
  }

  /// It is one.
  mutating func died(_ row: UInt64, _ result: [UInt8]?) {
    guard let message = rows.find(row), messages[message].state == .ending else { return }
    let isDamaged = messages[message].isLoading
    messages[message].isLoading = false
    // Somebody has asked for its end since that was written without its last result: the disk alone has that.
    if result == nil, !isDamaged, messages[message].cause != nil, !messages[message].isMarked,
      messages[message].hearer != .none
    {
      messages[message].isMarked = true
      messages[message].state = .dying
      return wantContent(message)
    }
    tell(message, result, isDead: true, isDamaged: isDamaged)
    let chain = flows[messages[message].flow].chain
    bury(message)
    outputs.append(.died(messages[message].id, chain: chains[chain].name, isDamaged: isDamaged))
    leaveLine(message)
  }

  /// Counts it among the dead letters of its chain.
  mutating func bury(_ message: UInt32) {
    let flow = messages[message].flow
    let chain = flows[flow].chain
    messages[message].state = .dead
    waiting -= 1
    chains[chain].waiting -= 1
    accounts[flows[flow].account].messages -= 1
    chains[chain].dead += 1
    flows[flow].dead += 1
    trees.insert(Pair(messages[message].row), message, into: &chains[chain].deadLetters)
  }

  /// A try that was given has not begun, and will not: it is taken back, and was not under way.
  package mutating func takeBack(_ id: StoredID) {
    guard let message = find(id), messages[message].state == .underWay else { return }
    release(message)
    if messages[message].cause == nil { messages[message].lastTry = messages[message].tries }
    write(.state(id.count, state(of: message), result: nil))
    wantTry(message)
  }

  // MARK: Once

  mutating func add(_ once: OnceName) -> UInt32 {
    let place = onces.add(once)
    onceNames.insert(once.name.low, place)
    return place
  }

  /// The message has gone; its name is kept for its time.
  mutating func remember(_ once: UInt32) {
    onces[once].message = .none
    keep(once, until: now + UInt64(onces[once].rememberedMilliseconds))
  }

  mutating func keep(_ once: UInt32, until time: UInt64) {
    onces[once].forgetAt = time
    trees.insert(Pair(time, UInt64(once)), once, into: &forgetting)
  }

  mutating func drop(_ once: UInt32) {
    onceNames.remove(onces[once].name.low, once)
    if onces[once].forgetAt != 0 { trees.remove(Pair(onces[once].forgetAt, UInt64(once)), from: &forgetting) }
    let blank = onces[once]
    onces.remove(once, blank: blank)
  }

  mutating func forgetNames() {
    for _ in 0..<limits.stepsPerTurn {
      guard let first = trees.first(of: forgetting), first.key.first <= now else { return }
      write(.forget(onces[first.value].name, of: onces[first.value].id.count))
      drop(first.value)
    }
  }
}
