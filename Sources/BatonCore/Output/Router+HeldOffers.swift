/// Offers for which no message pays: copies for shadows, and offers that have lapsed and wait for the handler's late answer.
/// Each counts as an open message of 512 bytes of the handler's identity or address (contract, section 10, `Held offers`).
extension Router {
  /// What one takes: the offer, the copy, a timer, and their places in tables.
  static var heldBytes: Int { 512 }

  /// Whether handlers of the account may hold one more: there is room for it among all messages under way and in the limits
  /// of the identity, of which it leaves one message, and what the account holds is below its share.
  mutating func mayHoldOffer(_ account: Slot<PeerAccount>) -> Bool {
    let free = settings.maxTotalBytes - openBytes
    guard free >= Router.heldBytes else { return false }
    guard account != .nobody else { return true }
    return accountHasRoom(account) && leavesMessage(account)
      && isBelowShare(accounts[account].heldOffers * Router.heldBytes, ofFree: free)
  }

  /// Whether with one more that its handlers hold, the identity may still have a message under way. Who never answers would
  /// keep it from sending for good.
  private mutating func leavesMessage(_ account: Slot<PeerAccount>) -> Bool {
    let identity = accounts[account].identity
    guard identity != .nobody, identities[identity].limits.boundMessages else { return true }
    let held = accounts[account].heldOffers + 1
    return held < identities[identity].limits.openMessages ?? .max
      && held * Router.heldBytes < identities[identity].limits.openBytes ?? .max
  }

  /// Handlers of the account hold so many more, or fewer.
  mutating func countHeldOffers(_ more: Int, in account: Slot<PeerAccount>) {
    countOpenBytes(more * Router.heldBytes)
    guard account != .nobody else { return }
    accounts[account].heldOffers += more
    accounts[account].openMessages += more
    accounts[account].openBytes += more * Router.heldBytes
    if more < 0 { noteRoom(of: account) }
  }

  /// The connection has another account from now on. Of offers, it has lapsed ones at most.
  mutating func moveHeldOffers(
    of connection: Slot<Connection>, from before: Slot<PeerAccount>, to account: Slot<PeerAccount>
  ) {
    let lapsed = connections[connection].handling.lapsed
    guard lapsed > 0 else { return }
    countHeldOffers(-lapsed, in: before)
    countHeldOffers(lapsed, in: account)
  }
}
