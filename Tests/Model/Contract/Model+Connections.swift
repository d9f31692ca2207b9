/// How connections end, and what ends with them (contract, sections 2, 5, 8 and 9).
extension Model {
  /// The server ends a connection: it sends the error, then shuts down its writing side, then closes. Without a code,
  /// the peer has been told already. `id` is that of the request that ends it.
  mutating func end(
    _ connection: Int, _ code: String?, as silentCode: String = "auth_required", id: String? = nil, by other: Int? = nil
  ) {
    guard hears(connection) else { return }
    if let code {
      var line = Line("error")
      line.add("id", json: id)
      line.add("code", code)
      line.add("message", json: Line.anyText)
      line.add("by", other.map { peers[$0].from })
      say(line, to: connection)
    }
    wish(.shutDown, for: connection)
    noteEnd(of: connection, code ?? silentCode)
    peers[connection].phase = .ended
    dropLine(of: connection)
    leaveTurns(connection)
    leaveEverything(connection)
    let closesAt = now + settings.lingerMilliseconds
    peers[connection].closesAt = closesAt
    alarms.set(.connection(connection), at: closesAt)
    closeOldestOfMost(beside: connection)
  }

  /// Of too many that have been ended, the oldest of whoever has the most is closed at once. Where addresses have half of them,
  /// it is one of theirs.
  private mutating func closeOldestOfMost(beside connection: Int) {
    let who = peers[connection].who
    let isOfIdentity = who != nil && who != Entry.anonymous
    lingering.append((connection, isOfIdentity ? who ?? "" : "at \(peers[connection].facts.address)", isOfIdentity))
    lingering.removeAll { peers[$0.connection].phase != .ended || peers[$0.connection].isToClose }
    guard lingering.count > min(max(settings.maxConnections / 10, 32), 1000) else { return }
    let ofIdentities = lingering.filter(\.isOfIdentity).count
    let meant = lingering.filter { $0.isOfIdentity == (ofIdentities * 2 > lingering.count) }
    let count = { (owner: String) in meant.filter { $0.owner == owner }.count }
    guard let most = meant.map({ count($0.owner) }).max(), let oldest = meant.first(where: { count($0.owner) == most })
    else {
      return
    }
    lingering.removeAll { $0.connection == oldest.connection }
    peers[oldest.connection].closesAt = now
    alarms.set(.connection(oldest.connection), soonAfter: now)
  }

  /// `close`: a peer closes another connection, or its own. A half-closed one is open still.
  mutating func close(_ number: Int, _ asked: Asked, by connection: Int) throws(Refusal) {
    guard let other = peers.firstIndex(where: { $0.number == number }), hears(other) else {
      seen.insert(.closedNobody)
      throw Refusal("no_such_connection")
    }
    seen.insert(other == connection ? .closedItself : .closedByPeer)
    if peers[other].phase == .halfClosed { seen.insert(.closedHalf) }
    var line = Line("ok", to: asked)
    line.add("connection", number)
    noteClose(of: other, by: connection)
    if keeps(.closeIsAnsweredFirst) { reply(line, to: asked, of: connection) }
    end(other, "closed_by_peer", by: keeps(.closedKnowsByWhom) ? connection : other)
    if !keeps(.closeIsAnsweredFirst) { reply(line, to: asked, of: connection) }
  }

  /// If the server is full, the connection goes that holds nothing and has been silent longest. The server looks for such
  /// connections once a second.
  mutating func makeRoom() -> Bool {
    guard keeps(.silentMakesRoom) else { return false }
    if silentListedAt.map({ now >= $0 + 1000 }) ?? true {
      silentListedAt = now
      let found = peers.indices.filter { holdsNothing($0) && peers[$0].heard + settings.makeRoomMilliseconds <= now }
      silent = found.map { ($0, peers[$0].heard) }.sorted { ($0.heard, $0.connection) < ($1.heard, $1.connection) }
    }
    while !silent.isEmpty {
      let (connection, heard) = silent.removeFirst()
      guard peers[connection].heard == heard, holdsNothing(connection) else { continue }
      seen.insert(.madeRoom)
      endToMakeRoom(connection, "idle")
      return true
    }
    return false
  }

  /// A connection that holds nothing is told why, and closed at once.
  mutating func endToMakeRoom(_ connection: Int, _ code: String) {
    var line = Line("error")
    line.add("code", code)
    line.add("message", json: Line.anyText)
    say(line, to: connection)
    wish(.close, for: connection)
    noteEnd(of: connection, code)
    peers[connection].phase = .ended
    dropLine(of: connection)
  }

  private func holdsNothing(_ connection: Int) -> Bool {
    let peer = peers[connection]
    return peer.phase == .open && peer.serving.isEmpty && peer.patterns.isEmpty && peer.openMessages == 0
      && peer.owed == 0 && peer.unfinishedBytes == 0 && peer.row.allSatisfy { $0.state == .lapsed }
  }

  /// The peer has shut down its writing side: its links and subscriptions end, results still reach it.
  mutating func endReading(from connection: Int) {
    switch peers[connection].phase {
    case .open:
      if peers[connection].begunBytes > 0 { sayCut(connection) }
      (peers[connection].phase, peers[connection].stoppedAt) = (.halfClosed, nil)
      peers[connection].heartbeat = nil
      dropLine(of: connection)
      leaveTurns(connection)
      leaveEverything(connection)
      if peers[connection].owed > 0 { seen.insert(.halfClosedOwed) }
      closeIfFinished(connection)
    case .ended:
      wish(.close, for: connection)
    case .halfClosed, .gone: break
    }
  }

