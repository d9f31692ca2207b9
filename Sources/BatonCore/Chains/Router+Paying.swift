/// Who pays for links that no connection serves: the account of the connection that made or left them, as long as they are
/// there (contract, section 10, `What outlives its connection`). Nobody pays for what the configuration file declares.
extension Router {
  /// The link is left without a connection. It counts for the account with the patterns that it keeps.
  mutating func chargeLink(_ link: Slot<Link>, to account: Slot<PeerAccount>) {
    guard account != .nobody, !links[link].isDeclared else { return }
    links[link].payer = account
    accounts.beginEntry(of: account)
    countLeft(1, patterns: links[link].ownPatterns, in: account)
    if links[link].isEmptyPlace { accounts[account].emptyPlaces += 1 }
  }

  /// The link ends, somebody serves it again, or the file declares it. It still has the patterns that it has kept.
  mutating func dischargeLink(_ link: Slot<Link>) {
    let account = links[link].payer
    guard account != .nobody else { return }
    links[link].payer = .nobody
    countLeft(-1, patterns: -links[link].ownPatterns, in: account)
    if links[link].isEmptyPlace { accounts[account].emptyPlaces -= 1 }
    endPaying(of: account)
  }

  /// An entry for which the account paid is not there any more.
  mutating func endPaying(of account: Slot<PeerAccount>) {
    accounts.endEntry(of: account)
    forgetAccountIfUnused(account)
  }

  /// A connection has made a mount. It counts for the connection, and when that has gone, for its account.
  mutating func chargeMount(_ link: Slot<Link>, to connection: Slot<Connection>) {
    let (account, patterns) = (connections[connection].account, links[link].settings.weight)
    links[link].ownPatterns = patterns
    links[link].maker = connections.ref(connection)
    countPatterns(patterns, of: connection)
    connections[connection].serving.mounts += 1
    countLinks(1, of: connection)
    countLasting(1, patterns: patterns, of: connection)
    guard account != .nobody else { return }
    links[link].payer = account
    accounts.beginEntry(of: account)
  }

  /// The mount ends, or the file declares it.
  mutating func dischargeMount(_ link: Slot<Link>) {
    let (maker, account, patterns) = (links[link].maker, links[link].payer, links[link].ownPatterns)
    links[link].maker = .none
    links[link].payer = .nobody
    links[link].ownPatterns = 0
    if connections.contains(maker) {
      connections[maker.slot].serving.mounts -= 1
      countPatterns(-patterns, of: maker.slot)
      countLinks(-1, of: maker.slot)
      countLasting(-1, patterns: -patterns, of: maker.slot)
    } else {
      countPatternsOfAll(-patterns)
      if account != .nobody { countLeft(-1, patterns: -patterns, in: account) }
    }
    if account != .nobody { endPaying(of: account) }
  }

  /// What goes when the connection takes the link over, or takes it back.
  mutating func replaced(_ link: Slot<Link>, by connection: Slot<Connection>) -> Replaced {
    let account = connections[connection].account
    var old = Replaced(links: 1)
    if links[link].isEmptyPlace {
      old.patterns = links[link].ownPatterns
      guard links[link].payer == account, account != .nobody else { return old }
      old.ofAccount.add(1, old.patterns)
      (old.left, old.lasting) = (old.ofAccount, old.ofAccount)
      return old
    }
    var replica = links[link].firstReplica
    while replica != .nobody {
      spent &+= Cost.look
      let (patterns, owner) = (replicas[replica].patterns, replicas[replica].connection)
      old.patterns += patterns
      if owner == connection { old.ofConnection += patterns }
      if connections[owner].account == account {
        old.ofAccount.add(1, patterns)
        if replicas[replica].isLasting { old.lasting.add(1, patterns) }
      }
      replica = replicas[replica].nextAtLink
    }
    return old
  }

  /// Throws if the connection's identity may not have the link that it takes over, or if that lasts and is more than what
  /// may last.
  mutating func checkTakingOver(
    _ settings: LinkSettings, _ patterns: Int, insteadOf old: Replaced, isDeclared: Bool,
    by connection: Slot<Connection>
  ) throws(Fault) {
    try checkLinksOfIdentity(connection, fewer: old.ofAccount.links)
    if settings.isLasting, !isDeclared { try checkLasting(connection, patterns: patterns, insteadOf: old) }
    try checkPatterns(of: connection, new: patterns, insteadOf: old)
  }
}
