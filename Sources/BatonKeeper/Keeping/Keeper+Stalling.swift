package import BatonLasting

/// Tries that do not count: messages wait for links that were empty, and for a time that grows.
extension Keeper {
  /// It waits for the links that it passed, or for its time.
  mutating func stall(_ message: Place<MessageRecord>, _ end: TryEnd) {
    let chain = flows[messages[message].flow].chain
    messages[message].stalls = min(messages[message].stalls, 31) + 1
    let delay = delay(after: UInt32(messages[message].stalls), messages[message].rules)
    messages[message].state = .stalled
    messages[message].dueAt = now + delay
    messages[message].links = 0
    for link in end.passed.prefix(64) { messages[message].links |= Self.bit(digest(link.chain, link.name)) }
    addStalled(message)
    // What a handler had is due at its own time.
    messages[message].isNotPutOff = end.wasOffered
    setTimer(message)
    if end.isOvertaken { wake(message) } else { stopWaking(chain, passed: end.passed) }
  }

  /// The time of a stalled message has come. False if it waits a little longer: a chain repeats such tries one after the
  /// other.
  mutating func mayRepeat(_ message: Place<MessageRecord>) -> Bool {
    if messages[message].isNotPutOff { return true }
    let chain = flows[messages[message].flow].chain
    let from = max(now, chains[chain].repeatFrom)
    chains[chain].repeatFrom = min(from + limits.repeatMilliseconds, now + Keeper.longestWait)
    guard from > now else { return true }
    messages[message].isNotPutOff = true
    messages[message].dueAt = from
    setTimer(message)
    return false
  }

  private static func bit(_ link: Digest) -> UInt64 { 1 << (link.low & 63) }

  mutating func addStalled(_ message: Place<MessageRecord>) {
    let flow = messages[message].flow
    let chain = flows[flow].chain
    if flows[flow].stalled.isEmpty {
      flows[flow].stalledPlace = Pair(chains[chain].wakings, drawTurn())
      trees.insert(flows[flow].stalledPlace, flow, into: &chains[chain].stalledFlows)
    }
    trees.insert(Pair(messages[message].row), message, into: &flows[flow].stalled)
  }

  mutating func unstall(_ message: Place<MessageRecord>) {
    let flow = messages[message].flow
    let chain = flows[flow].chain
    trees.remove(Pair(messages[message].row), from: &flows[flow].stalled)
    messages[message].isNotPutOff = false
    guard flows[flow].stalled.isEmpty else { return }
    trees.remove(flows[flow].stalledPlace, from: &chains[chain].stalledFlows)
    if chains[chain].stalledFlows.isEmpty { chains[chain].repeatFrom = 0 }
  }

  /// The flow comes behind all others of its chain that this waking still goes through; or behind that waking.
  private mutating func putBehind(_ flow: Place<Flow>, in waking: UInt64) {
    let chain = flows[flow].chain
    trees.remove(flows[flow].stalledPlace, from: &chains[chain].stalledFlows)
    flows[flow].stalledPlace = Pair(waking, drawTurn())
    trees.insert(flows[flow].stalledPlace, flow, into: &chains[chain].stalledFlows)
  }

  /// A link causes a try: at once, or, if tries that links have caused did not count, after a time that is twice as long
  /// each time. So a handler that comes and goes causes no more tries than time does. The link is there, so no chain puts
  /// that try off.
  private mutating func wake(_ message: Place<MessageRecord>) {
    messages[message].isNotPutOff = true
    let at = max(now, messages[message].wakeFrom)
    guard at < messages[message].dueAt else { return }
    messages[message].wakeFrom = at + min(1000 << UInt64(min(messages[message].wakes, 20)), Keeper.longestWait)
    messages[message].wakes = min(messages[message].wakes, 31) + 1
    if at > now {
      messages[message].dueAt = at
      setTimer(message)
    } else {
      unstall(message)
      wantTry(message)
      guard messages[message].state == .ready else { return }
      messages[message].isWoken = true
      chains[flows[messages[message].flow].chain].wokenDue += 1
    }
  }

  /// A declared link is served again, or its breaker has closed: what waits for it is tried again. Identities take turns,
  /// and of each the oldest message is the first.
  package mutating func linkServed(_ link: DeclaredPlace) {
    let digest = digest(link.chain, link.name)
    wakeAll(at: Self.bit(digest), by: digest)
  }

  /// The file says something else of chains: whatever messages wait for, it may be in their way no more.
  mutating func fileChanged() { wakeAll(at: .max, by: nil) }

  private mutating func wakeAll(at bits: UInt64, by link: Digest?) {
    var at = trees.first(of: chainNames)
    while let entry = at {
      let chain = entry.value
      if !chains[chain].stalledFlows.isEmpty {
        chains[chain].wokenBy = chains[chain].woken == 0 || chains[chain].wokenBy == link ? link : nil
        chains[chain].woken |= bits
        chains[chain].wakings += 1
        wakesOn = true
        let place = Pair(UInt64(chain.index))
        if trees.find(place, in: waking) == nil { trees.insert(place, chain, into: &waking) }
      }
      at = trees.next(after: entry.key, in: chainNames)
    }
  }

  /// Wakes as many as their chains have room for. So a link that goes again at once has used up few of the tries that are
  /// made for nothing but its coming: the others are woken when it comes the next time.
  mutating func wakeStalled() {
    wakesOn = false
    var steps = limits.stepsPerTurn
    var at = trees.first(of: waking)
    while let entry = at {
      let chain = entry.value
      at = trees.next(after: entry.key, in: waking)
      while chains[chain].woken != 0, chains[chain].wokenDue < chains[chain].window {
        guard steps > 0 else {
          wakesOn = true
          return
        }
        steps -= 1
        guard let first = trees.first(of: chains[chain].stalledFlows), first.key.first <= chains[chain].wakings else {
          chains[chain].woken = 0
          break
        }
        wakeNext(of: first.value)
      }
      if chains[chain].woken == 0 { trees.remove(entry.key, from: &waking) }
    }
  }

  /// Wakes the next message of a flow, if it waits for what has woken its chain.
  private mutating func wakeNext(of flow: Place<Flow>) {
    let chain = flows[flow].chain
    let waking = chains[chain].wakings
    if flows[flow].wokenIn != waking { (flows[flow].wokenIn, flows[flow].wokenUpTo) = (waking, 0) }
    guard let next = trees.next(after: Pair(flows[flow].wokenUpTo), in: flows[flow].stalled) else {
      return putBehind(flow, in: waking + 1)
    }
    flows[flow].wokenUpTo = next.key.first
    guard messages[next.value].links & chains[chain].woken != 0 else { return }
    putBehind(flow, in: waking)
    wake(next.value)
  }

  /// A try has passed links. If the one that wakes others is among them, it has gone again.
  private mutating func stopWaking(_ chain: Place<ChainRecord>, passed links: [DeclaredPlace]) {
    guard chains[chain].woken != 0, let link = chains[chain].wokenBy else { return }
    if links.contains(where: { digest($0.chain, $0.name) == link }) { chains[chain].woken = 0 }
  }
}
