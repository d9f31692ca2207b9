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
      beginToWait(walk, in: chain)
      return false
    }
    let queue = keyQueues.insert(key, in: chain)
    keyQueues[queue].current = walk
    walks[walk].keyQueue = queue
    chains[chain].keys += 1
    return true
  }

  /// Removes a walk from the queue of its key, because its turn has come or its deadline has passed.
  mutating func giveUpTurn(_ walk: Slot<Walk>) {
    let queue = walks[walk].keyQueue
    if queue == KeyQueue.keepers { return endWaiting(walk, in: walks[walk].place.chain) }
    let (previous, next) = (walks[walk].previousAtLink, walks[walk].nextAtLink)
    if previous != .nobody { walks[previous].nextAtLink = next } else { keyQueues[queue].first = next }
    if next != .nobody { walks[next].previousAtLink = previous } else { keyQueues[queue].last = previous }
    walks[walk].keyQueue = .nobody
    endWaiting(walk, in: keyQueues[queue].chain)
  }

  /// Adds a walk to its chain's list of walks that wait for their keys. It has waited least.
  mutating func beginToWait(_ walk: Slot<Walk>, in chain: Slot<Chain>) {
    let last = chains[chain].lastKeyed
    // It may have waited before, for the keeper of durable messages.
    walks[walk].nextKeyed = .nobody
    walks[walk].previousKeyed = last
    if last != .nobody { walks[last].nextKeyed = walk } else { chains[chain].firstKeyed = walk }
    chains[chain].lastKeyed = walk
    chains[chain].keyed += 1
  }

  mutating func endWaiting(_ walk: Slot<Walk>, in chain: Slot<Chain>) {
    let (previous, next) = (walks[walk].previousKeyed, walks[walk].nextKeyed)
    if previous != .nobody { walks[previous].nextKeyed = next } else { chains[chain].firstKeyed = next }
    if next != .nobody { walks[next].previousKeyed = previous } else { chains[chain].lastKeyed = previous }
    chains[chain].keyed -= 1
  }

  /// The walk under way has ended: the next one begins. A walk that ends at once calls this function again. That call
  /// only notes its queue, and `passNextTurns` starts the next walk: so the stack does not grow with the queue.
  mutating func passTurn(of queue: Slot<KeyQueue>, at now: Instant) {
    keyQueues.turns.append(queue)
    if !keyQueues.isPassing { passNextTurns(at: now) }
  }

  /// Begins the walks whose turn has come: some now, the rest in the next turns of the server.
  mutating func passNextTurns(at now: Instant) {
    keyQueues.isPassing = true
    var left = settings.pieces.size
    while left > 0, let queue = keyQueues.turns.first {
      left -= 1
      spent &+= Cost.step
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
        keyQueues[queue].current = walk
        walks[walk].previousAtLink = .nobody
        walks[walk].nextAtLink = .nobody
        beginWalk(walk, at: now)
      }
      _ = keyQueues.turns.popFirst()
    }
    if keyQueues.turns.isEmpty { keyQueues.isPassing = false } else { beginJob(.passTurns) }
  }

  private mutating func forgetKey(_ queue: Slot<KeyQueue>) {
    let chain = keyQueues[queue].chain
    if keyQueues[queue].isWatched {
      desk.ask(.keyFree(chain: Array(chains[chain].name.bytes), key: Array(keyQueues[queue].key.bytes)))
    }
    keyQueues.remove(queue)
    chains[chain].keys -= 1
    forgetIfEmpty(chain)
  }
}
