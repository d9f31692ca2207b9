/// Which handler gets an offer, and when (contract, sections 5 and 6).
extension Model {
  // MARK: Who

  /// The connection to which the next offer of a link goes: of those that have room, the one with the fewest open
  /// offers. Ties go in turn: the connections stand in a circle in the order in which they came, and the search begins
  /// behind the last one that was chosen among several. A notice needs no room, and takes a turn.
  mutating func chooseServer(of link: Int, forNotice: Bool = false) -> Server? {
    guard let index = nextServer(of: link, forNotice: forNotice) else { return nil }
    if links[link].servers.count > 1 { links[link].turn = index + 1 }
    return links[link].servers[index]
  }

  /// Its index among those that serve the link. This does not choose it yet.
  func nextServer(of link: Int, forNotice: Bool = false) -> Int? {
    let servers = links[link].servers
    let window = links[link].settings.window + (keeps(.windowLimits) ? 0 : 1)
    let circle =
      keeps(.tiesInTurn) ? servers.indices.map { ($0 + links[link].turn) % servers.count } : Array(servers.indices)
    var best: (index: Int, open: Int)?
    for index in circle {
      let open = openOffers(of: link, servers[index].connection)
      let hasRoom = open < window && mayOffer(to: servers[index]) && keepsUp(servers[index].connection)
      guard forNotice || hasRoom else { continue }
      if let found = best, found.open <= open || !keeps(.fewestOpenFirst) { continue }
      best = (index, open)
    }
    return best?.index
  }

  /// How many offers of the link the connection holds that have not timed out.
  func openOffers(of link: Int, _ connection: Int) -> Int {
    peers[connection].row.count { $0.link == link && $0.state != .lapsed }
  }

  // MARK: Breakers

  func mayOffer(to server: Server) -> Bool {
    guard let since = server.breaker.since else { return true }
    if server.breaker.isProbing, keeps(.breakerProbesOnce) { return false }
    return since + settings.breakerMilliseconds <= now
  }

  /// Whether the breakers of all connections that serve the link are open or probing.
  func isBroken(_ link: Int) -> Bool {
    !links[link].servers.isEmpty && !links[link].servers.contains(where: mayOffer)
  }

  mutating func changeBreaker(_ link: Int, _ connection: Int, _ change: (inout Breaker) -> Void) {
    guard let index = links[link].servers.firstIndex(where: { $0.connection == connection }) else { return }
    change(&links[link].servers[index].breaker)
  }

  /// The handler has answered in time: its breaker closes.
  mutating func closeBreaker(for offer: Offer, of connection: Int) {
    var wasOpen = false
    changeBreaker(offer.link, connection) { breaker in
      wasOpen = breaker.since != nil
      breaker = Breaker()
    }
    if wasOpen { tellBreaker(offer.link, of: connection, isOpen: false) }
  }

  /// An offer has timed out: its handler's breaker counts it.
  mutating func countTimeout(of offer: Offer, _ connection: Int) {
    let most = settings.breakerOffers + (keeps(.breakerAtFive) ? 0 : 1)
    let now = now
    var isOpened = false
    let isToldAgain = !keeps(.breakerIsToldOnce)
    changeBreaker(offer.link, connection) { breaker in
      if breaker.isProbing {
        isOpened = isToldAgain
        breaker.since = now
        breaker.isProbing = false
      } else if breaker.since == nil, offer.isFair {
        breaker.consecutive += 1
        if breaker.consecutive >= most {
          (breaker.since, breaker.opened) = (now, now)
          isOpened = true
        }
      }
    }
    if isOpened { tellBreaker(offer.link, of: connection, isOpen: true) }
  }

  // MARK: Offers

  /// Something has changed at a link: walks that wait there go on, or are offered as far as there is room.
  mutating func attend(to link: Int) {
    switch links[link].state {
    case .removed:
      for walk in links[link].queue where links[link].queue.contains(walk) {
        note(link, left: "removed", walk)
        walkOn(walk)
      }
    case .lost, .withdrawn:
      failWaiting(at: link, .disconnect)
    case .there:
      if case .empty = links[link].vacancy { failWaiting(at: link, .disconnect) }
      serve(link)
    }
  }

  /// A message has left a link in the midst of something else: if nobody serves the link any more, those that wait there
  /// have their turn later.
  mutating func serve(_ link: Int) {
    guard links[link].state == .there else { return }
    offerWaiting(at: link)
    // This includes the walks behind a probe.
    if isBroken(link) { failWaiting(at: link, .breaker) }
  }

  /// Offers what waits at a link, as far as there is room.
  mutating func offerWaiting(at link: Int) {
    while let walk = nextInTurn(at: link), isInTime(walk), let server = chooseServer(of: link) {
      takeTurn(walk, at: link)
      offer(walk, to: server)
    }
  }

  /// Whether a walk that waits may still be offered: neither its share nor its whole time is over. The share does not
  /// matter for a repeat, because it was offered in time before.
  private func isInTime(_ walk: Int) -> Bool {
    guard let stand = walks[walk].stand else { return false }
    return lastMoment(of: walk) > now && (stand.due > now * 1000 || stand.wasRepeated)
  }

