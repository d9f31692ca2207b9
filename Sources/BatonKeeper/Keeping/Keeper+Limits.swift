package import BatonLasting

extension Keeper {
  /// Whether no row can follow. A store comes there only if somebody writes into its file.
  var hasCountedAll: Bool { mutating get { nextRow > StoredID.mostCount } }

  /// What is free on the disk, and within the file of the store. What is still to be written will take its part of it. What
  /// is written goes through the log first: so the file's own room counts only while the disk has room for the log. What the
  /// file is still to grow by always counts.
  package mutating func diskHasFree(bytes: Int, inFile: Int = 0) {
    let room = bytes >= limits.freeBytes / 2 ? inFile : min(inFile, 0)
    // A disk may have more than can be counted.
    freeBytes = min(bytes, .max / 2) + room - unstoredBytes - inLineBytes
  }

  /// Whether less is free on the disk than stays free.
  package var lacksRoomOnDisk: Bool { freeBytes < limits.freeBytes }

  /// The identity has so many bytes more, or less. More are written now, at the latest.
  mutating func count(bytes more: Int, of account: Place<Account>) {
    bytes += more
    accounts[account].bytes += more
    if more > 0, isOpen { freeBytes -= more }
  }

  /// Of its content and its result.
  mutating func byteCount(of message: Place<MessageRecord>) -> Int {
    Int(messages[message].byteCount) + Int(messages[message].resultCount)
  }

  /// The row of the message has a result of so many bytes, in place of the one before.
  mutating func countResult(_ bytes: Int, of message: Place<MessageRecord>) {
    let more = bytes - Int(messages[message].resultCount)
    messages[message].resultCount = UInt32(clamping: bytes)
    count(bytes: more, of: flows[messages[message].flow].account)
  }

  /// What is written of a result: all of it, or less where the identity or the disk has no room for it.
  mutating func fit(_ result: [UInt8], of message: Place<MessageRecord>) -> TryResult {
    let more = result.count - Int(messages[message].resultCount)
    let account = flows[messages[message].flow].account
    let hasRoom = !lacksRoomOnDisk && accounts[account].bytes + more <= limits.storedBytes - bytes
    let kept = TryResult(result, short: hasRoom ? nil : results.shorten(result))
    countResult(kept.written.count, of: message)
    return kept
  }

  /// What an operator should know; at most `limit` chains, in the order of their digests.
  package mutating func findings(limit: Int = 1000) -> [DurableFinding] {
    var found: [DurableFinding] = []
    if let failingSince { found.append(.storeFails(milliseconds: Int(clamping: now - failingSince))) }
    if unreadable > 0 { found.append(.unreadable(messages: unreadable)) }
    if damaged > 0 { found.append(.damaged(messages: damaged)) }
    func look(_ limit: StoreLimit, _ used: Int, of most: Int, _ chain: [UInt8]? = nil) {
      if isNear(used, most) { found.append(.near(limit, used: used, of: most, chain: chain)) }
    }
    look(.messages, waiting, of: limits.storedMessages)
    look(.bytes, bytes, of: limits.storedBytes)
    look(.remembered, remembered, of: limits.remembered)
    found += nearShares(limit: limit)
    if freeBytes / 4 * 3 < limits.freeBytes {
      found.append(.near(.freeBytes, used: freeBytes, of: limits.freeBytes))
    }
    var at = trees.first(of: chainNames)
    for _ in 0..<limit {
      guard let entry = at else { break }
      let chain = chains[entry.value]
      if !chain.isDeclared, chain.waiting > 0 || chain.dead > 0 {
        found.append(.undeclared(chain: chain.name, messages: chain.waiting, dead: chain.dead))
      }
      if chain.isDeclared, chain.dead > 0 { found.append(.dead(chain: chain.name, chain.dead)) }
      look(.deadLetters, chain.dead, of: limits.deadLetters, chain.name)
      at = trees.next(after: entry.key, in: chainNames)
    }
    return found
  }

  private mutating func isNear(_ used: Int, _ limit: Int) -> Bool { used >= limit - limit / 4 && used > 0 }

  /// Other limits. What there is already stays.
  package mutating func take(_ limits: KeeperLimits) { self.limits = limits }

  /// A declared chain has another window.
  package mutating func changed(_ window: DurableWindow) {
    let place = trees.find(digest(window.chain).pair, in: chainNames)
    guard let chain = place, chains[chain].isDeclared else { return }
    chains[chain].window = window.window
    refresh(chain)
  }

  /// Messages that wait or are tried, dead letters and bytes, of all chains or of one.
  package mutating func counts(of chain: [UInt8]? = nil) -> (waiting: Int, dead: Int, open: Int) {
    guard let chain else { return (waiting, messages.count - waiting, openTries) }
    guard let place = trees.find(digest(chain).pair, in: chainNames) else { return (0, 0, 0) }
    return (chains[place].waiting, chains[place].dead, chains[place].open)
  }

