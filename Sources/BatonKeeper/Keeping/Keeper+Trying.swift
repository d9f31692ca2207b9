package import BatonLasting

extension Keeper {
  /// Whether a try of the chain may begin now.
  mutating func canBegin(_ chain: Place<ChainRecord>) -> Bool {
    failingSince == nil && !isDraining && isOpen && chains[chain].isDeclared
      && chains[chain].open < chains[chain].window && hasRoomForTry
  }

  /// Whether one more try of whatever chain may be open.
  var hasRoomForTry: Bool {
    mutating get { openTries < limits.openTries && openBytes < limits.openBytes && !hasEnoughResults }
  }

  /// The message wants a try: it is ready, or lined up behind others of its key.
  mutating func wantTry(_ message: Place<MessageRecord>) {
    messages[message].dueAt = 0
    messages[message].state = hasTurn(message) ? .ready : .lined
    setTimer(message)
    guard messages[message].state == .ready else { return }
    let flow = messages[message].flow
    let chain = flows[flow].chain
    if flows[flow].ready.isEmpty {
      flows[flow].turn = drawTurn()
      trees.insert(Pair(flows[flow].turn), flow, into: &chains[chain].flows)
    }
    trees.insert(Pair(messages[message].row), message, into: &flows[flow].ready)
    chains[chain].due += 1
    refresh(chain)
  }

  mutating func takeFromReady(_ message: Place<MessageRecord>) {
    let flow = messages[message].flow
    let chain = flows[flow].chain
    trees.remove(Pair(messages[message].row), from: &flows[flow].ready)
    leaveReady(message, of: chain)
    if flows[flow].ready.isEmpty { trees.remove(Pair(flows[flow].turn), from: &chains[chain].flows) }
    refresh(chain)
  }

  private mutating func leaveReady(_ message: Place<MessageRecord>, of chain: Place<ChainRecord>) {
    chains[chain].due -= 1
    guard messages[message].isWoken else { return }
    messages[message].isWoken = false
    chains[chain].wokenDue -= 1
  }

  /// The message takes a place among the open tries, with its content if it is at hand.
  mutating func take(
    _ message: Place<MessageRecord>, for chain: Place<ChainRecord>, holding held: consuming HeldContent?
  ) {
    chains[chain].open += 1
    openTries += 1
    openBytes += Int(messages[message].byteCount)
    messages[message].isMarked = false
    if let held { messages[message].content = contents.add(held) }
    refresh(chain)
  }

  /// It gives that place back.
  mutating func release(_ message: Place<MessageRecord>) {
    let chain = flows[messages[message].flow].chain
    chains[chain].open -= 1
    if messages[message].state == .underWay { chains[chain].underWay -= 1 }
    openTries -= 1
    openBytes -= Int(messages[message].byteCount)
    messages[message].isMarked = false
    if messages[message].content != .none {
      contents.remove(messages[message].content, blank: HeldContent.empty)
      messages[message].content = .none
    }
    refresh(chain)
  }

  /// Chains take turns, and within a chain identities; within an identity the oldest message is the first.
  mutating func chooseTries() {
    guard !isDraining else { return }
    for _ in 0..<limits.stepsPerTurn {
      guard hasRoomForTry, !hasEnoughToRead, let next = trees.first(of: runnable) else { return }
      let chain = next.value
      guard let first = trees.first(of: chains[chain].flows), let entry = trees.first(of: flows[first.value].ready)
      else {
        return
      }
      let (flow, message) = (first.value, entry.value)
      trees.remove(next.key, from: &runnable)
      chains[chain].turn = 0
      trees.remove(first.key, from: &chains[chain].flows)
      trees.remove(entry.key, from: &flows[flow].ready)
      leaveReady(message, of: chain)
      if !flows[flow].ready.isEmpty {
        flows[flow].turn = drawTurn()
        trees.insert(Pair(flows[flow].turn), flow, into: &chains[chain].flows)
      }
      messages[message].state = .marking
      messages[message].marks += 1
      setTimer(message)
      take(message, for: chain, holding: nil)
      write(.state(messages[message].row, state(of: message, isUnderWay: true), result: nil))
      wantContent(message)
    }
  }

  /// What the row of a message says of its tries now.
  mutating func state(of message: Place<MessageRecord>, isUnderWay: Bool = false) -> TryState {
    let kept = messages[message]
    var state = TryState()
    (state.tries, state.lastTry, state.isUnderWay) = (kept.tries, kept.lastTry, isUnderWay)
    (state.isAgain, state.place, state.cause) = (kept.isAgain, kept.place, kept.cause)
    state.isStalled = kept.state == .stalled
    if kept.dueAt > now { state.nextAt = wall + Int64(kept.dueAt - now) }
    return state
  }

  /// The mark of a try is on disk.
  mutating func marked(_ row: UInt64) {
    guard let message = rows.find(row) else { return }
    messages[message].marks = max(1, messages[message].marks) - 1
    guard messages[message].state == .marking, messages[message].marks == 0 else { return }
    messages[message].isMarked = true
    if messages[message].content != .none { begins.append(row) }
  }

