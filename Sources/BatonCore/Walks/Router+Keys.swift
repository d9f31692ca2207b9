/// Messages of the same chain and key walk one at a time, in the order in which they came in (contract, section 4).
extension Router {
  /// Puts a walk into the queue of its key. Returns true if no message of this key is under way: the walk may then
  /// begin.
  mutating func takesTurn(_ walk: Slot<Walk>, key: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> Bool {
    if let queue = keyQueues.find(key, in: chain) {
      let last = keyQueues[queue].last
      walks[walk].previousAtLink = last
      if last != .nobody { walks[last].nextAtLink = walk } else { keyQueues[queue].first = walk }
      keyQueues[queue].last = walk
      walks[walk].keyQueue = queue
      chains[chain].keyed += 1
      return false
    }
    walks[walk].keyQueue = keyQueues.insert(key, in: chain)
    chains[chain].keys += 1
    return true
  }

  /// Removes a walk from the queue of its key, because its turn has come or its deadline has passed.
  mutating func giveUpTurn(_ walk: Slot<Walk>) {
    let queue = walks[walk].keyQueue
    let (previous, next) = (walks[walk].previousAtLink, walks[walk].nextAtLink)
    if previous != .nobody { walks[previous].nextAtLink = next } else { keyQueues[queue].first = next }
    if next != .nobody { walks[next].previousAtLink = previous } else { keyQueues[queue].last = previous }
    walks[walk].keyQueue = .nobody
    chains[keyQueues[queue].chain].keyed -= 1
  }

  /// The walk under way has ended: the next one begins. A walk that ends at once calls this function again. That call
  /// only notes its queue, and the loop here starts the next walk: so the stack does not grow with the queue.
  mutating func passTurn(of queue: Slot<KeyQueue>, at now: Instant) {
    keyQueues.turns.append(queue)
    guard keyQueues.turns.count == 1 else { return }
    while let queue = keyQueues.turns.first {
      let walk = keyQueues[queue].first
      if walk == .nobody {
        forgetKey(queue)
      } else if isOver(walk, at: now) {
        // Its deadline passed in this turn, before its timer fired. No handler is asked, and the next walk gets its
        // turn.
        giveUpTurn(walk)
        traceKeyWait(of: walk, at: now)
        endWalk(walk, .timeout, by: .empty, at: now)
        continue
      } else {
        giveUpTurn(walk)
        walks[walk].keyQueue = queue
        walks[walk].previousAtLink = .nobody
        walks[walk].nextAtLink = .nobody
        beginWalk(walk, at: now)
      }
      keyQueues.turns.removeFirst()
    }
  }

  private mutating func forgetKey(_ queue: Slot<KeyQueue>) {
    let chain = keyQueues[queue].chain
    keyQueues.remove(queue)
    chains[chain].keys -= 1
    forgetIfEmpty(chain)
  }
}
