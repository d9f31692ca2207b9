/// From which connections the server reads, and what it refuses because too much is under way (contract, section 10).
extension Model {
  /// The server does not read from a sender with too much under way until some of it is settled. The server still reads
  /// from one that serves links: its verdicts must get through.
  func isTooMuch(of connection: Int) -> Bool {
    peers[connection].openMessages >= settings.maxOpenMessages || openBytes(of: connection) >= settings.maxOpenBytes
  }

  /// The bytes that the messages under way count, of one sender or of all.
  func openBytes(of connection: Int? = nil) -> Int {
    guard settings.maxOpenBytes < 1 << 20 || settings.maxTotalBytes < 1 << 20 else { return 0 }
    let open = walks.lazy.filter { !$0.isOver && (connection == nil || $0.sender == connection) }
    let held = connection == nil ? heldOffers() * Settings.heldBytes : 0
    return open.reduce(held) { $0 + $1.weight }
  }

  mutating func checkOpen(of connection: Int) {
    if isTooMuch(of: connection), peers[connection].phase != .gone { stopReading(connection, .messages) }
  }

  mutating func stopReading(_ connection: Int, _ why: Peer.Stop) {
    peers[connection].stops.insert(why)
    checkReading(of: connection)
  }

  mutating func goOnReading(_ connection: Int, _ why: Peer.Stop) {
    if peers[connection].stops.remove(why) != nil { checkReading(of: connection) }
  }

  /// The clocks that measure the peer's silence stand still while the server does not read.
  mutating func checkReading(of connection: Int) {
    guard peers[connection].phase == .open else { return }
    let stops = peers[connection].stops
    let isFull =
      stops.contains(.messages) && keeps(.pausesSenders) || !stops.isDisjoint(with: [.total, .share, .left, .identity])
    let mayPause = isFull && !getsBusy(connection)
    let isPaused = mayPause || stops.contains(.unsent) && keeps(.unsentStopsReading)
    guard isPaused != (peers[connection].stoppedAt != nil) else { return }
    if isPaused {
      seen.insert(stops.contains(.unsent) ? .pausedUnsent : .paused)
      return peers[connection].stoppedAt = now
    }
    let still = now - (peers[connection].stoppedAt ?? now)
    (peers[connection].stoppedAt, peers[connection].begunAt) = (nil, peers[connection].begunAt + still)
    if keeps(.clocksStandStill) { peers[connection].heard += still }
    // Its clocks are looked at again.
    alarms.set(.connection(connection), soonAfter: now)
    guard !peers[connection].unread.isEmpty else { return }
    seen.insert(.readAgain)
    readAgain.append(connection)
  }

  /// Whether the connection is told that there is no room, and read on: it serves links, and its verdicts must get through.
  private func getsBusy(_ connection: Int) -> Bool { !peers[connection].serving.isEmpty && keeps(.servingIsBusy) }

  /// Carries out what the peer has sent, until the server stops reading from it.
  mutating func readOn(_ connection: Int) {
    let wasOpen = peers[connection].phase == .open
    while peers[connection].phase == .open, peers[connection].stoppedAt == nil, !peers[connection].unread.isEmpty {
      carryOut(peers[connection].unread.removeFirst(), from: connection)
      tellHappenings()
    }
    guard wasOpen, !peers[connection].unread.isEmpty else { return }
    peers[connection].begunAt = now
    giveUpLines(of: connection)
  }

  // MARK: Shares

  /// Of what all connections share, one connection may have at most so many times what is still free.
  func share(ofFree free: Int) -> Int { max(0, free) * settings.shareOfFree }

  /// Whether a connection that has so many may have so many more, one after the other.
  mutating func checkShare(_ rule: Rule, has: Int, more: Int, free: Int) throws(Refusal) {
    guard has + more > share(ofFree: free - more + 1), keeps(rule) else { return }
    seen.insert(.shareOfFree)
    throw Refusal("limit_reached")
  }

  /// Whether its open messages take as much as is free.
  private func hasItsShareOfBytes(_ connection: Int) -> Bool {
    guard settings.maxTotalBytes < 1 << 20, keeps(.openBytesAreShared) else { return false }
    let own = openBytes(of: connection)
    return own > 0 && own >= share(ofFree: settings.maxTotalBytes - openBytes())
  }

  /// A message takes less than before.
  mutating func noteRoomOfSender(of walk: Int) {
    noteRoom(of: owner(of: walks[walk].sender))
    goOnIfRoom(walks[walk].sender)
  }

