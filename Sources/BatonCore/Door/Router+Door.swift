/// The router's door: all calls in, and all that a caller can see. Only `turn` lets timers fire and carries on what has
/// to wait: the other calls do what they are told, as far as the connection has credit.
extension Router {
  /// A peer has connected. The identifier is valid until `closed`. If the server is draining or full, the connection is
  /// ended at once, which `wish` tells. `facts` is what the transport knows of the peer.
  public mutating func opened(_ facts: PeerFacts = PeerFacts(), at now: Instant) -> ConnectionID {
    let connection = addConnection(through: facts.door, at: now)
    if !identities.isAsked { holdAccount(of: PeerAccount.Owner(address: facts.address), for: connection) }
    // The door itself refuses requests that a draining server does not answer (contract, section 13).
    // Who begins with a handshake could not read it yet.
    if let otherLeader, !facts.isHandshaking {
      turnAway(connection, to: otherLeader, at: now)
    } else if drainDeadline != nil, facts.door != .request {
      sever(connection, .draining, says: "the server is shutting down; use another server, or try again later", at: now)
    } else if identities.isAsked {
      admit(connection, facts, at: now)
    } else if connections.count - endedConnections > settings.maxConnections, !makeRoom(at: now) {
      sever(
        connection, .tooManyConnections,
        says: "the server holds \(settings.maxConnections) connections and accepts no more; raise max_connections",
        at: now)
    }
    markChanged(connection)
    finishCall(at: now)
    let ref = connections.ref(connection)
    return ConnectionID(index: ref.slot.index, generation: ref.generation)
  }

  /// The encryption of a connection that was opened with `isHandshaking` has begun. `facts` is what is known of the peer
  /// now.
  public mutating func shookHands(_ id: ConnectionID, _ facts: PeerFacts, at now: Instant) {
    guard let connection = connectionSlot(of: id) else { return }
    noteHandshake(connection, facts, at: now)
    if let otherLeader { turnAway(connection, to: otherLeader, at: now) }
    finishCall(at: now)
  }

  /// The peer sent `bytes`. They are read only during the call.
  public mutating func received(_ bytes: UnsafeRawBufferPointer, from id: ConnectionID, at now: Instant) {
    guard let connection = connectionSlot(of: id) else { return }
    noteLateness(at: now)
    receive(bytes, from: connection, at: now)
    finishCall(at: now)
  }

  /// The peer shut down its writing side.
  public mutating func ended(_ id: ConnectionID, at now: Instant) {
    guard let connection = connectionSlot(of: id) else { return }
    if connections[connection].backlog.isEmpty {
      halfClose(connection, at: now)
    } else {
      connections[connection].hasEnded = true
    }
    finishCall(at: now)
  }

  /// The connection is gone, for any reason. The caller must call this exactly once for each `opened`, also after a
  /// wish to close.
  public mutating func closed(_ id: ConnectionID, at now: Instant) {
    guard let connection = connectionSlot(of: id) else { return }
    forgetConnection(connection, at: now)
    finishCall(at: now)
  }

  /// The kernel has taken the first `count` unsent bytes, of which it did not take all when they were shown.
  public mutating func wrote(_ count: Int, to id: ConnectionID, at now: Instant) {
    if let connection = connectionSlot(of: id) { took(count, of: connection, at: now) }
  }

  @inline(__always)
  private mutating func took(_ count: Int, of connection: Slot<Connection>, at now: Instant) {
    let before = connections[connection].outbox.held
    tookUnsent(count, of: connection)
    guard count > 0 else { return }
    noteRoomForReplays()
    relieved(connection, before: before, at: now)
    finishCall(at: now)
  }

  /// Whether the server asks peers who they are.
  public var asksWho: Bool { identities.isAsked }

  /// Whether a peer of which the transport knows this need not say who it is: nobody is asked, or there is an entry for
  /// it, or one for everybody.
  public mutating func knows(_ facts: PeerFacts) -> Bool {
    !identities.isAsked || identities.anonymous != .nobody || identities.find(facts) != .nobody
  }

  /// Whether a peer may do what a line asks for, of which a part may be missing still. Nothing of the line is carried
  /// out. If a right is missing, the peer is told so. `line` has its LF.
  public mutating func permits(_ line: UnsafeRawBufferPointer, from id: ConnectionID, at now: Instant) -> Bool {
    guard let connection = connectionSlot(of: id), connections[connection].phase == .open else { return false }
    let isPermitted = looksAhead(UnsafeRawBufferPointer(rebasing: line.dropLast()), from: connection, at: now)
    finishCall(at: now)
    return isPermitted
  }