  private mutating func sayCut(_ connection: Int) {
    var line = Line("error")
    line.add("code", "bad_json")
    line.add("message", json: Line.anyText)
    say(line, to: connection)
  }

  private mutating func dropLine(of connection: Int) {
    (peers[connection].begunBytes, peers[connection].unread) = (0, [])
  }

  /// A half-closed connection that is owed nothing any more is closed.
  mutating func closeIfFinished(_ connection: Int) {
    guard peers[connection].phase == .halfClosed else { return }
    guard peers[connection].owed == 0 || !keeps(.resultsAfterHalfClose) else { return }
    noteEnd(of: connection, "finished")
    peers[connection].phase = .ended
    dropLine(of: connection)
    wish(.close, for: connection)
  }

  /// The connection is gone: its peer or the server has closed it.
  mutating func forget(_ connection: Int) {
    let phase = peers[connection].phase
    if hears(connection) { noteEnd(of: connection, keeps(.lostIsNotFinished) ? "lost" : "finished") }
    peers[connection].phase = .gone
    leaveTurns(connection)
    dropLine(of: connection)
    alarms.cancel(.connection(connection))
    if phase == .open { leaveEverything(connection) }
    peers[connection].hasLeft = true
    if !keeps(.debtsStay) { forgetDebt(of: owner(of: connection)) }
  }

  /// First all links of the connection end, in the order in which it began to serve them. Then its open
  /// offers are settled in the order of their numbers. Then the walks that wait at its links go on.
  private mutating func leaveEverything(_ connection: Int) {
    peers[connection].patterns = []
    let links = Array(peers[connection].serving)
    peers[connection].serving = []
    for link in links { lose(connection, from: link) }

    if peers[connection].row.contains(where: \.isOpen) { seen.insert(.closedWithOffers) }
    while !peers[connection].row.isEmpty {
      // Those behind it count until it is their turn.
      let offer = peers[connection].row.removeFirst()
      switch offer.state {
      case .open: settle(lost: offer, served: links.contains(offer.link))
      case .shadow:
        alarms.cancel(.shadow(connection: connection, offer: offer.id))
        shadowHasMissed(offer, .disconnect)
      case .lapsed: noteHeldOfferGone(connection)
      }
    }
    for link in links { attend(to: link) }
  }

  /// An offer was lost with its connection. It is repeated if another connection serves the link or its place is held,
  /// once at each link. It waits ahead of the others there, and behind those that were lost before.
  mutating func settle(lost offer: Offer, served: Bool) {
    let (walk, link) = (offer.walk, offer.link)
    guard var stand = walks[walk].stand else { return }
    stand.offer = nil
    let mayRepeat = !stand.wasRepeated || !keeps(.againOnce)
    guard served, mayRepeat, links[link].state == .there, !links[link].servers.isEmpty || isHeld(link) else {
      walks[walk].stand = stand
      return fail(walk, at: link, .disconnect, of: offer)
    }
    seen.insert(.repeated)
    if !keeps(.repeatIsNoFailure) {
      list(Failure(by: offer.handler, chain: offer.chain, cause: .disconnect), of: walk)
    }
    startRecording(walk, with: offer)
    note(walk, at: link, .disconnect, of: offer)
    if keeps(.repeatWaitsAnew) { stand.since = now }
    stand.wasRepeated = true
    // If the link has a timeout of its own, the share is for waiting only.
    if seen(link, by: walk).settings.timeoutMilliseconds != nil { stand.shareEnd += (now - offer.made) * 1000 }
    stand.due = max(stand.shareEnd, (now + 1) * 1000)
    let queue = links[link].queue
    if queue.isEmpty { links[link].waitedSince = now }
    let place = queue.firstIndex { walks[$0].stand?.wasRepeated != true } ?? queue.count
    links[link].queue.insert(walk, at: keeps(.againGoesAhead) ? place : queue.count)
    walks[walk].stand = stand
    walks[walk].again = true
    setAlarm(of: walk)
  }

  // MARK: Clocks

  /// One alarm serves all clocks of a connection.
  mutating func checkClocks(of connection: Int) {
    if peers[connection].phase == .ended {
      guard let closesAt = peers[connection].closesAt else { return }
      return closesAt > now
        ? alarms.set(.connection(connection), at: closesAt) : wish(.close, for: connection)
    }
    checkStranger(connection)
    checkLeftOut(of: connection)
    checkSpeed(of: connection)
    guard peers[connection].stoppedAt == nil else { return }
    checkLine(of: connection)
    if peers[connection].phase == .open { checkHeartbeat(of: connection) }
  }

  private mutating func checkHeartbeat(of connection: Int) {
    guard let heartbeat = peers[connection].heartbeat else { return }
    let due = peers[connection].heard + heartbeat * (peers[connection].pings + 1)
    if due > now { return alarms.set(.connection(connection), at: due) }
    if peers[connection].pings == 2 {
      seen.insert(.idle)
      return end(connection, "idle")
    }
    seen.insert(.ping)
    peers[connection].pings += 1
    say(Line("ping"), to: connection)
    alarms.set(.connection(connection), at: now + heartbeat)
  }
}
