/// Limits that identities share (contract, section 15): an identity may have as much as is still free.
extension Keeper {
  /// An identity that has nearly used up its part of a limit; of a chain's dead letters, if there is one. It is looked at
  /// again before it is told.
  struct NearShare {
    var identity: [UInt8]
    var digest: Digest
    var chain: [UInt8]?
  }

  /// The last ones that were seen.
  struct NearShares {
    var messages: NearShare?
    var bytes: NearShare?
    var dead: NearShare?
  }

  /// Why there is no room for the message; nil if there is.
  mutating func refusalForRoom(_ send: DurableSend, _ chain: UInt32, _ identity: Digest) -> KeeperRefusal? {
    if lacksRoomOnDisk { return .diskFull }
    if hasCountedAll { return .storeFull }
    let account = trees.find(identity.pair, in: accountNames)
    let own = account.map { accounts[$0] }
    if send.once != nil, !hasRoom(own?.remembered ?? 0, of: remembered, rememberers, most: limits.remembered) {
      return .rememberedFull
    }
    let (ownMessages, count) = (own?.messages ?? 0, send.content.bytes.count)
    let ownBytes = (own?.bytes ?? 0) + count
    if isNear(ownMessages + 1, limits.storedMessages - waiting - 1) { shares.messages = NearShare(send, identity) }
    if isNear(ownBytes, limits.storedBytes - bytes - count) { shares.bytes = NearShare(send, identity) }
    if ownMessages >= limits.storedMessages - waiting { return .tooManyMessages }
    if ownBytes > limits.storedBytes - bytes { return .tooManyBytes }
    guard let own = account.map({ ownDead(chain, $0) }), own > 0 else {
      return hasRoom(0, of: chains[chain].dead, chains[chain].deadOwners, most: limits.deadLetters) ? nil : .tooManyDead
    }
    if isNear(dead: own, chain) { shares.dead = NearShare(send, identity, of: send.chain) }
    return hasRoom(own, of: chains[chain].dead, chains[chain].deadOwners, most: limits.deadLetters) ? nil : .tooManyDead
  }

  private func ownDead(_ chain: UInt32, _ account: UInt32) -> Int {
    trees.find(Pair(UInt64(chain), UInt64(account)), in: flowPlaces).map { flows[$0].dead } ?? 0
  }

  /// Whether an identity that has `own` of them may have more, where `owners` identities have them all. What was stored
  /// before its end may bring one above the limit: the others keep a part. All parts together are less than the limit, for
  /// 1/2 + 1/6 + 1/12 + … + 1/k(k + 1) is less than 1.
  private func hasRoom(_ own: Int, of all: Int, _ owners: Int, most: Int) -> Bool {
    let place = owners + (own > 0 ? 0 : 1)
    return own < most - all || own < most / place / (place + 1)
  }

  /// Whether an identity with `own`, where so much is free, could not have a third more: it has three quarters of its part.
  private func isNear(_ own: Int, _ free: Int) -> Bool {
    let more = own / 3 + 1
    return own > 0 && own + more > free - more
  }

  private func isNear(dead own: Int, _ chain: UInt32) -> Bool {
    let (more, all, owners) = (own / 3 + 1, chains[chain].dead, chains[chain].deadOwners)
    return own > 0 && !hasRoom(own + more - 1, of: all + more - 1, owners, most: limits.deadLetters)
  }

  /// What is told of the last ones that were seen, if it is still so. All of what is free may go to one identity as long as
  /// no other one has more of it: so it may have half of what the others leave.
  var nearShares: [KeeperFinding] {
    var found: [KeeperFinding] = []
    func account(_ share: NearShare) -> UInt32? { trees.find(share.digest.pair, in: accountNames) }
    if let share = shares.messages, let account = account(share) {
      let (own, free) = (accounts[account].messages, limits.storedMessages - waiting)
      if isNear(own, free) { found.append(.share(.messages, share.identity, own, of: max(own, (own + free) / 2))) }
    }
    if let share = shares.bytes, let account = account(share) {
      let (own, free) = (accounts[account].bytes, limits.storedBytes - bytes)
      if isNear(own, free) { found.append(.share(.bytes, share.identity, own, of: max(own, (own + free) / 2))) }
    }
    if let share = shares.dead, let account = account(share), let name = share.chain,
      let chain = trees.find(digest(name).pair, in: chainNames)
    {
      let (own, all, owners) = (ownDead(chain, account), chains[chain].dead, max(1, chains[chain].deadOwners))
      if isNear(dead: own, chain) {
        let most = max((own + limits.deadLetters - all) / 2, limits.deadLetters / owners / (owners + 1))
        found.append(.share(.dead(chain: name), share.identity, own, of: max(own, most)))
      }
    }
    return found
  }
}

extension Keeper.NearShare {
  fileprivate init(_ send: DurableSend, _ digest: Digest, of chain: [UInt8]? = nil) {
    (identity, self.digest, self.chain) = (send.identity, digest, chain)
  }
}