  /// What it says cannot be read now: it gives its place back, and has another one in a second. It was not under way.
  mutating func putOff(_ message: Place<MessageRecord>) {
    release(message)
    messages[message].state = .retrying
    messages[message].dueAt = now + 1000
    setTimer(message)
    write(.state(messages[message].row, state(of: message), result: nil))
  }

  mutating func contentCame(_ message: Place<MessageRecord>, _ found: Loaded) {
    guard case .content(let content, _, let resent) = found else {
      release(message)
      damaged += 1
      // That is its end, also where its bytes can be read again later.
      let result = results.damaged(id(of: message), messages[message].lastTry)
      return becomeDead(message, result: fit(result, of: message), isDamaged: true)
    }
    messages[message].content = contents.add(HeldContent(content: content, resent: resent))
    if messages[message].isMarked { begins.append(messages[message].row) }
  }

  /// Tries begin whose marks are on disk and whose contents are there. The window may have become smaller meanwhile, because a
  /// link is served again: what finds no place in it any more takes turns again with what others have.
  mutating func beginTries() {
    for _ in 0..<limits.stepsPerTurn {
      guard let row = begins.removeFirst() else { return }
      guard let message = rows.find(row), messages[message].state == .marking else { continue }
      let chain = flows[messages[message].flow].chain
      guard !isDraining, chains[chain].isDeclared, chains[chain].underWay < chains[chain].window,
        messages[message].content != .none
      else {
        // Its mark is taken back: it was not under way.
        release(message)
        write(.state(row, state(of: message), result: nil))
        wantTry(message)
        continue
      }
      let held = contents.remove(messages[message].content, blank: HeldContent.empty)
      messages[message].content = .none
      messages[message].state = .underWay
      chains[chain].underWay += 1
      let kept = messages[message]
      outputs.append(
        .begin(
          DurableTry(
            stored: id(of: message), chain: chains[chain].name, content: held.content,
            timeoutMilliseconds: kept.rules.timeoutMilliseconds, number: kept.tries + 1, isAgain: kept.isAgain,
            resent: held.resent)))
    }
  }

  /// A try has ended. What is not under way is left alone.
  package mutating func tryEnded(_ id: StoredID, _ end: TryEnd) {
    guard let message = find(id), messages[message].state == .underWay else { return }
    release(message)
    messages[message].cause = end.status
    messages[message].lastTry = messages[message].tries + 1
    if end.wasOffered { messages[message].isAgain = true }
    if end.status == .handled || end.status == .rejected {
      messages[message].state = .ending
      let (account, isNamed) = (flows[messages[message].flow].account, messages[message].once != .none)
      let result = isNamed ? fit(end.result, of: message) : TryResult(end.result)
      // How long it is remembered is said when the store gets it.
      let change = StoreChange.end(id.count, result: result, rememberedUntil: isNamed ? 0 : nil)
      return write(change, of: accounts[account].digest)
    }
    let kept = fit(end.result, of: message)
    if end.counts { messages[message].tries += 1 }
    if messages[message].tries >= messages[message].rules.tries || now >= messages[message].expiresAt {
      return becomeDead(message, result: kept)
    }
    if end.counts { waitForRetry(message) } else { stall(message, end) }
    write(.state(id.count, state(of: message), result: kept.written))
  }

  /// However many tries there were, and however many others wait, none waits for longer before the next one, in ms.
  static var longestWait: UInt64 { 600_000 }

  /// The time before the next try after so many of a kind: twice as long each time, up to `longestWait`, and up to a tenth
  /// more.
  mutating func delay(after count: UInt32, _ rules: TryRules) -> UInt64 {
    let delay = plainDelay(after: count, rules)
    return delay + UInt64(chance.below(Int(delay / 10) + 1))
  }

  private mutating func plainDelay(after count: UInt32, _ rules: TryRules) -> UInt64 {
    var delay = min(UInt64(rules.retryMilliseconds), Keeper.longestWait)
    for _ in 1..<min(max(count, 1), 32) { delay = min(delay * 2, Keeper.longestWait) }
    return delay
  }

  /// What may pass at most before the next try of a message that a start finds. How many of its tries did not count is
  /// not written: their times begin anew.
  mutating func longestDelay(before state: TryState, _ rules: TryRules) -> Int64 {
    let delay = plainDelay(after: state.isStalled ? 1 : state.tries, rules)
    return Int64(delay + delay / 10)
  }

  private mutating func waitForRetry(_ message: Place<MessageRecord>) {
    (messages[message].stalls, messages[message].wakes) = (0, 0)
    messages[message].state = .retrying
    messages[message].dueAt = now + delay(after: messages[message].tries, messages[message].rules)
    setTimer(message)
  }

  /// No try begins any more; what is open may end.
  package mutating func drain() { isDraining = true }
}

extension HeldContent {
  static let empty = HeldContent(content: DurableContent(head: [], from: [], key: nil, payload: []), resent: nil)
}
