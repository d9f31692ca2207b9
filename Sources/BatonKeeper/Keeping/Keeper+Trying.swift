extension Keeper {
  /// Whether a try of the chain may begin now.
  func canBegin(_ chain: UInt32) -> Bool {
    failingSince == nil && !isDraining && isOpen && chains[chain].isDeclared
      && chains[chain].open < chains[chain].window && hasRoomForTry
  }

  /// Whether one more try of whatever chain may be open.
  var hasRoomForTry: Bool { openTries < limits.openTries && openBytes < limits.openBytes }

  /// The message wants a try: it is ready, or lined up behind others of its key.
  mutating func wantTry(_ message: UInt32) {
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

  mutating func takeFromReady(_ message: UInt32) {
    let flow = messages[message].flow
    let chain = flows[flow].chain
    trees.remove(Pair(messages[message].row), from: &flows[flow].ready)
    chains[chain].due -= 1
    if flows[flow].ready.isEmpty { trees.remove(Pair(flows[flow].turn), from: &chains[chain].flows) }
    refresh(chain)
  }

  /// The message takes a place among the open tries, with its content if it is at hand.
  mutating func take(_ message: UInt32, for chain: UInt32, holding held: HeldContent?) {
    chains[chain].open += 1
    openTries += 1
    openBytes += Int(messages[message].byteCount)
    messages[message].isMarked = false
    if let held { messages[message].content = contents.add(held) }
    refresh(chain)
  }

  /// It gives that place back.
  mutating func release(_ message: UInt32) {
    let chain = flows[messages[message].flow].chain
    chains[chain].open -= 1
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
      guard hasRoomForTry, let next = trees.first(of: runnable) else { return }
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
      chains[chain].due -= 1
      if !flows[flow].ready.isEmpty {
        flows[flow].turn = drawTurn()
        trees.insert(Pair(flows[flow].turn), flow, into: &chains[chain].flows)
      }
      messages[message].state = .marking
      setTimer(message)
      take(message, for: chain, holding: nil)
      write(.state(messages[message].row, state(of: message, isUnderWay: true), result: nil))
      wantContent(message)
    }
  }

  /// What the row of a message says of its tries now.
  func state(of message: UInt32, isUnderWay: Bool = false) -> TryState {
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
    guard let message = rows.find(row), messages[message].state == .marking else { return }
    messages[message].isMarked = true
    if messages[message].content != .none { begins.append(row) }
  }

  mutating func contentCame(_ message: UInt32, _ found: Loaded) {
    guard case .content(let content, _, let resent) = found else {
      release(message)
      return becomeDead(message, result: nil, isDamaged: true)
    }
    messages[message].content = contents.add(HeldContent(content: content, resent: resent))
    if messages[message].isMarked { begins.append(messages[message].row) }
  }

  /// Tries begin whose marks are on disk and whose contents are there.
  mutating func beginTries() {
    for _ in 0..<limits.stepsPerTurn {
      guard let row = begins.removeFirst() else { return }
      guard let message = rows.find(row), messages[message].state == .marking else { continue }
      let chain = flows[messages[message].flow].chain
      guard !isDraining, chains[chain].isDeclared, messages[message].content != .none else {
        // Its mark is taken back: it was not under way.
        release(message)
        write(.state(row, state(of: message), result: nil))
        wantTry(message)
        continue
      }
      let held = contents.remove(messages[message].content, blank: HeldContent.empty)
      messages[message].content = .none
      messages[message].state = .underWay
      let kept = messages[message]
      messages[message].lastTry = kept.tries + 1
      outputs.append(
        .begin(
          Try(
            stored: kept.id, chain: chains[chain].name, content: held.content,
            timeoutMilliseconds: kept.rules.timeoutMilliseconds, number: kept.tries + 1, isAgain: kept.isAgain,
            resent: held.resent)))
    }
  }

  /// A try has ended. What is not under way is left alone.
  package mutating func tryEnded(_ id: StoredID, _ end: TryEnd) {
    guard let message = find(id), messages[message].state == .underWay else { return }
    release(message)
    messages[message].cause = end.status
    if end.wasOffered { messages[message].isAgain = true }
    if end.status == .handled || end.status == .rejected {
      messages[message].state = .ending
      let until: Int64? = messages[message].once == .none ? nil : 0
      return write(.end(id.count, result: end.result, rememberedUntil: until))
    }
    if end.counts { messages[message].tries += 1 }
    if messages[message].tries >= messages[message].rules.tries || now >= messages[message].expiresAt {
      return becomeDead(message, result: end.result)
    }
    if end.counts { waitForRetry(message) } else { stall(message, end.passed) }
    write(.state(id.count, state(of: message), result: end.result))
  }

  /// Twice as long each time, up to ten minutes, and up to a tenth more.
  private mutating func waitForRetry(_ message: UInt32) {
    let rules = messages[message].rules
    var delay = UInt64(rules.retryMilliseconds)
    for _ in 1..<max(2, min(messages[message].tries, 32)) where messages[message].tries > 1 {
      delay = min(delay * 2, 600_000)
    }
    delay = min(delay, 600_000)
    delay += UInt64(chance.below(Int(delay / 10) + 1))
    messages[message].state = .retrying
    messages[message].dueAt = now + delay
    setTimer(message)
  }

  private mutating func stall(_ message: UInt32, _ passed: [KeptLink]) {
    let chain = flows[messages[message].flow].chain
    let due = max(now + UInt64(messages[message].rules.retryMilliseconds), chains[chain].repeatFrom)
    chains[chain].repeatFrom = due + limits.repeatMilliseconds
    messages[message].state = .stalled
    messages[message].dueAt = due
    messages[message].links = 0
    for link in passed.prefix(64) { messages[message].links |= bit(link) }
    trees.insert(Pair(messages[message].row), message, into: &chains[chain].stalled)
    setTimer(message)
  }

  private func bit(_ link: KeptLink) -> UInt64 { 1 << (digest(link.chain, link.name).low & 63) }

  mutating func unstall(_ message: UInt32) {
    let chain = flows[messages[message].flow].chain
    trees.remove(Pair(messages[message].row), from: &chains[chain].stalled)
    if chains[chain].stalled.isEmpty { chains[chain].repeatFrom = 0 }
  }

  /// A declared link is served again, or its breaker has closed: what waits for it is tried again, the oldest first.
  package mutating func linkServed(_ link: KeptLink) {
    let bit = bit(link)
    var at = trees.first(of: chainNames)
    while let entry = at {
      if !chains[entry.value].stalled.isEmpty {
        chains[entry.value].woken |= bit
        chains[entry.value].wokenUpTo = 0
        wakesWait = true
      }
      at = trees.next(after: entry.key, in: chainNames)
    }
  }

  mutating func wakeStalled() {
    guard wakesWait else { return }
    var steps = limits.stepsPerTurn
    var at = trees.first(of: chainNames)
    while let entry = at {
      let chain = entry.value
      at = trees.next(after: entry.key, in: chainNames)
      while chains[chain].woken != 0 {
        guard steps > 0 else { return }
        steps -= 1
        guard let next = trees.next(after: Pair(chains[chain].wokenUpTo), in: chains[chain].stalled) else {
          chains[chain].woken = 0
          break
        }
        chains[chain].wokenUpTo = next.key.first
        if messages[next.value].links & chains[chain].woken != 0 {
          unstall(next.value)
          wantTry(next.value)
        }
      }
    }
    wakesWait = false
  }

  /// No try begins any more; what is open may end.
  package mutating func drain() { isDraining = true }
}

extension HeldContent {
  static let empty = HeldContent(content: Content(head: [], from: [], key: nil, payload: []), resent: nil)
}
