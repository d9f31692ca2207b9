/// The limits on what all connections of an identity have together (contract, section 11, `limits`).
extension Router {
  /// The connection belongs to this identity from now on. An account keeps its identity.
  mutating func holdAccount(of identity: Slot<Identity>, for connection: Slot<Connection>) {
    let before = connections[connection].account
    var owner = PeerAccount.Owner(identity: identity)
    if identities[identity].isAnonymous { owner.address = connections[connection].credentials?.facts.address ?? 0 }
    let (account, isNew) = accounts.hold(owner)
    if isNew { identities[identity].accounts += 1 }
    connections[connection].account = account
    if before != .nobody { leaveAccount(before, of: connection) }
  }

  /// The connection has left. Its messages under way count on.
  mutating func releaseAccount(of connection: Slot<Connection>) {
    let account = connections[connection].account
    guard account != .nobody else { return }
    connections[connection].account = .nobody
    leaveAccount(account, of: connection)
  }

  /// The connection has another account or none now. It has nothing here, or it has left.
  private mutating func leaveAccount(_ account: Slot<PeerAccount>, of connection: Slot<Connection>) {
    if connections[connection].phase != .severed { accounts[account].connections -= 1 }
    accounts[account].links -= connections[connection].links
    accounts[account].patterns -= connections[connection].patterns
    accounts.release(account)
    forgetAccountIfUnused(account)
  }

  @inline(__always)
  private mutating func forgetAccountIfUnused(_ account: Slot<PeerAccount>) {
    if !accounts[account].isUsed { forgetAccount(account) }
  }

  @inline(never)
  private mutating func forgetAccount(_ account: Slot<PeerAccount>) {
    let identity = accounts[account].identity
    accounts.remove(account)
    identities.release(identity)
  }

  /// A message has ended, whether its sender is there or not.
  @inline(__always)
  mutating func endMessage(of account: Slot<PeerAccount>, bytes: Int) {
    accounts[account].openMessages -= 1
    accounts[account].openBytes -= bytes
    noteRoom(of: account)
    forgetAccountIfUnused(account)
  }

  /// The limits of the connection's identity; nil if it has none.
  mutating func limits(of connection: Slot<Connection>) -> PeerLimits? {
    let account = connections[connection].account
    return account == .nobody ? nil : identities[accounts[account].identity].limits
  }

  /// Whether the identity may have one more message under way.
  @inline(__always)
  mutating func accountHasRoom(_ account: Slot<PeerAccount>) -> Bool {
    !identities[accounts[account].identity].limits.boundMessages || limitedAccountHasRoom(account)
  }

  @inline(never)
  private mutating func limitedAccountHasRoom(_ account: Slot<PeerAccount>) -> Bool {
    let limits = identities[accounts[account].identity].limits
    return accounts[account].openMessages < limits.openMessages ?? .max
      && accounts[account].openBytes < limits.openBytes ?? .max
  }

  /// A connection waits until its identity has room for messages.
  mutating func waitForAccount(_ connection: Slot<Connection>, at now: Instant) {
    let account = connections[connection].account
    isLeftForLater = true
    // Connections that are gone are removed here, so that the list cannot grow without limit.
    if accounts[account].waiting.count > 2 * accounts[account].holders {
      for _ in 0..<accounts[account].waiting.count {
        if let ref = accounts[account].waiting.popFirst(), connections.contains(ref) {
          accounts[account].waiting.append(ref)
        }
      }
    }
    accounts[account].waiting.append(connections.ref(connection))
    pause(connection, .account, at: now)
  }

  /// Messages of an identity have ended: those of its connections that wait may have room.
  @inline(__always)
  mutating func noteRoom(of account: Slot<PeerAccount>) {
    guard !accounts[account].waiting.isEmpty, !accounts[account].isRoomy, accountHasRoom(account) else { return }
    accounts[account].isRoomy = true
    roomyAccounts.append(account)
  }

  /// Reads again from connections whose identities have room, one after the other.
  mutating func letInWaiting(at now: Instant) {
    while parked.isEmpty, let account = roomyAccounts.popFirst() {
      guard accounts.isTaken(account), accounts[account].isRoomy else { continue }
      accounts[account].isRoomy = false
      guard accountHasRoom(account), let ref = accounts[account].waiting.popFirst() else { continue }
      if connections.contains(ref), connections[ref.slot].pauses.contains(.account) {
        resume(ref.slot, .account, at: now)
      }
      noteRoom(of: account)
    }
  }

  /// Throws if all connections of the identity would have too many patterns.
  mutating func checkPatternsOfIdentity(_ connection: Slot<Connection>, more: Int) throws(Fault) {
    guard more > 0, let most = limits(of: connection)?.patterns else { return }
    let count = accounts[connections[connection].account].patterns
    guard count + more > most else { return }
    throw Fault(
      .limitReached,
      "all connections of your identity have \(count) patterns, and \(most) are allowed (its max_patterns); use fewer, "
        + "with wildcards")
  }

  /// Throws if all connections of the identity would have too many links.
  mutating func checkLinksOfIdentity(_ connection: Slot<Connection>) throws(Fault) {
    guard let most = limits(of: connection)?.links else { return }
    guard accounts[connections[connection].account].links >= most else { return }
    throw Fault(
      .limitReached,
      "all connections of your identity have \(most) links, and no more are allowed (its max_links); remove some")
  }

  /// Counts links and mounts that the connection has now, or has no longer.
  @inline(__always)
  mutating func countLinks(_ more: Int, of connection: Slot<Connection>) {
    let account = connections[connection].account
    if account != .nobody { accounts[account].links += more }
  }
}
