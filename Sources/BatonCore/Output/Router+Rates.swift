/// How many messages a second an identity may send (contract, section 11, `Limits of an identity`).
extension Router {
  /// The identity of the connection pays for one message or broadcast. Throws `busy` if it has sent too many.
  @inline(__always)
  mutating func payForMessage(of connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let account = connections[connection].account
    guard account != .nobody, accounts[account].identity != .nobody,
      let perSecond = identities[accounts[account].identity].limits.perSecond
    else { return }
    try takeFromRate(perSecond, of: account, at: now)
  }

  @inline(never)
  private mutating func takeFromRate(_ perSecond: Int, of account: Slot<PeerAccount>, at now: Instant) throws(Fault) {
    let burst = identities[accounts[account].identity].limits.burst ?? perSecond
    guard let wait = accounts[account].rate.take(perSecond, burst: burst, at: now) else { return }
    let milliseconds = (wait + 999) / 1000
    var fault = Fault(
      .busy,
      "your identity may send \(perSecond) messages a second, \(burst) of them at once (its per_second and burst); "
        + "send this one again in \(milliseconds) ms")
    fault.retryMilliseconds = milliseconds
    throw fault
  }

  /// An account that is not used stays until its messages are paid: who leaves and comes back has no more than who stays.
  /// Returns whether it does.
  mutating func waitsForDebt(_ account: Slot<PeerAccount>) -> Bool {
    guard let end = accounts[account].rate.debtEnds(after: lastTurn) else { return false }
    accounts[account].isOwing = true
    _ = timers.set(.debt(accounts.ref(account)), at: end)
    return true
  }

  mutating func debtIsPaid(_ account: Slot<PeerAccount>) {
    accounts[account].isOwing = false
    forgetAccountIfUnused(account)
  }
}