  private mutating func failWaiting(at link: Int, _ cause: Cause) {
    for walk in links[link].queue where links[link].queue.contains(walk) {
      let isWithdrawn = links[link].state == .withdrawn
      let passes = isWithdrawn ? !seen(link, by: walk).settings.required : goesOnInVain(walk, at: link)
      guard cause == .disconnect, passes else {
        fail(walk, at: link, cause)
        continue
      }
      seen.insert(.wentOnInVain)
      note(link, left: isWithdrawn ? "removed" : "empty", walk)
      walkOn(walk)
    }
  }

  /// Walks that wait at the link, and that it no longer accepts, go on.
  mutating func passOnUnwanted(at link: Int) {
    for walk in links[link].queue where links[link].queue.contains(walk) {
      let isPassed = !keeps(.partIsLookedAtOnce) && isPassed(link, by: walk)
      let isAccepted = Subject.matches(walks[walk].message.topic, anyOf: seen(link, by: walk).settings.accepts)
      guard !isAccepted || isPassed else { continue }
      note(link, left: "topic", walk)
      walkOn(walk)
    }
  }

  /// Offers a message to a handler of the link at which it stands.
  mutating func offer(_ walk: Int, to server: Server) {
    guard var stand = walks[walk].stand else { return }
    let own = seen(stand.link, by: walk).settings.timeoutMilliseconds
    let end = own.map { (now + $0) * 1000 } ?? max(stand.shareEnd, (now + 1) * 1000)
    let last = keeps(.drainCapsOffers) ? lastMoment(of: walk) : walks[walk].deadline
    if end > last * 1000, last < walks[walk].deadline { seen.insert(.drainCapped) }
    let due = min(end, last * 1000)
    let timeout = max(1, (due - now * 1000) / 1000)
    stand.due = max(due, (now + 1) * 1000)
    stand.offer = (server.connection, peers[server.connection].lastOffer + 1)
    walks[walk].stand = stand
    walks[walk].hops += 1
    note("messages", at: stand.link)
    let isFair = timeout >= settings.breakerLeastMilliseconds || timeout == own
    setAlarm(of: walk)
    put(walk, at: stand.link, server, timeout, isFair, .open, again: stand.wasRepeated)
  }

  /// Offers a shadow its copy. The message does not wait for it; the copy has the message's time.
  mutating func copy(_ walk: Int, to link: Int) {
    guard let server = chooseServer(of: link) else {
      return count(links[link].servers.isEmpty ? .disconnect : .overload, at: link)
    }
    guard mayHoldOffer(server.connection) else {
      seen.insert(.copyWithoutRoom)
      return count(.overload, at: link)
    }
    seen.insert(.shadow)
    walks[walk].copied.append(link)
    if !keeps(.shadowIsNotCounted) { walks[walk].hops += 1 }
    let timeout = max(1, lastMoment(of: walk) - now)
    let id = peers[server.connection].lastOffer + 1
    alarms.set(.shadow(connection: server.connection, offer: id), at: max(now + 1, walks[walk].deadline))
    put(walk, at: link, server, timeout, false, .shadow, again: false)
  }

  /// Puts an offer into the handler's row, and tells it.
  private mutating func put(
    _ walk: Int, at link: Int, _ server: Server, _ timeout: Int, _ isFair: Bool, _ state: Offer.State, again: Bool
  ) {
    let connection = server.connection
    peers[connection].lastOffer += 1
    let id = peers[connection].lastOffer
    peers[connection].row.append(
      Offer(
        id: id, connection: connection, walk: walk, link: link, chain: links[link].chain, handler: links[link].name,
        policy: seen(link, by: walk).settings.onFailure,
        timeoutMilliseconds: timeout, made: now,
        waited: now - (walks[walk].stand?.since ?? now), isRepeat: again, isDoubtful: walks[walk].isDoubtful,
        isFair: isFair, state: state))
    if let index = links[link].servers.firstIndex(where: { $0.connection == connection }) {
      if links[link].servers[index].breaker.since != nil, state == .open {
        seen.insert(.probe)
        links[link].servers[index].breaker.isProbing = true
      }
    }
    var line = Line("offer")
    line.add("id", id)
    describe(walk, at: link, in: &line)
    line.add("timeout_ms", timeout)
    line.add("from", walks[walk].from)
    if keeps(state == .shadow ? .copiesTellWithin : .offersTellWithin) { line.add(within: walks[walk].message.within) }
    if walks[walk].publication != nil, keeps(.viaIsMarked) { line.add("for", "broadcast") }
    line.add("shadow", ifTrue: state == .shadow)
    tellDoubt(walk, at: link, counts: !again, in: &line)
    line.add("together", ifTrue: walks.isPlace(walk) && keeps(.stageIsMarked))
    if walks[walk].isSpanned, keeps(.offersTellSpans) { line.add("traceparent", json: Line.anyText) }
    line.add("again", ifTrue: again && keeps(.againIsMarked))
    say(line, to: connection)
  }

