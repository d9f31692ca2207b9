/// Tries that do not count: messages wait for links that were empty, and for a time that grows.
extension Keeper {
  /// It waits for the links that it passed, or for its time.
  mutating func stall(_ message: UInt32, _ end: TryEnd) {
    let chain = flows[messages[message].flow].chain
    messages[message].stalls = min(messages[message].stalls, 31) + 1
    let delay = delay(after: UInt32(messages[message].stalls), messages[message].rules)
    messages[message].state = .stalled
    messages[message].dueAt = now + delay
    messages[message].links = 0
    for link in end.passed.prefix(64) { messages[message].links |= bit(link) }
    trees.insert(Pair(messages[message].row), message, into: &chains[chain].stalled)
    setTimer(message)
    if end.isOvertaken { wake(message) }
  }

  /// The time of a stalled message has come. False if it waits a little longer: a chain repeats such tries one after the
  /// other.
  mutating func mayRepeat(_ message: UInt32) -> Bool {
    if messages[message].isQueued { return true }
    let chain = flows[messages[message].flow].chain
    let from = max(now, chains[chain].repeatFrom)
    // However many there are, none waits for more than ten minutes.
    chains[chain].repeatFrom = min(from + limits.repeatMilliseconds, now + 600_000)
    guard from > now else { return true }
    messages[message].isQueued = true
    messages[message].dueAt = from
    setTimer(message)
    return false
  }

  private func bit(_ link: KeptLink) -> UInt64 { 1 << (digest(link.chain, link.name).low & 63) }

  mutating func unstall(_ message: UInt32) {
    let chain = flows[messages[message].flow].chain
    trees.remove(Pair(messages[message].row), from: &chains[chain].stalled)
    messages[message].isQueued = false
    if chains[chain].stalled.isEmpty { chains[chain].repeatFrom = 0 }
  }

  /// A link causes a try: at once, or, if tries that links have caused did not count, after a time that is twice as long
  /// each time. So a handler that comes and goes causes no more tries than time does. The link is there, so no chain puts
  /// that try off.
  private mutating func wake(_ message: UInt32) {
    messages[message].isQueued = true
    let at = max(now, messages[message].wakeFrom)
    guard at < messages[message].dueAt else { return }
    messages[message].wakeFrom = at + min(1000 << UInt64(min(messages[message].wakes, 20)), 600_000)
    messages[message].wakes = min(messages[message].wakes, 31) + 1
    if at > now {
      messages[message].dueAt = at
      setTimer(message)
    } else {
      unstall(message)
      wantTry(message)
    }
  }

  /// A declared link is served again, or its breaker has closed: what waits for it is tried again, the oldest first.
  package mutating func linkServed(_ link: KeptLink) { wakeAll(at: bit(link)) }

  /// The file says something else of chains: whatever messages wait for, it may be in their way no more.
  mutating func fileChanged() { wakeAll(at: .max) }

  private mutating func wakeAll(at bits: UInt64) {
    var at = trees.first(of: chainNames)
    while let entry = at {
      if !chains[entry.value].stalled.isEmpty {
        chains[entry.value].woken |= bits
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
        if messages[next.value].links & chains[chain].woken != 0 { wake(next.value) }
      }
    }
    wakesWait = false
  }
}
