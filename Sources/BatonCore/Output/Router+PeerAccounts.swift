/// The limits on what all connections of an identity have together (contract, section 11, `limits`), and on what
/// connections that have gone left under way (section 10).
extension Router {
  /// The connection counts for this owner from now on. An account keeps its identity.
  mutating func holdAccount(of owner: PeerAccount.Owner, for connection: Slot<Connection>) {
    let before = connections[connection].account
    let (account, isNew) = accounts.hold(owner)
    if isNew { beginAccount(account) }
    connections[connection].account = account
    countUnsent(of: connection, in: account, times: 1)
    countRequest(connection, in: account, 1)
    if before != .nobody {
      moveHeldOffers(of: connection, from: before, to: account)
      leaveAccount(before, of: connection)
    }
  }

  private mutating func beginAccount(_ account: Slot<PeerAccount>) {
    let identity = accounts[account].identity
    guard identity != .nobody else { return }
    identities[identity].accounts += 1
    accounts[account].isAnonymous = identities[identity].isAnonymous
  }

  /// The account in whose turns a try of a stored message waits: that of the identity that sent it; all others have one.
  mutating func holdAccountOfTry(_ from: UnsafeRawBufferPointer) -> Slot<PeerAccount> {
    let identity =
      identities.isAsked ? identities.find(DurableFrom.identity(DurableFrom.name(from))) ?? .nobody : .nobody
    let isKnown = identity != .nobody && !identities[identity].isAnonymous
    let (account, isNew) = accounts.holdForTry(
      isKnown ? PeerAccount.Owner(identity: identity) : PeerAccount.Owner(address: PeerAccount.Owner.stored))
    if isNew { beginAccount(account) }
    return account
  }

  /// The connection has been ended: it is none of those of its account any more.
  mutating func uncountConnection(_ connection: Slot<Connection>) {
    let account = connections[connection].account
    if account != .nobody { accounts[account].connections -= 1 }
  }

  mutating func releaseAccountOfTry(_ account: Slot<PeerAccount>) {
    accounts.release(account)
    forgetAccountIfUnused(account)
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
    countUnsent(of: connection, in: account, times: -1)
    countRequest(connection, in: account, -1)
    if connections[connection].phase != .severed { accounts[account].connections -= 1 }
    // Only its mounts are still there. They stay.
    accounts[account].left.add(Int(connections[connection].serving.mounts), connections[connection].patterns)
    accounts[account].leftBytes += connections[connection].openBytes
    accounts.release(account)
    forgetAccountIfUnused(account)
  }

  private mutating func countRequest(_ connection: Slot<Connection>, in account: Slot<PeerAccount>, _ more: Int) {
    let identity = accounts[account].identity
    guard connections[connection].door == .request else { return }
    requests += more
    accounts[account].requests += more
    if identity != .nobody { identities[identity].requests += more }
  }

  /// Whether the requests of HTTP that the connection's identity has, this one included, are no more than its share of the
  /// places for identities. It counts once half of these are taken; one request is always within it. All anonymous peers
  /// have such a share together, and no more than half of the places; of that each address has a share.
  mutating func isWithinShareOfRequests(_ connection: Slot<Connection>) -> Bool {
    let account = connections[connection].account
    let identity = account == .nobody ? .nobody : accounts[account].identity
    guard identity != .nobody, connections[connection].door == .request else { return true }
    let own = accounts[account].requests
    guard identities[identity].isAnonymous else { return hasShare(own, of: requests, among: placesForRequests) }
    let (all, most) = (identities[identity].requests, max(1, placesForRequests / 2))
    return all <= most && hasShare(all, of: requests, among: placesForRequests) && hasShare(own, of: all, among: most)
  }

  /// Whether somebody with so many of those that are taken has no more than its share of them.
  private mutating func hasShare(_ own: Int, of taken: Int, among places: Int) -> Bool {
    taken <= places / 2 || own <= max(1, share(ofFree: places - taken))
  }

  /// The places of `max_http_connections` without those for newcomers of which the server does not know who they are.
  var placesForRequests: Int {
    mutating get { max(1, settings.maxHTTPConnections - max(1, settings.maxHTTPConnections / 10)) }
  }

  mutating func forgetAccountIfUnused(_ account: Slot<PeerAccount>) {
    if accounts[account].isUsed || waitsForDebt(account) { return }
    let identity = accounts[account].identity
    accounts.remove(account)
    if identity != .nobody { identities.release(identity) }
  }