  /// Tells that nobody knows if the message fits the link's condition.
  mutating func tellDoubt(_ walk: Int, at link: Int, counts: Bool, in line: inout Line) {
    guard walks[walk].isDoubtful, keeps(.doubtIsTold) else { return }
    seen.insert(.askedInDoubt)
    if counts { links[link].doubtful += 1 }
    line.add("when", "unknown")
  }

  /// What offers and notices tell of a message, as far as `key`.
  func describe(_ walk: Int, at link: Int, in line: inout Line) {
    line.add("walk", number(of: walk))
    line.add("chain", links[link].chain)
    line.add("handler", links[link].name)
    line.add("topic", walks[walk].message.topic)
    line.add("payload", json: keeps(.rewriteIsSeen) ? walks[walk].payload : walks[walk].message.payload)
    line.add("meta", json: walks[walk].message.meta)
    line.add("key", walks[walk].message.key)
  }

  // MARK: Time

  /// Sets the walk's alarm to the end of its time at the link, or to its deadline if that is earlier.
  mutating func setAlarm(of walk: Int) {
    let deadline = walks[walk].deadline * 1000
    alarms.set(.walk(walk), atMicrosecond: min(walks[walk].stand?.due ?? deadline, deadline))
  }

  /// The walk's alarm goes off: its deadline has passed, or its time at this link is over, or neither because that was
  /// put off.
  mutating func timeHasCome(for walk: Int) {
    guard !walks[walk].isOver else { return }
    if lastMoment(of: walk) <= now, keeps(.deadlineWins) || walks[walk].stand == nil { return miss(deadlineOf: walk) }
    guard let stand = walks[walk].stand else { return setAlarm(of: walk) }
    if min(stand.due, walks[walk].deadline * 1000) > now * 1000 { return setAlarm(of: walk) }
    if stand.offer == nil, isHeld(stand.link), goesOnInVain(walk, at: stand.link), keeps(.vainShareIsPassed) {
      seen.insert(.wentOnInVain)
      note(stand.link, left: "empty", walk)
      return walkOn(walk)
    }
    let offer = lapse(stand)
    fail(walk, at: stand.link, causeOfTimeOver(stand), of: offer)
    attend(to: stand.link)
  }

  mutating func miss(deadlineOf walk: Int) {
    let walk = walks.message(of: walk)
    if walks[walk].stage != nil { return endStageEarly(walk, isCancelled: false) }
    let stand = walks[walk].stand
    let by = stand.map { missDeadline(of: walk, at: $0) }
    end(walk, Outcome(status: "timeout", by: by))
    if let stand { attend(to: stand.link) }
  }

  /// The message's time is over where it stands. Returns who has not answered.
  mutating func missDeadline(of walk: Int, at stand: Walk.Stand) -> String {
    let offer = lapse(stand)
    // What the offer was is known before it is gone.
    let cause = causeOfTimeOver(stand)
    count(cause, at: stand.link)
    startRecording(walk, with: offer)
    note(walk, at: stand.link, keeps(.deadlineWaitIsOverload) ? cause : .timeout, of: offer)
    let by = offer?.handler ?? links[stand.link].name
    if keeps(.deadlineIsLastFailure) {
      remember(Failure(by: by, chain: links[stand.link].chain, cause: cause), of: walk, at: stand.link, offer)
    }
    return by
  }

  private func causeOfTimeOver(_ stand: Walk.Stand) -> Cause {
    stand.offer != nil ? .timeout : isHeld(stand.link) ? .disconnect : .overload
  }

  /// An open offer times out: its handler is told, and may still answer it, too late. Returns the offer, or nil if none
  /// was made.
  private mutating func lapse(_ stand: Walk.Stand) -> Offer? {
    guard let (connection, id) = stand.offer else { return nil }
    guard let index = peers[connection].row.firstIndex(where: { $0.id == id }) else { return nil }
    peers[connection].row[index].state = .lapsed
    let offer = peers[connection].row[index]
    tellLapsed(offer, to: connection)
    countTimeout(of: offer, connection)
    keepLapsed(offer.id, of: connection)
    return offer
  }

  /// A shadow has not answered by its message's deadline.
  mutating func shadowHasLapsed(_ id: Int, of connection: Int) {
    guard let index = peers[connection].row.firstIndex(where: { $0.id == id }) else { return }
    peers[connection].row[index].state = .lapsed
    let offer = peers[connection].row[index]
    tellLapsed(offer, to: connection)
    keepLapsed(offer.id, of: connection)
    shadowHasMissed(offer, .timeout)
    attend(to: offer.link)
  }

  mutating func tellLapsed(_ offer: Offer, to connection: Int, why: String? = nil) {
    var line = Line("lapsed")
    line.add("id", offer.id)
    line.add("chain", offer.chain)
    line.add("handler", offer.handler)
    line.add("why", why)
    say(line, to: connection)
    if peers[connection].row.count(where: { $0.state == .lapsed }) > settings.maxLapsedOffers {
      alarms.set(.connection(connection), at: now + 1)
    }
  }
}
