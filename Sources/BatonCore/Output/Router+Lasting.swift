/// What stays when its connection goes counts for the account that left it, as long as it is there; and what may stay has a
/// share (contract, section 10, `What outlives its connection`).
extension Router {
  /// What is left of others of the connection's identity or address.
  mutating func left(of connection: Slot<Connection>) -> PeerAccount.Holding {
    let account = connections[connection].account
    return account == .nobody ? PeerAccount.Holding() : accounts[account].left
  }

  /// Throws if what stays of the identity or address, or may stay, would be more than its share with one link more that has
  /// patterns of this weight. It takes the place of `old`.
  mutating func checkLasting(
    _ connection: Slot<Connection>, patterns: Int, insteadOf old: Replaced = Replaced()
  ) throws(Fault) {
    let account = connections[connection].account
    guard account != .nobody else { return }
    let has = accounts[account].lasting
    try checkLastingShare(
      "links", has: has.links, less: old.lasting.links, more: 1, free: settings.maxLinks - countedLinks + old.links)
    try checkLastingShare(
      "patterns", has: has.patterns, less: old.lasting.patterns, more: patterns,
      free: settings.maxTotalPatterns - totalPatterns + old.patterns)
  }

  private mutating func checkLastingShare(
    _ what: StaticString, has: Int, less: Int, more: Int, free: Int
  ) throws(Fault) {
    guard more > less, has - less + more > share(ofFree: free - more + 1) else { return }
    throw Fault(
      .limitReached,
      "what stays of your identity or address when its connections go has \(has) \(what), and \(free) more are free; it may "
        + "have at most \(settings.shareOfFree) times as many as are free (share_of_free); take some out: remove with "
        + "\"empty\":true, or unmount")
  }

  /// The connection has a link that lasts, or has it no longer.
  @inline(__always)
  mutating func countLasting(_ links: Int, patterns: Int, of connection: Slot<Connection>) {
    let account = connections[connection].account
    if account != .nobody { accounts[account].lasting.add(links, patterns) }
  }

  /// Something without a connection counts for the account from now on: `links` is 1. Or no longer: it is -1.
  mutating func countLeft(_ links: Int, patterns: Int, in account: Slot<PeerAccount>) {
    accounts[account].links += links
    accounts[account].patterns += patterns
    accounts[account].left.add(links, patterns)
    accounts[account].lasting.add(links, patterns)
  }
}