  /// A message has ended.
  @inline(__always)
  mutating func endMessage(of account: Slot<PeerAccount>, bytes: Int, isSenderThere: Bool) {
    accounts[account].openMessages -= 1
    accounts[account].openBytes -= bytes
    if !isSenderThere { accounts[account].leftBytes -= bytes }
    noteRoom(of: account)
    if !isSenderThere { forgetAccountIfUnused(account) }
  }

  /// A message of the connection has ended that nobody was there to get: it was never under way.
  mutating func endAtOnce(of connection: Slot<Connection>) {
    let account = connections[connection].account
    if account != .nobody { noteRoom(of: account) }
  }

  /// The limits of the connection's identity; nil if it has none.
  mutating func limits(of connection: Slot<Connection>) -> PeerLimits? {
    let account = connections[connection].account
    let identity = account == .nobody ? .nobody : accounts[account].identity
    return identity == .nobody ? nil : identities[identity].limits
  }

  /// Whether the identity may have one more message under way.
  @inline(__always)
  mutating func accountHasRoom(_ account: Slot<PeerAccount>) -> Bool {
    let identity = accounts[account].identity
    return identity == .nobody || !identities[identity].limits.boundMessages || limitedAccountHasRoom(account)
  }

  @inline(never)
  private mutating func limitedAccountHasRoom(_ account: Slot<PeerAccount>) -> Bool {
    let limits = identities[accounts[account].identity].limits
    return accounts[account].openMessages < limits.openMessages ?? .max
      && accounts[account].openBytes < limits.openBytes ?? .max
  }

  /// Whether what connections that have gone left under way takes no more than its share. Otherwise a connection that has
  /// sent nothing yet waits: many short connections take no more than one long one (contract, section 10).
  @inline(__always)
  mutating func newcomersHaveRoom(_ account: Slot<PeerAccount>) -> Bool {
    isBelowShare(accounts[account].leftBytes, ofFree: settings.maxTotalBytes &- openBytes)
  }

  /// A connection waits until its identity has room for messages.
  mutating func waitForAccount(_ connection: Slot<Connection>, at now: Instant) {
    let account = connections[connection].account
    readAgain()
    Router.forgetGone(in: &accounts[account].waiting, above: accounts[account].holders, connections)
    accounts[account].waiting.append(connections.ref(connection))
    pause(connection, .account, at: now)
  }

  /// Messages have ended: connections that wait may have room.
  @inline(__always)
  mutating func noteRoom(of account: Slot<PeerAccount>) {
    if !accounts[account].waiting.isEmpty { noteRoomForWaiting(of: account) }
  }

  @inline(never)
  private mutating func noteRoomForWaiting(of account: Slot<PeerAccount>) {
    guard !accounts[account].isRoomy, accountHasRoom(account) else { return }
    accounts[account].isRoomy = true
    roomyAccounts.append(account)
  }

  /// Reads again from connections whose identities have room, one after the other.
  mutating func letInWaiting(at now: Instant) {
    while parked.isEmpty, let account = roomyAccounts.popFirst() {
      guard accounts.isTaken(account), accounts[account].isRoomy else { continue }
      accounts[account].isRoomy = false
      if accountHasRoom(account), let ref = accounts[account].waiting.popFirst(), connections.contains(ref),
        connections[ref.slot].pauses.contains(.account)
      {
        resume(ref.slot, .account, at: now)
      }
      noteRoom(of: account)
    }
  }

  /// Throws if the identity would have too many patterns.
  mutating func checkPatternsOfIdentity(_ connection: Slot<Connection>, more: Int) throws(Fault) {
    guard more > 0, let most = limits(of: connection)?.patterns else { return }
    let count = accounts[connections[connection].account].patterns
    guard count + more > most else { return }
    throw Fault(
      .limitReached,
      "all connections of your identity have \(count) patterns, with what stays of those that have gone, and \(most) are "
        + "allowed (its max_patterns); use fewer, with wildcards")
  }

  /// Throws if the identity would have too many links with one more. `fewer` of those that it has go.
  mutating func checkLinksOfIdentity(_ connection: Slot<Connection>, fewer: Int = 0) throws(Fault) {
    guard let most = limits(of: connection)?.links else { return }
    let count = accounts[connections[connection].account].links
    guard fewer == 0, count >= most else { return }
    throw Fault(
      .limitReached,
      "all connections of your identity have \(count) links, with what stays of those that have gone, and \(most) are "
        + "allowed (its max_links); remove some")
  }

  /// Counts links and mounts that the connection has now, or has no longer.
  @inline(__always)
  mutating func countLinks(_ more: Int, of connection: Slot<Connection>) {
    let account = connections[connection].account
    if account != .nobody { accounts[account].links += more }
  }
}