  /// One of its messages has ended, or takes less than before.
  mutating func goOnIfRoom(_ connection: Int) {
    if !isTooMuch(of: connection) { goOnReading(connection, .messages) }
  }

  // MARK: Room

  /// Whether one more message can be taken in. If all messages together take too much, the line waits until they take
  /// less.
  mutating func checkRoom(for connection: Int) throws(Refusal) {
    let servesLinks = getsBusy(connection)
    let isCrowded = openBytes() >= settings.maxTotalBytes && keeps(.totalIsLimited)
    let isOver = !isCrowded && hasItsShareOfBytes(connection)
    if isCrowded || isOver, !servesLinks { throw Refusal(isOver ? Refusal.share : Refusal.later) }
    let isLeft = !peers[connection].hasSent && !newcomersHaveRoom(connection)
    if isLeft, !servesLinks { throw Refusal(Refusal.left) }
    let isIdentitys = !identityHasRoom(connection)
    if isIdentitys, !servesLinks { throw Refusal(Refusal.identity) }
    let isRefused = isCrowded || isOver || isLeft || isIdentitys || peers[connection].stops.contains(.messages)
    guard servesLinks, isRefused else { return }
    seen.insert(.busy)
    throw Refusal("busy")
  }

  /// The line is read once there is room for its message among those of all connections.
  mutating func leaveForLater(_ asked: Asked, of connection: Int) {
    peers[connection].unread.insert(asked, at: 0)
    seen.insert(.crowdedOut)
    crowdedOut.append(connection)
    stopReading(connection, .total)
  }

  /// The line is read once the messages of this connection are below its share again; a first one, once enough of what was
  /// left has ended.
  mutating func waitForShare(_ asked: Asked, of connection: Int, isFirst: Bool) {
    peers[connection].unread.insert(asked, at: 0)
    seen.insert(isFirst ? .waitedForLeft : .overShare)
    waitingForShare.append(connection)
    stopReading(connection, isFirst ? .left : .share)
  }

  /// The connection that has waited longest for room goes on, once there is some.
  mutating func letInNext() {
    while !crowdedOut.isEmpty, openBytes() < settings.maxTotalBytes, readAgain.isEmpty {
      goOnReading(crowdedOut.removeFirst(), .total)
    }
  }

  /// Of those that are below their share, the one that has waited longest goes on. All are looked at, one after the other,
  /// and again after one went on.
  mutating func letInBelowShare() {
    while readAgain.isEmpty {
      if leftToLookAt == 0 {
        guard waitingForShare.contains(where: isBelowShare) else { return }
        leftToLookAt = waitingForShare.count
      }
      leftToLookAt -= 1
      let connection = waitingForShare.removeFirst()
      guard peers[connection].stops.contains(.share) || peers[connection].stops.contains(.left) else { continue }
      guard isBelowShare(connection) else {
        waitingForShare.append(connection)
        continue
      }
      goOnReading(connection, .share)
      goOnReading(connection, .left)
    }
  }

  private func isBelowShare(_ connection: Int) -> Bool {
    peers[connection].stops.contains(.left) ? newcomersHaveRoom(connection) : !hasItsShareOfBytes(connection)
  }

  /// Whether a message may take more for a step that is kept.
  func hasRoomForStep(of walk: Int) -> Bool { mayGrow(walk) || !keeps(.stepsAreWeighed) }

  /// Whether a message may take so many bytes more: those of its sender may take twice its share so.
  private func mayGrow(_ walk: Int, by more: Int = 0) -> Bool {
    guard settings.maxTotalBytes < 1 << 20 else { return true }
    let free = settings.maxTotalBytes - openBytes() - more
    guard free > 0 else { return false }
    guard keeps(.growthIsShared) else { return true }
    let sender = walks[walk].sender
    let own = peers[sender].hasLeft ? leftBytes(of: owner(of: sender)) : openBytes(of: sender)
    return own + more <= 2 * share(ofFree: free)
  }

  /// A message may not grow so much that all messages take more than their limit, or those of its sender much more than
  /// its share.
  func checkRoom(toRewrite walk: Int, as payload: String?) throws(Refusal) {
    guard let payload, settings.maxTotalBytes < 1 << 20 else { return }
    let old = walks[walk].isRewritten ? walks[walk].payload?.utf8.count ?? 0 : 0
    let growth = payload.utf8.count - old
    if growth > 0, !mayGrow(walk, by: growth) { throw Refusal("busy") }
  }
}