  // MARK: Chains, flows, accounts

  /// The chains of the configuration file, all of them, at a start and at each reload.
  package mutating func declared(_ windows: [DurableWindow]) {
    var at = trees.first(of: chainNames)
    while let entry = at {
      chains[entry.value].isDeclared = false
      at = trees.next(after: entry.key, in: chainNames)
    }
    for window in windows {
      let chain = chain(named: window.chain)
      chains[chain].isDeclared = true
      chains[chain].window = window.window
    }
    at = trees.first(of: chainNames)
    while let entry = at {
      refresh(entry.value)
      at = trees.next(after: entry.key, in: chainNames)
      forgetIfEmpty(chain: entry.value)
    }
    fileChanged()
  }

  mutating func chain(named name: [UInt8]) -> Place<ChainRecord> {
    let digest = lastChain.of(name, secret)
    if let chain = trees.find(digest.pair, in: chainNames) { return chain }
    let chain = chains.add(ChainRecord(name: name, digest: digest))
    trees.insert(digest.pair, chain, into: &chainNames)
    return chain
  }

  mutating func account(of identity: Digest) -> Place<Account> {
    if let known = trees.find(identity.pair, in: accountNames) { return known }
    let account = accounts.add(Account(digest: identity))
    trees.insert(identity.pair, account, into: &accountNames)
    return account
  }

  mutating func forgetIfEmpty(account: Place<Account>) {
    guard accounts[account].flows == 0, accounts[account].names == 0 else { return }
    trees.remove(accounts[account].digest.pair, from: &accountNames)
    identities[account] = nil
    accounts.remove(account, blank: Account(digest: Digest(high: 0, low: 0)))
  }

  mutating func flow(_ chain: Place<ChainRecord>, _ identity: Digest, named name: [UInt8]) -> Place<Flow> {
    let account = account(of: identity)
    if !accounts[account].isNamed {
      accounts[account].isNamed = true
      identities[account] = name
    }
    let key = Pair(UInt64(chain.index), UInt64(account.index))
    if let flow = trees.find(key, in: flowPlaces) { return flow }
    let flow = flows.add(Flow(chain: chain, account: account))
    trees.insert(key, flow, into: &flowPlaces)
    accounts[account].flows += 1
    return flow
  }

  /// Whether the chain stands among those that can begin a try.
  mutating func refresh(_ chain: Place<ChainRecord>) {
    let own = chains[chain].turn
    let can = chains[chain].isDeclared && !chains[chain].flows.isEmpty && chains[chain].open < chains[chain].window
    if can, own == 0 {
      let turn = drawTurn()
      chains[chain].turn = turn
      trees.insert(Pair(turn), chain, into: &runnable)
    } else if !can, own != 0 {
      trees.remove(Pair(own), from: &runnable)
      chains[chain].turn = 0
    }
  }

  private mutating func forgetIfEmpty(chain: Place<ChainRecord>) {
    guard !chains[chain].isDeclared, chains[chain].waiting == 0, chains[chain].dead == 0 else { return }
    trees.remove(chains[chain].digest.pair, from: &chainNames)
    chains.remove(chain, blank: ChainRecord(name: [], digest: Digest(high: 0, low: 0)))
  }

  /// The message leaves memory: it has ended, or was never kept.
  mutating func remove(_ message: Place<MessageRecord>) {
    countUnreadableNoMore(message)
    leaveLine(message)
    let (flow, isDead) = (messages[message].flow, isDead(message))
    let byteCount = byteCount(of: message)
    let (chain, account) = (flows[flow].chain, flows[flow].account)
    setTimer(message, at: 0)
    rows.remove(messages[message].row, message)
    if isDead {
      trees.remove(Pair(messages[message].row), from: &chains[chain].deadLetters)
      chains[chain].dead -= 1
      flows[flow].dead -= 1
      if flows[flow].dead == 0 { chains[chain].deadOwners -= 1 }
    } else {
      waiting -= 1
      chains[chain].waiting -= 1
      accounts[account].messages -= 1
    }
    count(bytes: -byteCount, of: account)
    flows[flow].count -= 1
    let blank = messages[message]
    messages.remove(message, blank: blank)
    if flows[flow].count == 0 {
      trees.remove(Pair(UInt64(chain.index), UInt64(account.index)), from: &flowPlaces)
      flows.remove(flow, blank: Flow(chain: .none, account: .none))
      accounts[account].flows -= 1
      forgetIfEmpty(account: account)
    }
    forgetIfEmpty(chain: chain)
  }

  mutating func isDead(_ message: Place<MessageRecord>) -> Bool {
    messages[message].state == .dead || messages[message].state == .leaving
  }
}
