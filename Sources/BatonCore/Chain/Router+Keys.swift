/// Messages of the same chain and key walk one at a time, in the order in which they came in (contract, section 4).
extension Router {
  /// Puts a walk into the queue of its key. True where it is its turn at once.
  mutating func takesTurn(_ walk: UInt32, key: UnsafeRawBufferPointer, in chain: UInt32) -> Bool {
    let hash = nameHash(key, in: chain)
    if let queue = keyNames.find(hash, where: { keyQueues[$0].chain == chain && keyQueues[$0].key.bytes.equals(key) }) {
      let last = keyQueues[queue].last
      walks[walk].previousAtLink = last
      if last != .nobody { walks[last].nextAtLink = walk } else { keyQueues[queue].first = walk }
      keyQueues[queue].last = walk
      walks[walk].keyQueue = queue
      chains[chain].keyed += 1
      return false
    }
    let queue = keyQueues.insert(KeyQueue(chain: chain, key: OwnedBytes(copying: key), hash: hash))
    keyNames.insert(hash, queue)
    chains[chain].keys += 1
    walks[walk].keyQueue = queue
    return true
  }

  /// Takes a walk whose deadline has passed out of the queue of its key.
  mutating func giveUpTurn(_ walk: UInt32) {
    let queue = walks[walk].keyQueue
    let (previous, next) = (walks[walk].previousAtLink, walks[walk].nextAtLink)
    if previous != .nobody { walks[previous].nextAtLink = next } else { keyQueues[queue].first = next }
    if next != .nobody { walks[next].previousAtLink = previous } else { keyQueues[queue].last = previous }
    walks[walk].keyQueue = .nobody
    chains[keyQueues[queue].chain].keyed -= 1
  }

  /// The one under way has ended: the next begins. One that ends at once lets the one behind it begin in turn, here
  /// and not deeper and deeper, however many there are.
  mutating func passTurn(of queue: UInt32, at now: Instant) {
    turns.append(queue)
    guard turns.count == 1 else { return }
    while let queue = turns.first {
      let walk = keyQueues[queue].first
      if walk == .nobody {
        forgetKey(queue)
      } else if isOver(walk, at: now) {
        // Its time has run out in this very turn: nobody is asked any more, and the one behind it is next.
        giveUpTurn(walk)
        traceKeyWait(of: walk, at: now)
        end(walk, .timeout, by: .empty, at: now)
        continue
      } else {
        giveUpTurn(walk)
        walks[walk].keyQueue = queue
        walks[walk].previousAtLink = .nobody
        walks[walk].nextAtLink = .nobody
        begin(walk, at: now)
      }
      turns.removeFirst()
    }
  }

  private mutating func forgetKey(_ queue: UInt32) {
    let chain = keyQueues[queue].chain
    keyNames.remove(keyQueues[queue].hash, queue)
    keyQueues.remove(queue)
    chains[chain].keys -= 1
    forgetIfEmpty(chain)
  }
}
