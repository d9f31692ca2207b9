/// Keys of declared chains on a server with a store (contract, section 15, `Order`): the keeper knows whether durable
/// messages of the key came before. So it is asked before a message walks.
extension Router {
  /// A message with a key waits until the keeper lets it go. Its deadline counts meanwhile.
  @inline(never)
  mutating func waitForKeeper(_ walk: Slot<Walk>, in chain: Slot<Chain>, at now: Instant) {
    walks[walk].keyQueue = KeyQueue.keepers
    chains[chain].keys += 1
    beginToWait(walk, in: chain)
    walks[walk].due = walks[walk].deadline
    walks[walk].reached = now
    desk.ask(
      .ordinaryCame(
        walks.ref(walk).number, chain: Array(chains[chain].name.bytes), key: Array(request.text(.key))))
    armWalk(walk)
  }

  /// The keeper has durable messages of its key: it waits for its turn.
  package mutating func waitsForKey(_ number: UInt64, at now: Instant) {
    guard let walk = waitingForKeeper(number) else { return }
    recordSteps(of: walk, before: walks[walk].hops)
    traceKeyWait(of: walk, at: now)
  }

  /// Its turn has come. `isKept`: the keeper orders its key, and hears of its end. Otherwise the messages of its key that
  /// are under way come before it.
  mutating func takeDurableTurn(_ number: UInt64, isKept: Bool, at now: Instant) {
    guard let walk = waitingForKeeper(number) else { return }
    endWaiting(walk, in: walks[walk].place.chain)
    if isKept {
      beginOrEnd(walk, at: now)
    } else {
      walks[walk].keyQueue = .nobody
      let chain = walks[walk].place.chain
      chains[chain].keys -= 1
      let quoted = OwnedBytes(copying: walks[walk].message.key)
      let key = OwnedBytes(quoted.unquoted)
      if takesTurn(walk, key: key.bytes, in: chain) {
        beginOrEnd(walk, at: now)
      } else {
        recordSteps(of: walk, before: walks[walk].hops)
        traceKeyWait(of: walk, at: now)
      }
      extendLifetime(key)
      extendLifetime(quoted)
    }
  }

  private mutating func beginOrEnd(_ walk: Slot<Walk>, at now: Instant) {
    guard isOver(walk, at: now) else { return beginWalk(walk, at: now) }
    traceKeyWait(of: walk, at: now)
    endWalk(walk, .timeout, by: .empty, at: now)
  }

  /// One whose end waits for the record waits for no turn any more.
  private mutating func waitingForKeeper(_ number: UInt64) -> Slot<Walk>? {
    let ref = Ref<Walk>(number: number)
    guard walks.contains(ref), walks[ref.slot].keyQueue == KeyQueue.keepers, walks[ref.slot].place.entered < 0,
      !walks[ref.slot].isHeld
    else { return nil }
    return ref.slot
  }

  /// Whether messages of the key are under way that the keeper does not know. It is told when they have ended.
  package mutating func watchesKey(_ key: [UInt8], of chain: [UInt8]) -> Bool {
    let name = OwnedBytes(copying: chain)
    let text = OwnedBytes(copying: key)
    defer {
      extendLifetime(name)
      extendLifetime(text)
    }
    guard let chain = findChain(name.bytes), let queue = keyQueues.find(text.bytes, in: chain) else { return false }
    keyQueues[queue].isWatched = true
    return true
  }
}