  /// The number of a connection's identity among all; nil if it has none, or is anonymous.
  public mutating func identityNumber(of id: ConnectionID) -> UInt32? {
    guard let connection = connectionSlot(of: id) else { return nil }
    let identity = connections[connection].identity
    return identity == .nobody || identities[identity].isAnonymous ? nil : identity.index
  }

  /// The chains that a connection may see now; none if it has gone.
  package mutating func sight(of id: ConnectionID) -> ChainSight {
    guard let connection = connectionSlot(of: id) else { return .nobody }
    let identity = connections[connection].identity
    return identity == .nobody ? .all : identities[identity].sight
  }

  /// Whether the requests of HTTP of the connection's identity, this one included, are no more than its share of the places
  /// for them.
  public mutating func hasShareOfRequests(_ id: ConnectionID) -> Bool {
    connectionSlot(of: id).map { isWithinShareOfRequests($0) } ?? true
  }

  /// Whether a peer is subscribed to anything.
  public mutating func listens(_ id: ConnectionID) -> Bool {
    connectionSlot(of: id).map { connections[$0].listening.firstSubscription != .nobody } ?? false
  }

  /// Whether a peer waits for the configuration file to be read anew. The caller calls `reloadBegins`, reads it, and calls
  /// `reload`.
  public var wantsReload: Bool { reloads.isWanted }

  /// The caller begins to read the configuration file. Who asks from now on wants it to be read once more.
  public mutating func reloadBegins() { reloads.begin() }

  /// The caller has read the configuration file anew, because `wantsReload` said so or because of a signal.
  public mutating func reload(_ news: ReloadNews, at now: Instant) {
    if case .read(let file) = news, let settings = file.settings {
      takeLimits(settings)
      takeNextRecordRule(settings.record)
      takeTraceRule(settings.trace)
      desk.ask(.limits)
    }
    takeReload(news, at: now)
    finishCall(at: now)
  }

  /// Whether a peer wants to know what a file would change. The caller takes its text and calls `checked`.
  public var wantsCheck: Bool { !reloads.checks.isEmpty }

  /// The text of the file that is to be checked next; nil if nobody waits for one any more.
  public mutating func textToCheck() -> [UInt8]? {
    while let check = reloads.checks.first {
      if connections.contains(check.asker.connection) { return check.text }
      _ = reloads.takeFirstCheck()
    }
    return nil
  }

  /// The caller has found out what a reload of that text would change, or what is wrong with it. Nothing changes.
  public mutating func checked(_ news: ReloadNews, at now: Instant) {
    tellChecked(news, at: now)
    finishCall(at: now)
  }

  /// The server is to shut down. It refuses new messages, finishes the messages under way, and then wishes every
  /// connection closed.
  public mutating func drain(at now: Instant) {
    beginDraining(at: now)
    finishCall(at: now)
  }

  /// The server is a spare from now on, and newcomers are told where to go; or it leads (nil).
  public mutating func standAside(for other: OtherLeader?) { turnAwayNewcomers(to: other) }

  /// To which node the lead shall go, as a peer has asked; nil if none has since this was asked last.
  public mutating func takeHandOver() -> HandOver? { takeWishToHandOver() }

  /// Begins a turn: every connection gets its credit, timers fire, and what had to wait goes on, as far as one turn has
  /// room. Returns true if work is left: the caller then reads what has come, without waiting, and calls again. The
  /// caller must call it after it has read, and at `wakeAt` at the latest.
  public mutating func turn(at now: Instant) -> Bool {
    renewSharedCredit()
    renewAnnouncementCredit()
    desk.beginTurn()
    let isDue = fireTimers(at: now)
    lastTurn = now
    if !crowdedReplays.isEmpty { serveCrowdedReplays() }
    if !jobs.isEmpty { carryOnJobs(at: now) }
    if someMayGoOn || !crowdedOut.isEmpty { serveParked(at: now) }
    finishCall(at: now)
    return hasNextTurn || (isDue && timers.wakeAt.map { $0 <= now } ?? false)
  }

  /// Whether there is work for a next turn, or for the keeper.
  public var hasWork: Bool { mutating get { hasNextTurn || desk.hasRequests } }

