internal import BatonLasting

/// Limits that identities share (contract, section 15): an identity may have as much as is still free.
extension Keeper {
  /// Why there is no room for the message; nil if there is.
  mutating func refusalForRoom(_ send: DurableMessage, _ chain: Place<ChainRecord>, _ identity: Digest)
    -> DurableRefusal?
  {
    if lacksRoomOnDisk { return .noRoom(.freeBytes) }
    if hasCountedAll { return .countedAll }
    let account = trees.find(identity.pair, in: accountNames)
    let own = account.map { accounts[$0] }
    if send.once != nil, !hasRoom(own?.remembered ?? 0, of: remembered, rememberers, most: limits.remembered) {
      return .noRoom(.remembered)
    }
    if (own?.messages ?? 0) >= limits.storedMessages - waiting { return .noRoom(.messages) }
    if (own?.bytes ?? 0) + send.content.bytes.count > limits.storedBytes - bytes { return .noRoom(.bytes) }
    let flow = account.flatMap { trees.find(Pair(UInt64(chain.index), UInt64($0.index)), in: flowPlaces) }
    let dead = flow.map { flows[$0].dead } ?? 0
    let hasRoom = hasRoom(dead, of: chains[chain].dead, chains[chain].deadOwners, most: limits.deadLetters)
    return hasRoom ? nil : .noRoom(.deadLetters)
  }

  /// Whether an identity that has `own` of them may have more, where `owners` identities have them all. What was stored
  /// before its end may bring one above the limit: the others keep a part. All parts together are less than the limit, for
  /// 1/2 + 1/6 + 1/12 + … + 1/k(k + 1) is less than 1.
  private mutating func hasRoom(_ own: Int, of all: Int, _ owners: Int, most: Int) -> Bool {
    let place = owners + (own > 0 ? 0 : 1)
    return own < most - all || own < most / place / (place + 1)
  }

  /// Whether an identity with `own`, where so much is free, could not have a third more: it has three quarters of its part.
  private mutating func isNear(own: Int, free: Int) -> Bool {
    let more = own / 3 + 1
    return own > 0 && own + more > free - more
  }

  private mutating func isNear(dead own: Int, _ chain: Place<ChainRecord>) -> Bool {
    let (more, all, owners) = (own / 3 + 1, chains[chain].dead, chains[chain].deadOwners)
    return own > 0 && !hasRoom(own + more - 1, of: all + more - 1, owners, most: limits.deadLetters)
  }

  /// The identities that have nearly used up their part of a limit: of `limit` identities, and of the dead letters of `limit`
  /// of them and chains. All of what is free may go to one identity as long as no other one has more of it: so it may have
  /// half of what the others leave.
  mutating func nearShares(limit: Int) -> [DurableFinding] {
    var found: [DurableFinding] = []
    func look(_ limit: StoreLimit, _ account: Place<Account>, _ own: Int, _ free: Int) {
      guard isNear(own: own, free: free) else { return }
      // Rounded up: the last one is taken while there is as much left.
      found.append(.share(limit, identity: identities[account] ?? [], used: own, of: max(0, own + free + 1) / 2))
    }
    var at = trees.first(of: accountNames)
    for _ in 0..<limit {
      guard let entry = at else { break }
      look(.messages, entry.value, accounts[entry.value].messages, limits.storedMessages - waiting)
      look(.bytes, entry.value, accounts[entry.value].bytes, limits.storedBytes - bytes)
      at = trees.next(after: entry.key, in: accountNames)
    }
    var next = trees.first(of: flowPlaces)
    for _ in 0..<limit {
      guard let entry = next else { break }
      let flow = flows[entry.value]
      if isNear(dead: flow.dead, flow.chain) {
        let (chain, owners) = (chains[flow.chain], max(1, chains[flow.chain].deadOwners))
        let most = max(
          (flow.dead + limits.deadLetters - chain.dead + 1) / 2, limits.deadLetters / owners / (owners + 1))
        let identity = identities[flow.account] ?? []
        found.append(.share(.deadLetters, identity: identity, used: flow.dead, of: most, chain: chain.name))
      }
      next = trees.next(after: entry.key, in: flowPlaces)
    }
    return found
  }
}
