import BatonCore

/// The way of each message: where it must be by now, given all verdicts and all that happened to the links.
extension Ledger {
  func applySend(_ number: Int, _ line: SentLine, from connection: Int) {
    if isRefused(line, of: connection) { return }
    if drainEnd != nil { return fail(.oneReply, "#\(connection) \(line.text) is accepted while draining") }
    let message = messages[number]
    messages[number].walk = walks.count
    var walk = Walk(
      message: number, links: chains[message.chain],
      deadline: now.advanced(milliseconds: message.timeoutMilliseconds), enteredTick: tick, sentAt: now)
    walk.payload = message.payload
    walk.isWatched = isWatched
    walk.arrivedFrom = tick
    walks.append(walk)
    openWalks.append(walks.count - 1)
    if !line.wantsReply { coverage.insert(.noReply) }
    arrive(walks.count - 1)
    expect(walks.count - 1, from: connection)
  }

  /// Whether the next answer refuses the message; if so it is taken, and must have a reason.
  func isRefused(_ line: SentLine, of connection: Int) -> Bool {
    guard let next = accounts[connection].direct.first, next.op == .error else { return false }
    guard let code = next.string(.code), code == "busy" || code == "draining" else { return false }
    guard let id = line.id, let told = next.raw(.id) else {
      if line.id != nil || next[.id] != nil || next[.offer] != nil { return false }
      return takeRefusal(line, of: connection)
    }
    return told.elementsEqual(id) && takeRefusal(line, of: connection)
  }

  private func takeRefusal(_ line: SentLine, of connection: Int) -> Bool {
    guard let error = takeError("busy", "draining", for: line, of: connection) else { return true }
    let isBusy = error.string(.code) == "busy"
    coverage.insert(isBusy ? .busy : .refusedDraining)
    if !isBusy, drainEnd == nil { fail(.oneReply, "#\(connection) is refused for draining, which is not so") }
    if isBusy { checkBusy(connection) }
    return true
  }

  // MARK: Moving

  /// The link where the walk is has had its turn.
  func advance(_ walk: Int) {
    guard !walks[walk].isOver, walks[walk].end == nil else { return }
    walks[walk].offer = nil
    if isPast(walks[walk].deadline) {
      walks[walk].end = .timeout
      return
    }
    walks[walk].place += 1
    arrive(walk)
  }

  /// Goes on to the first link from `place` on that would be asked, or to the end.
  func arrive(_ walk: Int) {
    let known = walks[walk].links
    while walks[walk].place < known.count, !accepts(known[walks[walk].place], walk) { walks[walk].place += 1 }
    if !walks[walk].isUnsure { walks[walk].arrivedFrom = tick }
    walks[walk].arrivedTo = tick
    walks[walk].arrivedAt = now
    guard walks[walk].place < known.count else {
      walks[walk].end = .unhandled
      noteListeners(of: walk)
      return
    }
    // Who left first decides how many share the time, and where several leave at once that is not known.
    if isLosing || isLate && isLeaveCall { walks[walk].isUnsure = true }
    let ahead = known[walks[walk].place...].count { accepts($0, walk) }
    let remaining = max(0, walks[walk].deadline.microseconds - now.microseconds)
    walks[walk].matchingAhead = ahead
    walks[walk].shareEnd = Instant(microseconds: now.microseconds + max(1000, remaining / Int64(ahead)))
    if mayOverflow(known[walks[walk].place], besides: walk) { walks[walk].isUnsure = true }
  }

  private var hasTightQueues: Bool { settings.maxQueueMessages < 100 || settings.maxQueueBytes < 1 << 20 }

  /// True while a connection closes or half-closes, which in a late call comes after what was due.
  private var isLeaveCall: Bool {
    switch call {
    case .closed, .ended: true
    default: false
    }
  }

  /// Whether the link is there and takes the walk's topic.
  func accepts(_ link: Int, _ walk: Int) -> Bool {
    let topic = messages[walks[walk].message].topic
    return links[link].isThere && links[link].accepts.contains { $0.matches(topic) }
  }

  /// Whether the link's queue may have been full when another message came.
  private func mayOverflow(_ link: Int, besides walk: Int) -> Bool {
    guard hasTightQueues else { return false }
    let waiting = openWalks.count { $0 != walk && isWaiting($0) && walks[$0].links[walks[$0].place] == link }
    let mayHaveCome = openWalks.count { walks[$0].isUnsure || isStale($0) }
    return settings.maxQueueBytes < 1 << 20 || !isOrderKnown || waiting + mayHaveCome >= settings.maxQueueMessages
  }