  /// What is left at the end of a turn. Writing may bring some about: so the caller asks when it has written, before it waits.
  public mutating func rest() -> Rest {
    Rest(
      hasWork: hasWork || hasChanged, wantsFile: wantsReload || wantsCheck, hasJournal: hasJournal,
      isDrained: isDrained, wakeAt: timers.nothingBefore)
  }

  /// Whether something goes on in the next turn.
  private var hasNextTurn: Bool {
    someMayGoOn || !jobs.isEmpty || !announcements.isEmpty || hasRoomCome
  }

  /// Whether connections that waited for their turn, or for room, may go on.
  private var someMayGoOn: Bool { !parked.isEmpty || !roomyAccounts.isEmpty || waitingForShare.mayHaveRoom }

  /// Whether the next turn has something to do that may take long. What has changed is written before it. One busy connection
  /// takes no longer than its piece; what it says goes out with what it has said before.
  public var hasLongWork: Bool { parked.count > 1 || !jobs.isEmpty }

  // MARK: Out

  /// Whether `writeNext` has connections to write to.
  public var hasChanged: Bool { !changed.isEmpty || !postponed.isEmpty }

  /// Comes to a connection whose unsent bytes or wish have changed since it was last there; nil if no such connection is
  /// left. The one that changed first comes first; those with much unsent are behind the others, but for one of sixteen. A
  /// connection comes once, even if several things have changed.
  ///
  /// If bytes are unsent, `take` gets the first ones, in as many pieces as `places` has room for: all that there are if that
  /// is no more than `most` for the connection, or what one turn gives. It returns how many it has taken; nil if it takes none
  /// now, and says so by `wrote` or `postpone` when it does. It calls nothing of the router. If it has taken all of them and
  /// more are left, the connection comes again, behind the others, also those that change later: so one that gets much keeps
  /// nobody waiting. At a door of HTTP that wants to know what a line is, each line comes by itself.
  public mutating func writeNext(
    atMost most: (ConnectionID) -> Int, in places: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, at now: Instant,
    _ take: (ConnectionID, borrowing Unsent) -> Int?
  ) -> Written? {
    guard let connection = takeChanged() else { return nil }
    return show(connection, atMost: most, in: places, at: now, take)
  }

  /// The same for this connection, whether it has changed or not.
  public mutating func write(
    to id: ConnectionID, atMost most: Int, in places: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>,
    at now: Instant, _ take: (borrowing Unsent) -> Int?
  ) -> Written {
    guard let connection = connectionSlot(of: id) else {
      return Written(id: id, wish: Wish.gone, hasUnsent: false, wasMuch: false)
    }
    return show(connection, atMost: { _ in most }, in: places, at: now) { take($1) }
  }

  /// Bytes that one connection is shown in one turn. The rest comes in the next, so that nobody waits long for it.
  private static var bytesPerTurn: Int { 256 << 10 }

  @inline(__always)
  private mutating func show(
    _ connection: Slot<Connection>, atMost most: (ConnectionID) -> Int,
    in places: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>,
    at now: Instant, _ take: (ConnectionID, borrowing Unsent) -> Int?
  ) -> Written {
    let id = ConnectionID(index: connection.index, generation: connections.ref(connection).generation)
    let before = connections[connection].outbox.count
    if before > 0, connections[connection].ending != .close {
      show(connection, id, atMost: most(id), in: places, at: now, take)
    }
    return Written(
      id: id, wish: wish(of: connection), hasUnsent: connections[connection].outbox.count > 0,
      wasMuch: before > Router.muchUnsent)
  }

  @inline(__always)
  private mutating func show(
    _ connection: Slot<Connection>, _ id: ConnectionID, atMost most: Int,
    in places: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, at now: Instant,
    _ take: (ConnectionID, borrowing Unsent) -> Int?
  ) {
    // All of it, or what one turn gives: a small rest would cost a call of its own in each turn.
    var most = connections[connection].outbox.count <= most ? most : min(most, Router.bytesPerTurn)
    // At a door of HTTP, one line comes at a time.
    let marked = connections[connection].marked
    if marked != .nobody { most = min(most, markedLines[marked].bytesBefore) }
    var (used, bytes) = connections[connection].outbox.unsent(atMost: most, into: places)
    var mark: LineMark?
    if marked != .nobody {
      let shown = UnsafeMutableBufferPointer(rebasing: places[..<used])
      (used, bytes, mark) = markedLines[marked].cut(shown, bytes: bytes)
    }
    let pieces = UnsafeBufferPointer(rebasing: places[..<used])
    let taken = withUnsafePointer(to: connections[connection].outbox) {
      take(id, Unsent(pieces, count: bytes, mark: mark, of: $0))
    }
    guard let taken else { return }
    took(taken, of: connection, at: now)
    if taken == bytes, connections[connection].outbox.count > 0 { markPostponed(connection) }
  }

