/// What all connections of an identity may have together (contract, section 11, "Limits of an identity").
extension Model {
  /// Whose limits hold for a connection: its identity's; for `anonymous` and without identities, those of one address.
  func account(of connection: Int) -> String? { peers[connection].phase == .gone ? nil : owner(of: connection) }

  /// For whom the messages of a connection count, also when it has gone.
  func owner(of connection: Int) -> String? {
    guard let who = peers[connection].who else { return "at \(peers[connection].facts.address)" }
    if peers[connection].isNamedNoMore { return nil }
    return who == Entry.anonymous ? "\(who) \(peers[connection].facts.address)" : who
  }

  func limit(_ name: String, of connection: Int) -> Int? {
    guard keeps(.identitiesAreLimited) else { return nil }
    return entries?.first { $0.name == peers[connection].who }?.limits[name]
  }

  /// All connections that count for the same limits.
  private func fellows(of connection: Int) -> [Int] {
    let own = account(of: connection)
    return own == nil ? [] : peers.indices.filter { account(of: $0) == own }
  }

  /// Whether its identity has more connections than it may have. Those that were ended do not count.
  func isOneTooMany(_ connection: Int) -> Bool {
    guard let most = limit("max_connections", of: connection) else { return false }
    return fellows(of: connection).count { peers[$0].phase != .ended } > most
  }

  /// The links of its connections, with what stays of those that have gone. `fewer` of them go with the request.
  func checkLinksOfIdentity(_ connection: Int, fewer: Int = 0) throws(Refusal) {
    guard let most = limit("max_links", of: connection), fewer == 0 else { return }
    let served = fellows(of: connection).reduce(0) { $0 + peers[$1].serving.count }
    if served + paid(by: owner(of: connection)).count >= most { throw Refusal("limit_reached") }
  }

  /// `less` of its patterns go with the request.
  func checkPatternsOfIdentity(_ connection: Int, more: Int, less: Int = 0) throws(Refusal) {
    guard more > less, let most = limit("max_patterns", of: connection) else { return }
    let served = fellows(of: connection).reduce(0) { $0 + countPatterns(of: $1) }
    let all = served + weigh(paid(by: owner(of: connection)))
    if all + more - less > most { throw Refusal("limit_reached") }
  }

  private func countPatterns(of connection: Int) -> Int {
    peers[connection].patterns.count + weigh(peers[connection].serving)
  }

  // MARK: Messages

  /// Whether its identity may have one more message under way.
  func identityHasRoom(_ connection: Int) -> Bool {
    guard let most = limit("max_open_messages", of: connection) else { return true }
    let all = peers.indices.filter { owner(of: $0) == account(of: connection) }
    let counted = keeps(.leftMessagesCount) ? all : fellows(of: connection)
    return counted.reduce(heldOffers(of: owner(of: connection))) { $0 + peers[$1].openMessages } < most
  }

  /// What connections that have gone left under way has one share of all bytes together: a connection that has sent
  /// nothing yet waits while it has that (section 10).
  func newcomersHaveRoom(_ connection: Int) -> Bool {
    guard settings.maxTotalBytes < 1 << 20, keeps(.leftBytesAreShared) else { return true }
    let bytes = leftBytes(of: owner(of: connection))
    return bytes == 0 || bytes < share(ofFree: settings.maxTotalBytes - openBytes())
  }

  /// The bytes of what they left under way.
  func leftBytes(of own: String?) -> Int {
    let left = walks.lazy.filter { walk in
      !walk.isOver && self.peers[walk.sender].hasLeft && self.owner(of: walk.sender) == own
    }
    return left.reduce(0) { $0 + $1.weight }
  }

  /// The line is read once messages of its identity have ended.
  mutating func waitForIdentity(_ asked: Asked, of connection: Int) {
    peers[connection].unread.insert(asked, at: 0)
    seen.insert(.waitedForIdentity)
    waitForIdentities.append(connection)
    stopReading(connection, .identity)
  }

  /// A message has ended, or the limit is higher: one that waits may go on.
  mutating func noteRoom(of account: String?) {
    guard let account, !roomyIdentities.contains(account) else { return }
    if let next = next(of: account), identityHasRoom(next) { roomyIdentities.append(account) }
  }

  /// The one that has waited longest.
  private func next(of account: String) -> Int? { waitForIdentities.first { self.account(of: $0) == account } }

  /// Of each identity that has room, the connection goes on that has waited longest.
  mutating func letInNextOfIdentity() {
    while readAgain.isEmpty, !roomyIdentities.isEmpty {
      let account = roomyIdentities.removeFirst()
      if let next = next(of: account), identityHasRoom(next) {
        waitForIdentities.removeAll { $0 == next }
        goOnReading(next, .identity)
      }
      noteRoom(of: account)
    }
  }
}