  /// True for a walk that is at a link without being offered.
  func isWaiting(_ walk: Int) -> Bool {
    !walks[walk].isOver && walks[walk].end == nil && walks[walk].offer == nil
  }

  /// True for a walk whose share of the time at the place where it waits may have run out in a call that came late.
  func isStale(_ walk: Int) -> Bool {
    isWaiting(walk) && now >= walks[walk].shareEnd.advanced(milliseconds: -2)
  }

  /// Messages that wait at the link go on if it is gone or does not accept them any more.
  func moveWaiting(at link: Int) {
    for walk in openWalks where isWaiting(walk) && walks[walk].links[walks[walk].place] == link {
      if accepts(link, walk) { continue }
      coverage.insert(.movedOn)
      // Its share may have run out before, in a call that came late: then it is not here any more.
      if isStale(walk) { walks[walk].isUnsure = true }
      arrive(walk)
    }
  }

  /// Whether the walk can have passed the link at `place` without an offer: its share of the time ran out while it
  /// waited, or the queue was full.
  func mayHavePassed(_ place: Int, _ walk: Int) -> Bool {
    let it = walks[walk]
    if !accepts(it.links[place], walk) { return true }
    if it.isUnsure { return true }
    // Beyond the place where it waited for sure, full queues may have sent it on at once.
    if place > it.place, hasTightQueues { return mayHavePassed(it.place, walk) }
    // The core counts in whole milliseconds, rounded down.
    let share = it.shareEnd.microseconds - it.arrivedAt.microseconds - 2000
    let passed = it.links[it.place...place].count { accepts($0, walk) }
    // Late calls leave little time for the later links; each gets a millisecond at least.
    return now.microseconds - it.arrivedAt.microseconds >= share + Int64(passed - 1) * 1000
  }

  // MARK: Time

  /// Whether a wake-up at `now` must have carried out what was due then: timers go by whole milliseconds, rounded up.
  func isPast(_ instant: Instant) -> Bool { now >= instant.advanced(milliseconds: 1) }

  /// What a wake-up must have done: deadlines first, then shares of the time.
  func passTime() {
    let drainHasEnded = drainEnd.map(isPast) ?? false
    for walk in openWalks where !walks[walk].isOver && walks[walk].end == nil {
      if drainHasEnded || isPast(walks[walk].deadline) {
        walks[walk].end = .timeout
      } else if isWaiting(walk), !walks[walk].isUnsure, isPast(walks[walk].shareEnd) {
        // It may have gone on earlier, in a call that came late, and be further than this.
        coverage.insert(.overload)
        walks[walk].isUnsure = true
        advance(walk)
      }
    }
  }

  /// Whether the walk may have ended without anybody being told: its sender wants or hears no result, and its share
  /// of the time at the place where it waits, or all its time, ran out in a call that came late.
  func mayHaveEnded(_ walk: Int) -> Bool {
    let it = walks[walk]
    let sender = accounts[messages[it.message].sender]
    if messages[it.message].wantsReply, sender.isOpen, !sender.isLeaving { return false }
    return it.isUnsure || now >= it.deadline || isStale(walk)
  }

  /// The earliest time at which something must happen that the books know of; a wake-up must be set for it.
  var earliestDue: (at: Instant, what: String)? {
    var earliest: (at: Instant, what: String)?
    func note(_ instant: Instant, _ what: @autoclosure () -> String) {
      if earliest.map({ instant < $0.at }) ?? true { earliest = (instant, what()) }
    }
    if let drainEnd, !openWalks.isEmpty { note(drainEnd, "the end of the drain") }
    for walk in openWalks {
      if !mayHaveEnded(walk) { note(walks[walk].deadline, "the deadline of m\(walks[walk].message)") }
      if let (connection, id) = walks[walk].offer {
        note(accounts[connection].offers[id - 1].due.advanced(milliseconds: 1), "offer \(id) of #\(connection)")
      }
    }
    for (connection, account) in accounts.enumerated() where account.isOpen && !account.isLeaving && !account.isEnded {
      if let begun = account.lineBegun, !account.wasPaused {
        note(begun.advanced(milliseconds: settings.lineTimeoutMilliseconds), "the line of #\(connection)")
      }
    }
    return earliest
  }
}