  /// The connection takes bytes again, or has something else to do in the turn: it comes once more, behind all others.
  public mutating func postpone(_ id: ConnectionID) {
    if let connection = connectionSlot(of: id) { markPostponed(connection) }
  }

  /// What the caller must do with the connection.
  public mutating func wish(for id: ConnectionID) -> Wish { connectionSlot(of: id).map { wish(of: $0) } ?? .gone }

  @inline(__always)
  private mutating func wish(of connection: Slot<Connection>) -> Wish {
    Wish(
      reading: connections[connection].isToBeRead && connections[connection].backlog.isEmpty
        && !(connections[connection].isParked && judgedAt == nil),
      ending: connections[connection].ending, reason: connections[connection].reason)
  }

  /// The number of bytes that wait to be written to the connection.
  public mutating func unsentCount(of id: ConnectionID) -> Int {
    guard let connection = connectionSlot(of: id) else { return 0 }
    return connections[connection].outbox.count
  }

  /// The time at which `wake` must be called next; nil if no timer is set.
  public var wakeAt: Instant? { mutating get { timers.wakeAt } }

  /// The connection's name as others see it, for the log.
  public mutating func name(of id: ConnectionID) -> String {
    guard let connection = connectionSlot(of: id) else { return "?" }
    return plainName(of: connection)
  }

  /// Whether something was noted for the log.
  public var hasJournal: Bool { mutating get { journal.hasNews } }

  /// The next entry for the log; nil if there is none now. `isLast` asks for what waits for its time, too: the server
  /// ends.
  public mutating func nextJournalEntry(at now: Instant, isLast: Bool = false) -> JournalEntry? {
    nextNoted(at: now, isLast: isLast)
  }

  /// When there may be an entry that waits for its time; nil if none waits. It is not among the times of `wakeAt`:
  /// nothing but the log depends on it.
  public var journalDueAt: Instant? { mutating get { journal.dueAt } }

  /// What the server still waits for while it drains.
  public mutating func drainReport(at now: Instant) -> DrainReport { reportDraining(at: now) }

  /// The last step of a turn of the keeper.
  mutating func endKeeperStep(at now: Instant) { finishCall(at: now) }

  /// The last step of each call in.
  private mutating func finishCall(at now: Instant) {
    if sinking != nil { sinkLimits() }
    limitUnsent(at: now)
    endStep(at: now)
    if drainDeadline != nil { closeIfDrained(at: now) }
  }

  /// The slot of a connection; nil if the identifier is not valid any more.
  @inline(__always)
  mutating func connectionSlot(of id: ConnectionID) -> Slot<Connection>? {
    let ref = Ref<Connection>(slot: Slot(id.index), generation: id.generation)
    return connections.contains(ref) ? ref.slot : nil
  }

  /// The kernel has taken bytes of a connection whose outbox held `before` bytes. Everything that waited for this goes
  /// on.
  private mutating func relieved(_ connection: Slot<Connection>, before: Int, at now: Instant) {
    noteTaken(by: connection, at: now)
    let unsent = connections[connection].outbox.count
    if connections[connection].phase == .severed { return }
    if connections[connection].pauses.contains(.unsent),
      connections[connection].unsentReplies <= readingLimit(of: connection)
    {
      resume(connection, .unsent, at: now)
    }
    if unsent <= settings.eventsUnsentBytes / 2 {
      tellMissed(connection, at: now)
      goOnReplaying(to: connection, at: now)
    }
    let fell = before > settings.offersUnsentBytes && connections[connection].outbox.held <= settings.offersUnsentBytes
    if connections[connection].asking.isToldLater, unsent <= settings.offersUnsentBytes { tellLater(to: connection) }
    if fell || connections[connection].isOfferedLater && hasShareOfUnsentBytes(connection) {
      serveLinks(of: connection, at: now)
    }
  }
}
